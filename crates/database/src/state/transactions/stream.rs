//! One stream transaction: the storage's transaction, which requests borrow in turn.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aql_value::activity::Origin;
use aql_value::{Charge, Interrupt, Waiting};
use catalog::CollectionId;
use errors::{Error, ErrorCode, Result};
use storage::{Catalog, Collection, Durability, Snapshot, Transaction};

use super::status::TransactionStatus;
use crate::base::Owner;

/// Time between two checks of the interrupt of a request that waits for another one.
const CHECK_EVERY: Duration = Duration::from_millis(50);

/// The use of a collection that a transaction declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredUse {
    Read,
    Write,
}

/// The collections that a transaction declares.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) uses: HashMap<CollectionId, DeclaredUse>,
    pub(crate) allow_implicit: bool,
}

impl Declared {
    /// Returns true if no collection may be written.
    pub(crate) fn is_read_only(&self) -> bool {
        self.uses.values().all(|wanted| *wanted == DeclaredUse::Read)
    }
}

/// A stream transaction.
pub(crate) struct StreamTransaction {
    id: u64,
    origin: Origin,
    owner: Owner,
    declared: Declared,
    catalog: Arc<Catalog>,
    /// The state that the transaction reads, if any replica of the data may answer its reads.
    replica: Option<Snapshot>,
    state: Mutex<State>,
    returned: Condvar,
}

struct State {
    work: Work,
    /// The memory of the writes.
    memory: Charge,
    durability: Durability,
    last_use: Instant,
}

enum Work {
    Idle(Box<Transaction>),
    /// A request uses the transaction. The interrupt, if there is one, ends the request.
    Borrowed(Option<Interrupt>),
    /// The commit is under way. Nothing can stop it.
    Committing,
    Ended(TransactionStatus),
}

impl StreamTransaction {
    pub(crate) fn new(
        id: u64,
        owner: Owner,
        declared: Declared,
        durability: Durability,
        transaction: Box<Transaction>,
        memory: Charge,
    ) -> StreamTransaction {
        let catalog = Arc::clone(transaction.catalog());
        let state = State { work: Work::Idle(transaction), memory, durability, last_use: Instant::now() };
        let (state, returned) = (Mutex::new(state), Condvar::new());
        let replica = None;
        StreamTransaction { id, origin: Origin::new(), owner, declared, catalog, replica, state, returned }
    }

    /// Returns the same transaction, which writes nothing, with another state to read.
    pub(crate) fn reading(self, replica: Snapshot) -> StreamTransaction {
        let catalog = Arc::clone(replica.catalog());
        StreamTransaction { catalog, replica: Some(replica), ..self }
    }

    /// Returns true if any replica of the data may answer the reads of the transaction.
    pub(crate) fn reads_replicas(&self) -> bool {
        self.replica.is_some()
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Returns the transaction as an activity of the server.
    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the catalog that the transaction's requests see.
    pub(crate) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Returns the state that the transaction sees, with its own writes. Waits for a request that
    /// uses the transaction.
    ///
    /// Errors: 28, 1500, and those for a transaction that has ended.
    pub(crate) fn view(&self, wait: Duration, interrupt: Option<&Interrupt>) -> Result<Snapshot> {
        let mut state = self.wait_for_return(wait, interrupt)?;
        state.last_use = Instant::now();
        match &mut state.work {
            Work::Idle(transaction) => Ok(self.replica.clone().unwrap_or_else(|| transaction.view())),
            _ => Err(self.in_use()),
        }
    }

    /// Takes the transaction for a request, which must give it back. Waits for other requests.
    ///
    /// Errors: 28, 1500, and those for a transaction that has ended.
    pub(crate) fn borrow(&self, wait: Duration, interrupt: Option<Interrupt>) -> Result<Box<Transaction>> {
        let mut state = self.wait_for_return(wait, interrupt.as_ref())?;
        match std::mem::replace(&mut state.work, Work::Borrowed(interrupt.clone())) {
            Work::Idle(mut transaction) => {
                transaction.set_interrupt(interrupt);
                Ok(transaction)
            }
            other => {
                state.work = other;
                Err(self.in_use())
            }
        }
    }

    /// Takes the transaction back from a request. With `Durability::Synced` the commit will wait
    /// for the disk.
    ///
    /// Errors: 1654 if the transaction was aborted before this.
    pub(crate) fn give_back(&self, transaction: Box<Transaction>, durability: Durability) -> Result<()> {
        let mut state = self.state();
        state.last_use = Instant::now();
        if durability == Durability::Synced {
            state.durability = durability;
        }
        if let Work::Ended(status) = state.work {
            drop(state);
            transaction.rollback();
            return Err(self.has_ended(status));
        }
        debug_assert!(matches!(state.work, Work::Borrowed(_)), "a request returns what it has borrowed");
        state.work = Work::Idle(transaction);
        drop(state);
        self.returned.notify_all();
        Ok(())
    }

    /// Returns the bytes of memory that are charged for the writes.
    pub(crate) fn charged_bytes(&self) -> u64 {
        self.state().memory.bytes()
    }

    /// Charges the transaction for the memory of its writes so far. Errors: 32.
    pub(crate) fn charge(&self, bytes: u64) -> Result<()> {
        let memory = &mut self.state().memory;
        memory.shrink(memory.bytes().saturating_sub(bytes));
        memory.grow(bytes.saturating_sub(memory.bytes()))
    }

    /// Ends the transaction because a request did not give it back.
    pub(crate) fn lose(&self) {
        self.state().end(TransactionStatus::Aborted);
        self.returned.notify_all();
    }

    /// Makes the writes visible. Does nothing if that was done already.
    ///
    /// Errors: 28 if a request uses the transaction for longer than `wait`, 1500 if the interrupt
    /// is set before, 1653 if it was aborted, and those of the commit, after which it is aborted.
    pub(crate) fn commit(&self, wait: Duration, interrupt: Option<&Interrupt>) -> Result<()> {
        let mut state = match self.wait_for_return(wait, interrupt) {
            Ok(state) => state,
            Err(error) => {
                return match self.status() {
                    TransactionStatus::Running => Err(error),
                    TransactionStatus::Committed => Ok(()),
                    TransactionStatus::Aborted | TransactionStatus::Unknown => Err(self.disallowed("commit")),
                };
            }
        };
        let durability = state.durability;
        let Work::Idle(transaction) = std::mem::replace(&mut state.work, Work::Committing) else {
            return Err(self.in_use());
        };
        drop(state);
        let outcome = transaction.commit(durability);
        let status = match &outcome {
            Ok(()) => TransactionStatus::Committed,
            Err(error) if error.code() == ErrorCode::TransactionInternal => TransactionStatus::Unknown,
            Err(_) => TransactionStatus::Aborted,
        };
        self.state().end(status);
        self.returned.notify_all();
        outcome
    }

    /// Discards the writes, and ends a request that uses the transaction. Does nothing if the
    /// transaction was aborted already. Waits for the end of a commit.
    ///
    /// Errors: 1653 if it was committed.
    pub(crate) fn abort(&self) -> Result<()> {
        let (mut state, mut waiting) = (self.state(), None);
        while matches!(state.work, Work::Committing) {
            waiting.get_or_insert_with(Waiting::begin);
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Work::Ended(status) = state.work {
            drop(state);
            let is_aborted = status == TransactionStatus::Aborted;
            return if is_aborted { Ok(()) } else { Err(self.disallowed("abort")) };
        }
        let work = state.end(TransactionStatus::Aborted);
        drop(state);
        match work {
            Work::Idle(transaction) => transaction.rollback(),
            // The request discards the writes when it returns the transaction.
            Work::Borrowed(interrupt) => interrupt.iter().for_each(Interrupt::kill),
            Work::Committing | Work::Ended(_) => {}
        }
        self.returned.notify_all();
        Ok(())
    }

    /// Returns true if no request has used the transaction for `idle`, and none uses it now.
    pub(crate) fn is_abandoned(&self, idle: Duration) -> bool {
        let state = self.state();
        matches!(state.work, Work::Idle(_)) && state.last_use.elapsed() >= idle
    }

    /// Returns the transaction's status.
    pub(crate) fn status(&self) -> TransactionStatus {
        match self.state().work {
            Work::Idle(_) | Work::Borrowed(_) | Work::Committing => TransactionStatus::Running,
            Work::Ended(status) => status,
        }
    }

    /// Checks that the transaction may write a collection.
    ///
    /// Errors: 1652 if it is not declared for writing.
    pub(crate) fn check_write(&self, collection: &Collection) -> Result<()> {
        match self.declared.uses.get(&collection.id()) {
            Some(DeclaredUse::Write) => Ok(()),
            Some(DeclaredUse::Read) | None => Err(undeclared(collection.name(), "write")),
        }
    }

    /// Checks that the transaction may read a collection. Errors: 1652 if it must be declared.
    pub(crate) fn check_read(&self, collection: &Collection) -> Result<()> {
        if self.declared.allow_implicit || self.declared.uses.contains_key(&collection.id()) {
            return Ok(());
        }
        Err(undeclared(collection.name(), "read"))
    }

    /// Returns true if no collection may be written.
    pub(crate) fn is_read_only(&self) -> bool {
        self.declared.is_read_only()
    }

    /// Returns true if every collection may be read.
    pub(crate) fn allows_all_reads(&self) -> bool {
        self.declared.allow_implicit
    }

    /// Waits until no request uses the transaction.
    ///
    /// Errors: 28 after `wait`, 1500 if the interrupt is set before, and those for a transaction
    /// that has ended.
    fn wait_for_return(
        &self,
        wait: Duration,
        interrupt: Option<&Interrupt>,
    ) -> Result<MutexGuard<'_, State>> {
        let deadline = Instant::now() + wait;
        let (mut state, mut waiting) = (self.state(), None);
        loop {
            match state.work {
                Work::Idle(_) => return Ok(state),
                Work::Ended(status) => return Err(self.has_ended(status)),
                Work::Borrowed(_) | Work::Committing => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.in_use());
            }
            interrupt.map_or(Ok(()), Interrupt::check)?;
            waiting.get_or_insert_with(Waiting::begin);
            let woken = self.returned.wait_timeout(state, left.min(CHECK_EVERY));
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Locks the state. No code that can panic runs under this lock, except for a view.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn in_use(&self) -> Error {
        let message = format!("locked: transaction '{}' is already in use by another request", self.id);
        Error::new(ErrorCode::Locked, message).retryable()
    }

    /// Returns the error for a request within a transaction that has ended.
    fn has_ended(&self, status: TransactionStatus) -> Error {
        has_ended(self.id, status)
    }

    /// Returns the error for an end that contradicts the one that took place.
    fn disallowed(&self, wanted: &str) -> Error {
        disallowed(self.id, self.status(), wanted)
    }
}

impl State {
    /// Ends the transaction, and returns the work until now.
    fn end(&mut self, status: TransactionStatus) -> Work {
        debug_assert!(
            !matches!(self.work, Work::Ended(TransactionStatus::Committed)),
            "a committed transaction stays committed"
        );
        self.memory.clear();
        std::mem::replace(&mut self.work, Work::Ended(status))
    }
}

/// Returns the error for a request within a transaction that has ended: 1654, or 1653 after a
/// commit.
pub(crate) fn has_ended(id: u64, status: TransactionStatus) -> Error {
    let code = match status {
        TransactionStatus::Aborted => ErrorCode::TransactionAborted,
        _ => ErrorCode::TransactionDisallowedOperation,
    };
    Error::new(code, format!("transaction '{id}' has already been {}", status.name()))
}

/// Returns the error for a commit or an abort of a transaction that has ended otherwise.
pub(crate) fn disallowed(id: u64, status: TransactionStatus, wanted: &str) -> Error {
    let message = format!("cannot {wanted} transaction '{id}': it has already been {}", status.name());
    Error::new(ErrorCode::TransactionDisallowedOperation, message)
}

fn undeclared(collection: &str, access: &str) -> Error {
    let message = format!("unregistered collection used in transaction: {collection} [{access}]");
    Error::new(ErrorCode::TransactionUnregisteredCollection, message)
}
