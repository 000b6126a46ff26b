//! The methods of sessions about stream transactions, and their reads and writes within one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::{Charge, Interrupt, Waiting};
use catalog::AccessLevel;
use errors::Result;
use storage::{Catalog, Collection, Durability, Snapshot, TransactionOptions, WaitPolicy};

use super::request::TransactionRequest;
use super::writer::Writer;
use crate::base::Owner;
use crate::session::Session;
use crate::state::transactions::{
    Declared, DeclaredUse, StreamTransaction, TransactionStatus, TransactionSummary,
};

/// Time between two attempts to take locks.
const RETRY_AFTER: Duration = Duration::from_millis(5);

/// A stream transaction that waits for the locks of its collections. To drop it is to give up.
pub struct PendingTransaction {
    session: Session,
    storage: storage::PendingTransaction,
    declared: Declared,
    durability: Durability,
    /// Any replica may answer the reads of the transaction, which does not write.
    reads_replicas: bool,
    deadline: Instant,
}

impl PendingTransaction {
    /// Takes the locks that are free now. Returns true if there is nothing more to wait for:
    /// [`PendingTransaction::begin`] will begin the transaction or answer the error.
    pub fn is_ready(&mut self) -> bool {
        self.check().is_err() || self.storage.advance().unwrap_or(true) || Instant::now() >= self.deadline
    }

    /// Waits until there is nothing more to wait for.
    pub fn wait(&mut self) {
        let mut waiting = None;
        while !self.is_ready() {
            waiting.get_or_insert_with(Waiting::begin);
            std::thread::sleep(RETRY_AFTER);
        }
    }

    /// Begins the transaction, and returns its number.
    ///
    /// Errors: 18 if a collection stayed locked for too long, 1203 if one was dropped, 30 while the
    /// server stops, 1500 if the session's interrupt was set.
    pub fn begin(self) -> Result<TransactionSummary> {
        self.check()?;
        let PendingTransaction { session, storage, declared, durability, reads_replicas, .. } = self;
        let is_read_only = declared.is_read_only();
        let transaction = Box::new(storage.begin()?);
        let replica = reads_replicas.then(|| session.instance().store().replica_snapshot()).transpose()?;
        let memory = Charge::new(session.work_memory());
        let id = session.instance().next_local_id()?;
        let stream = StreamTransaction::new(id, session.owner(), declared, durability, transaction, memory);
        let stream = match replica {
            Some(replica) => stream.reading(replica),
            None => stream,
        };
        let transactions = session.instance().transactions();
        if is_read_only {
            transactions.note_read(reads_replicas);
        }
        transactions.insert(Arc::new(stream));
        // A concurrent stop of the server or drop of the database has not seen it.
        let catalog = session.catalog();
        if session.instance().is_stopping() || session.database_in(&catalog).is_err() {
            transactions.abort(id, |_| true)?;
        }
        Ok(TransactionSummary { id, status: TransactionStatus::Running })
    }

    /// Errors: 30, 1500.
    fn check(&self) -> Result<()> {
        self.session.check_running()?;
        self.session.check_interrupt()
    }
}

impl Session {
    /// Returns true if edge indexes have to be built before a stream transaction begins, which may
    /// take long. [`Session::begin_transaction`] builds them.
    ///
    /// Errors: 1203, 11.
    pub fn must_build_edge_indexes(&self, request: &TransactionRequest) -> Result<bool> {
        Ok(!self.lacking_declared_edge_index(request)?.is_empty())
    }

    /// Begins a stream transaction. Waits for the locks of its collections.
    ///
    /// Errors: those of [`Session::prepare_transaction`] and [`PendingTransaction::begin`].
    pub fn begin_transaction(&self, request: &TransactionRequest) -> Result<TransactionSummary> {
        // A transaction sees no index that is built after its beginning.
        let lacking = self.lacking_declared_edge_index(request)?;
        let check = || self.check_interrupt();
        lacking.iter().try_for_each(|collection| self.build_edge_index(collection, &check))?;
        let mut pending = self.prepare_transaction(request)?;
        pending.wait();
        pending.begin()
    }

    /// Checks a request to begin a stream transaction, and prepares it without waiting for the
    /// locks of its collections.
    ///
    /// Errors: 1203 for an unknown collection, 11 and 1004 for lack of rights, 32 if there are too
    /// many transactions.
    pub fn prepare_transaction(&self, request: &TransactionRequest) -> Result<PendingTransaction> {
        let transactions = self.instance().transactions();
        transactions.check_room(self.user())?;
        let read = self.declared(&request.read)?;
        let (write, exclusive) = (self.declared(&request.write)?, self.declared(&request.exclusive)?);
        let mut written = write.iter().chain(&exclusive);
        written.try_for_each(|collection| self.require_writable(collection.name()))?;
        let mut declared = Declared { allow_implicit: request.allow_implicit, ..Declared::default() };
        declared.uses.extend(read.iter().map(|collection| (collection.id(), DeclaredUse::Read)));
        let written = write.iter().chain(&exclusive);
        declared.uses.extend(written.map(|collection| (collection.id(), DeclaredUse::Write)));
        let limit = transactions.limits().max_bytes;
        let wanted = request.max_bytes.map_or(limit, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let options = TransactionOptions {
            max_bytes: wanted.min(limit),
            write,
            exclusive,
            ..TransactionOptions::default()
        };
        // Text indexes follow the present state.
        let has_old_states = read.iter().all(|collection| !collection.has_text_index());
        let reads_replicas =
            (request.allow_dirty_reads || self.reads_replicas()) && declared.is_read_only() && has_old_states;
        Ok(PendingTransaction {
            session: self.clone(),
            storage: self.instance().store().prepare_transaction(options),
            declared,
            durability: if request.wait_for_sync { Durability::Synced } else { Durability::Buffered },
            reads_replicas,
            deadline: Instant::now() + request.lock_timeout,
        })
    }

    /// Returns the status of a stream transaction. Errors: 1655.
    pub fn transaction_status(&self, id: u64) -> Result<TransactionStatus> {
        self.instance().transactions().status(id, |owner| self.may_use(owner))
    }

    /// Commits a stream transaction. Committing again has no effect.
    ///
    /// Errors: 1655, 1653 after an abort, 28 while another request uses it, 1500 if the session's
    /// interrupt was set before the commit, and those of a commit; 1478 if a shared store does not
    /// answer, and the transaction stays as it is.
    pub fn commit_transaction(&self, id: u64) -> Result<()> {
        self.instance().store().check_reachable()?;
        let interrupt = self.interrupt();
        self.instance().transactions().commit(id, |owner| self.may_use(owner), interrupt)
    }

    /// Aborts a stream transaction, and ends a request that uses it. Aborting again has no effect.
    ///
    /// Errors: 1655, 1653 after a commit.
    pub fn abort_transaction(&self, id: u64) -> Result<()> {
        self.instance().transactions().abort(id, |owner| self.may_use(owner))
    }

    /// Aborts the open stream transactions of the database that the user may use and that may
    /// write.
    pub fn abort_writing_transactions(&self) {
        self.instance().transactions().abort_writing(|owner| self.may_use(owner));
    }

    /// Returns the open stream transactions of the database that the user may use.
    pub fn transactions(&self) -> Vec<TransactionSummary> {
        self.instance().transactions().list(|owner| self.may_use(owner))
    }

    /// Returns true if the user may use the transactions of an owner: its own, or all of the
    /// database as an administrator.
    fn may_use(&self, owner: &Owner) -> bool {
        owner.database == *self.database_name()
            && (owner.user.as_ref() == self.user() || self.require_administrator().is_ok())
    }

    /// Returns the declared collections that a restore left without their edge index.
    fn lacking_declared_edge_index(&self, request: &TransactionRequest) -> Result<Vec<Arc<Collection>>> {
        let mut collections = self.declared(&request.read)?;
        collections.extend(self.declared(&request.write)?);
        collections.extend(self.declared(&request.exclusive)?);
        collections.retain(|collection| collection.lacks_edge_index());
        Ok(collections)
    }

    /// Returns the collections that names declare, which the user may read. A view declares all
    /// that it searches.
    ///
    /// Errors: 1203, 11.
    fn declared(&self, names: &[String]) -> Result<Vec<Arc<Collection>>> {
        let mut collections = Vec::with_capacity(names.len());
        for name in names {
            let catalog = self.data_catalog()?;
            let database = self.database_in(&catalog)?;
            match database.view(name).filter(|_| database.collection(name).is_none()) {
                Some(view) => {
                    collections.extend(database.view_indexes(view).map(|(found, _)| Arc::clone(found)))
                }
                None => collections.push(Arc::clone(database.require_collection(name)?)),
            }
        }
        let mut declared = collections.iter();
        declared.try_for_each(|found| self.require_collection(found.name(), AccessLevel::ReadOnly))?;
        Ok(collections)
    }

    /// Returns the stream transaction that the session works in, if there is one.
    ///
    /// Errors: 1655, 1653, 1654.
    pub(crate) fn stream(&self) -> Result<Option<Arc<StreamTransaction>>> {
        let Some(id) = self.transaction_id() else { return Ok(None) };
        self.instance().transactions().find(id, |owner| self.may_use(owner)).map(Some)
    }

    /// Returns the catalog that reads and writes of documents see: that of the stream transaction,
    /// or the current one.
    ///
    /// Errors: 1655, 1653, 1654.
    pub(crate) fn data_catalog(&self) -> Result<Arc<Catalog>> {
        Ok(self.stream()?.map_or_else(|| self.catalog(), |stream| Arc::clone(stream.catalog())))
    }

    /// Returns true if the reads of this session may miss the last commits.
    ///
    /// Errors: 1655, 1653, 1654.
    pub fn may_read_dirty(&self) -> Result<bool> {
        Ok(self.stream()?.map_or(self.reads_replicas(), |stream| stream.reads_replicas()))
    }

    /// Returns the state that this session reads: that of the stream transaction with its writes,
    /// or the current one, or one that a replica of the data has.
    ///
    /// Errors: 1655, 1653, 1654, 28 while another request uses the transaction.
    pub(crate) fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot_of(self.reads_replicas())
    }

    /// Returns the state that this session reads, without the last commits only in a stream
    /// transaction that has settled so.
    ///
    /// Errors: as [`Session::snapshot`].
    pub(crate) fn current_snapshot(&self) -> Result<Snapshot> {
        self.snapshot_of(false)
    }

    /// Returns a past state of a shared store ([`storage::Store::snapshot_at`]). Errors: 1240.
    pub(crate) fn snapshot_at(&self, version: u64) -> Result<Snapshot> {
        let snapshot = self.instance().store().snapshot_at(version)?;
        Ok(snapshot.counted(self.usage()).restricted(self.document_restrictions()))
    }

    fn snapshot_of(&self, reads_replicas: bool) -> Result<Snapshot> {
        let snapshot = match self.stream()? {
            None => {
                self.instance().transactions().note_read(reads_replicas);
                let store = self.instance().store();
                if reads_replicas { store.replica_snapshot()? } else { store.snapshot()? }
            }
            Some(stream) => {
                stream.view(self.instance().transactions().limits().lock_timeout, self.interrupt())?
            }
        };
        Ok(snapshot.counted(self.usage()).restricted(self.document_restrictions()))
    }

    /// Checks that the stream transaction, if there is one, lets the session read a collection.
    /// Errors: 1652.
    pub(crate) fn check_declared(&self, collection: &Collection) -> Result<()> {
        self.stream()?.map_or(Ok(()), |stream| stream.check_read(collection))
    }

    /// Opens the transaction that a request writes into: the stream transaction, or one of its own
    /// with `options`.
    ///
    /// `written` are the collections that may be written. `interrupt` ends the wait for others. It
    /// is set when the stream transaction is aborted. Errors: 1655, 1653, 1654, 28, 1652 in a
    /// stream transaction; otherwise 18, 1203; 30 while the server stops.
    pub(crate) fn begin_write<'a>(
        &self,
        options: &TransactionOptions,
        written: impl IntoIterator<Item = &'a Arc<Collection>, IntoIter: Clone>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Writer> {
        let mut written = written.into_iter();
        for usage in written.clone().filter_map(|collection| self.usage_of(collection)) {
            usage.writes.increment();
        }
        let Some(stream) = self.stream()? else {
            return Ok(Writer::own(Box::new(self.begin_own(options, interrupt)?)));
        };
        written.try_for_each(|collection| stream.check_write(collection))?;
        let wait = match options.wait {
            WaitPolicy::NoWait => Duration::ZERO,
            WaitPolicy::UpTo(_) => self.instance().transactions().limits().lock_timeout,
        };
        let mut transaction = stream.borrow(wait, interrupt.cloned())?;
        transaction.count_usage(self.usage());
        transaction.restrict(self.document_restrictions());
        Ok(Writer::borrowed(stream, transaction))
    }

    fn begin_own(
        &self,
        options: &TransactionOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<storage::Transaction> {
        let check = || {
            self.check_running()?;
            interrupt.map_or(Ok(()), Interrupt::check)
        };
        check()?;
        let mut transaction = self.instance().store().begin_unless(options, &check)?;
        transaction.set_interrupt(interrupt.cloned());
        transaction.count_usage(self.usage());
        transaction.restrict(self.document_restrictions());
        Ok(transaction)
    }
}
