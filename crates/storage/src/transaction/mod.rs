//! Transactions: one writer over a snapshot.
//!
//! Each operation is atomic by itself: if it fails, the earlier effects of the transaction stay.
//! The transaction joins a collection at its first write there. It shares the collection's lock
//! until it ends, so that definitions and indexes do not change in the meantime.

mod assemble;
mod bulk;
mod commit;
mod distant_lock;
mod insert;
mod lock;
mod options;
mod pending;
mod prefetch;
mod remove;
mod savepoint;
mod store_document;
mod system_attributes;
mod truncate;
mod update;
mod version;

use std::sync::Arc;
use std::time::Instant;

use errors::{Error, ErrorCode, Result};
use kv::{Interrupt, SnapshotAt, WaitPolicy, WriteTransaction};

use crate::base::error;
use crate::base::restriction::{Restriction, Restrictions};
use crate::base::usage::UsageCounts;
use crate::catalog_snapshot::Catalog;
use crate::change_log::Recorder;
use crate::index::maintain::Scratch;
use crate::locks::collection_lock::LockMode;
use crate::locks::partial_commits::PartialCommit;
use crate::metrics::DocumentOperation;
use crate::store_core::StoreCore;
use crate::store_core::exclusive_lock::CollectionGuard;
use crate::visibility::LoadNumber;
use crate::visibility::counters::Totals;
use crate::visibility::estimate::EstimateChange;
use crate::visibility::read_cache::{ReadCacheView, Removes};
use crate::{Collection, Snapshot};

pub(crate) use assemble::AssembledDocument;
pub use assemble::DOCUMENT_MAX_BYTES;
pub use options::{
    DOCUMENT_WAIT, OverwriteMode, TRANSACTION_MAX_BYTES, TransactionOptions, WriteKind, WriteOptions,
    WriteOutcome,
};
pub use pending::PendingTransaction;
pub use savepoint::Savepoint;
pub use system_attributes::document_key;

/// One writer. See the module's description.
pub struct Transaction {
    core: Arc<StoreCore>,
    engine: Box<dyn WriteTransaction>,
    catalog: Arc<Catalog>,
    joined: Vec<Joined>,
    /// Options of the engine's transactions that follow an intermediate commit.
    next: kv::TransactionOptions,
    /// The read cache for reads before the first write.
    read_cache: Option<ReadCacheView>,
    reads_latest: bool,
    /// The position of the change log below which the snapshot certainly shows all commits.
    changes_below: u64,
    /// The last load that the snapshot certainly includes; it may lack any later one.
    loads_at_begin: LoadNumber,
    collection_wait: WaitPolicy,
    /// Ends the waits for others early.
    interrupt: Option<Interrupt>,
    /// `None` if nothing is counted.
    usage: Option<Arc<dyn UsageCounts>>,
    /// `None` if everything may be read and written.
    restrictions: Option<Arc<dyn Restrictions>>,
    /// The entries for the change log.
    recorder: Recorder,
    scratch: Scratch,
    /// Memory in which documents are assembled.
    document: Vec<u8>,
    /// Present from the first intermediate commit on.
    partial: Option<PartialCommit>,
}

/// A collection that the transaction writes to.
struct Joined {
    collection: Arc<Collection>,
    /// The collection's lock, held until the transaction ends.
    _guard: CollectionGuard,
    change: Totals,
    /// The changes of estimates, by position in the collection's indexes.
    estimates: Vec<EstimateChange>,
    is_written: bool,
    removes: Removes,
}

impl Transaction {
    /// Begins a transaction; see [`crate::Store::begin_unless`].
    pub(crate) fn begin(
        core: &Arc<StoreCore>,
        options: &TransactionOptions,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let wait = options.collection_wait(core.options.collection_wait);
        let joined = options.locks().into_iter();
        let joined = joined.map(|(collection, mode)| Joined::pass(core, collection, mode, wait, check));
        Self::with_joined(core, options, joined.collect::<Result<_>>()?)
    }

    /// Begins a transaction that has joined its collections.
    fn with_joined(core: &Arc<StoreCore>, options: &TransactionOptions, joined: Vec<Joined>) -> Result<Self> {
        debug_assert!(
            joined.is_sorted_by_key(|joined| joined.collection.id()),
            "two transactions could wait for each other's collections"
        );
        let collection_wait = options.collection_wait(core.options.collection_wait);
        // This precedes the snapshot, which then includes all loads that are counted here.
        let loads_at_begin = core.load_clock.now();
        // The view comes before the engine's snapshot, which then includes at least these commits.
        let read_cache = core.read_cache.view();
        let changes_below = core.change_log.positions.resolved();
        let (engine, catalog) = core.begin(options.for_engine())?;
        Ok(Transaction {
            core: Arc::clone(core),
            engine,
            catalog,
            joined,
            next: kv::TransactionOptions { snapshot: SnapshotAt::FirstRead, ..options.for_engine() },
            read_cache,
            reads_latest: options.snapshot_at_first_read,
            changes_below,
            loads_at_begin,
            collection_wait,
            interrupt: None,
            usage: None,
            restrictions: None,
            recorder: core.change_log.recorder(),
            scratch: Scratch::default(),
            document: Vec::new(),
            partial: None,
        })
    }

    /// Ends the next waits for other transactions early, with 1500, when this interrupt is set.
    pub fn set_interrupt(&mut self, interrupt: Option<Interrupt>) {
        self.engine.set_interrupt(interrupt.clone());
        self.interrupt = interrupt;
    }

    /// Counts the bytes that the next reads and writes take.
    pub fn count_usage(&mut self, usage: Option<Arc<dyn UsageCounts>>) {
        self.usage = usage;
    }

    /// Limits the next reads and writes.
    pub fn restrict(&mut self, restrictions: Option<Arc<dyn Restrictions>>) {
        self.restrictions = restrictions;
    }

    /// Returns the catalog as of the beginning.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Returns a snapshot of the current state, with the transaction's own writes. Later writes do
    /// not change it.
    pub fn view(&mut self) -> Snapshot {
        let changes = self.joined.iter().filter(|joined| joined.change.count != 0);
        let changes = changes.map(|joined| (joined.collection.object_id(), joined.change.count)).collect();
        let read_cache = self.read_cache.clone().filter(|_| self.engine.write_count() == 0);
        let view =
            self.core.snapshot_of(self.engine.view(), &self.catalog, changes, read_cache, self.changes_below);
        view.counted(self.usage.clone()).restricted(self.restrictions.clone())
    }

    /// Returns the number of pairs written so far, indexes included.
    pub fn write_count(&self) -> usize {
        self.engine.write_count()
    }

    /// Returns the bytes written so far.
    pub fn size_bytes(&self) -> usize {
        self.engine.size_bytes()
    }

    /// Returns the approximate bytes of memory that the writes so far take.
    pub fn memory_bytes(&self) -> usize {
        self.engine.memory_bytes() + self.recorder.memory_bytes()
    }

    /// Discards all writes, as dropping the transaction does.
    pub fn rollback(self) {
        self.engine.rollback();
    }

    /// Waits while writers are too far ahead of the text indexes of the transaction's collections,
    /// for a few seconds at most. Errors: that of `check`, which is called from time to time.
    pub fn wait_for_text_indexes(&self, check: &dyn Fn() -> Result<()>) -> Result<()> {
        for joined in &self.joined {
            joined.collection.wait_for_text_indexes(true, check)?;
        }
        Ok(())
    }

    /// Joins a collection, and returns its position in `joined`.
    ///
    /// Errors: 1203 if it was dropped, 18 if a collection stays locked for too long, 1200 if it was
    /// truncated or loaded in the meantime, 1500 if the interrupt is set.
    fn join(&mut self, collection: &Collection) -> Result<usize> {
        let joined = self.joined.iter().position(|joined| joined.collection.id() == collection.id());
        if let Some(position) = joined {
            return Ok(position);
        }
        let wait = self.collection_wait;
        let check = || self.interrupt.as_ref().map_or(Ok(()), Interrupt::check);
        let joined = Joined::pass(&self.core, collection, LockMode::Shared, wait, &check)?;
        if let Some(at_begin) = self.catalog.same_collection(collection)
            && has_new_objects(at_begin, &joined.collection)
        {
            return Err(error::stale_collection(collection.name()));
        }
        // The transaction does not see the documents of a later load, and could overwrite them.
        if joined.collection.last_load.number() > self.loads_at_begin {
            return Err(error::stale_collection(collection.name()));
        }
        self.joined.push(joined);
        Ok(self.joined.len() - 1)
    }

    /// Runs one write of a document, and counts its time if it has changed the document.
    fn write(
        &mut self,
        collection: &Collection,
        write: impl FnOnce(&mut Operation<'_>) -> Result<WriteOutcome>,
    ) -> Result<WriteOutcome> {
        let began = self.core.began();
        let outcome = self.operate(collection, |operation| {
            let outcome = write(operation)?;
            operation.as_shown(outcome)
        })?;
        let written = match outcome.kind {
            WriteKind::Inserted => DocumentOperation::Insert,
            WriteKind::Updated => DocumentOperation::Update,
            WriteKind::Replaced => DocumentOperation::Replace,
            WriteKind::Removed => DocumentOperation::Remove,
            WriteKind::Unchanged => return Ok(outcome),
        };
        self.core.note_operations(written, 1, began);
        Ok(outcome)
    }

    /// Runs one operation. Rolls back its writes if it fails.
    fn operate<T>(
        &mut self,
        collection: &Collection,
        operation: impl FnOnce(&mut Operation<'_>) -> Result<T>,
    ) -> Result<T> {
        let position = self.join(collection)?;
        let Some(joined) = self.joined.get_mut(position) else {
            return Err(Error::internal("a joined collection was lost"));
        };
        let restriction = match &self.restrictions {
            None => None,
            Some(restrictions) => restrictions.of(joined.collection.definition())?,
        };
        let savepoint = self.engine.savepoint();
        let recorded = self.recorder.savepoint();
        let collection = Arc::clone(&joined.collection);
        let mut running = Operation {
            core: &self.core,
            engine: self.engine.as_mut(),
            collection: &collection,
            joined,
            recorder: &mut self.recorder,
            scratch: &mut self.scratch,
            document: &mut self.document,
            reads_latest: self.reads_latest,
            usage: self.usage.as_deref(),
            restriction: restriction.as_deref(),
        };
        // The last step of an operation changes the totals, so an operation that fails has not
        // changed them.
        let result = operation(&mut running).map_err(|error| match restriction.is_some() {
            true => concealed(error),
            false => error,
        });
        let estimates = self.joined.get_mut(position).map(|joined| &mut joined.estimates);
        if result.is_err() {
            self.engine.rollback_to(savepoint);
            self.recorder.rollback_to(recorded);
            estimates.into_iter().flatten().for_each(EstimateChange::take_back);
        } else {
            estimates.into_iter().flatten().for_each(EstimateChange::keep);
        }
        result
    }
}

/// Returns the error as a writer may see it to whom rules apply. The document that has a value
/// already may be hidden.
fn concealed(error: Error) -> Error {
    match error.code() {
        ErrorCode::UniqueConstraintViolated => error::concealed_violation(),
        _ => error,
    }
}

/// Returns true if a truncation has replaced the documents since `before`, or a training the
/// entries of an index. Views of `before` would not see writes to the new objects.
fn has_new_objects(before: &Collection, now: &Collection) -> bool {
    before.object_id() != now.object_id()
        || before.indexes().iter().any(|index| {
            let present = now.index(index.id()).map(|index| index.definition().object_id);
            present.is_some_and(|object| object != index.definition().object_id)
        })
}

impl Joined {
    /// Locks a collection and joins its current version.
    ///
    /// Waits before that while writers are too far ahead of the collection's text indexes.
    ///
    /// Errors: 1004 while writes are refused, 18 if a collection stays locked for too long, 1203 if
    /// the collection was dropped, and that of `check`.
    fn pass(
        core: &Arc<StoreCore>,
        collection: &Collection,
        passage: LockMode,
        wait: WaitPolicy,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        core.check_writable()?;
        if passage == LockMode::Shared {
            let is_in_time = collection.wait_for_text_indexes(!wait.limit().is_zero(), check)?;
            if !is_in_time {
                return Err(error::lock_timeout(collection.name()));
            }
        }
        if core.is_granted_by_others(passage) {
            let since = Instant::now();
            let guard = core.lock_everywhere(collection, wait, check)?;
            core.lock_counts.note(passage, since, guard.is_some());
            let guard = guard.ok_or_else(|| error::lock_timeout(collection.name()))?;
            return Self::locked(core, collection, guard);
        }
        let mut guard = collection.lock.acquire(passage, WaitPolicy::NoWait);
        if guard.is_some() {
            core.lock_counts.note_free();
        } else if !wait.limit().is_zero() {
            let since = Instant::now();
            guard = collection.lock.acquire_unless(passage, wait, check)?;
            core.lock_counts.note(passage, since, guard.is_some());
        }
        let guard = guard.ok_or_else(|| error::lock_timeout(collection.name()))?;
        Self::locked(core, collection, guard.into())
    }

    /// Joins the current version of a collection that is locked.
    ///
    /// Errors: 1203 if the collection was dropped.
    fn locked(core: &StoreCore, collection: &Collection, guard: CollectionGuard) -> Result<Self> {
        let present = core.catalog();
        let present = present.same_collection(collection);
        let collection = present.ok_or_else(|| Error::collection_not_found(collection.name()))?;
        let estimates = collection.indexes.iter().map(|_| EstimateChange::default()).collect();
        let collection = Arc::clone(collection);
        let (change, is_written, removes) = (Totals::default(), false, Removes::Nothing);
        Ok(Joined { collection, _guard: guard, change, estimates, is_written, removes })
    }
}

impl Joined {
    /// Resets the changes after a commit, successful or not.
    fn begin_anew(&mut self) {
        self.change = Totals::default();
        self.estimates = self.collection.indexes.iter().map(|_| EstimateChange::default()).collect();
        self.is_written = false;
        self.removes = Removes::Nothing;
    }
}

/// The state that one operation may use.
struct Operation<'a> {
    core: &'a StoreCore,
    engine: &'a mut dyn WriteTransaction,
    collection: &'a Arc<Collection>,
    joined: &'a mut Joined,
    recorder: &'a mut Recorder,
    scratch: &'a mut Scratch,
    document: &'a mut Vec<u8>,
    reads_latest: bool,
    usage: Option<&'a dyn UsageCounts>,
    restriction: Option<&'a dyn Restriction>,
}
