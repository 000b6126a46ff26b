//! The traits that an engine implements.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use owner::Interrupt;

use crate::{Block, EngineStatistics, Error, KeyRange, Result, Sharing, Values};

/// A store of keys in byte order, shared by all threads.
///
/// A key has at least one byte. A key and its value together have at most [`PAIR_BYTES_MAX`] bytes.
pub trait Engine: Send + Sync {
    /// Returns the engine's name as users give it to `--server.storage-engine` (`rocksdb`,
    /// `memory`).
    fn name(&self) -> &'static str;

    /// Returns the processes that share the store; `None` if only this process can use it.
    fn sharing(&self) -> Option<Arc<dyn Sharing>> {
        None
    }

    /// Takes a snapshot of everything that is committed now. It is O(1) and copies nothing.
    ///
    /// The snapshot does not change for as long as it lives.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Takes a snapshot that any replica of the data may answer, so that reads are spread over all
    /// of them.
    ///
    /// The snapshot may be older than the last commit, as far as the engine's options allow, or
    /// while a part of the data has no leader. It is one consistent state all the same, with a
    /// [`Snapshot::version`] of `not_before` or more. An engine without replicas takes an ordinary
    /// snapshot.
    fn replica_snapshot(&self, _not_before: u64) -> Result<Arc<dyn Snapshot>> {
        self.snapshot()
    }

    /// Takes a snapshot of a past state of a shared store: the one that a snapshot of any process
    /// with this [`Snapshot::version`] reads.
    ///
    /// Errors: [`crate::Error::SnapshotExpired`] if the store may not have that state any more, or
    /// had it never. An engine that is not shared always returns it.
    fn snapshot_at(&self, _version: u64) -> Result<Arc<dyn Snapshot>> {
        Err(Error::SnapshotExpired)
    }

    /// Begins a transaction that reads the current state, or, if the options say so, the state at
    /// its first read.
    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>>;

    /// Deletes all keys of a range. No transaction may still be writing there.
    ///
    /// The engine may free the space later. Older snapshots still read the old pairs. Pairs that
    /// are written after it has returned stay. A transaction that began before it and writes in the
    /// range after it may conflict. After an error, a part of the range may be gone.
    fn drop_range(&self, range: &KeyRange) -> Result<()>;

    /// Begins a load of pairs whose keys are absent and are not written by any transaction.
    ///
    /// Several loads may run concurrently, even if their keys interleave. They conflict with each
    /// other and with transactions only where both write the same key. `kind` and `hint` tell the
    /// engine how it may write the pairs to its files.
    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>>;

    /// Returns at most `parts - 1` keys that divide `range` into pieces of similar size.
    ///
    /// The keys ascend and lie strictly inside `range`.
    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>>;

    /// Estimates how many bytes the range takes on disk, or in memory if the engine has no files.
    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64>;

    /// Estimates the share of `whole` that lies within `part`, from 0 to 1; `None` if `whole` is
    /// empty.
    ///
    /// The query optimizer calls this, so it takes little time however long the ranges are.
    fn approximate_share(&self, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
        let whole = self.approximate_size_bytes(whole)?;
        if whole == 0 {
            return Ok(None);
        }
        Ok(Some((self.approximate_size_bytes(part)? as f64 / whole as f64).min(1.0)))
    }

    /// Rewrites the range so that the space of deleted pairs is freed. Returns when it is done.
    fn compact(&self, range: &KeyRange) -> Result<()>;

    /// Makes every commit so far survive a crash of the machine.
    fn sync(&self) -> Result<()>;

    /// Writes a copy of the current store into a folder that does not exist yet, and creates its
    /// parents.
    ///
    /// Writers continue concurrently. The copy has the commits and loads up to one moment, and none
    /// after it. The engine can open the copy like any store. Errors: [`crate::Error::Misuse`] if
    /// the folder exists, [`crate::Error::Unsupported`] if the engine has no files.
    fn checkpoint(&self, folder: &Path) -> Result<()>;

    /// Returns the statistics for the metrics page.
    fn statistics(&self) -> EngineStatistics;

    /// Syncs and stops background work. A second `close` does nothing.
    ///
    /// Later calls fail with [`crate::Error::Closed`]. Snapshots and scans that are still alive
    /// return the same data as before or `Closed`, and no commit succeeds. Once they are dropped
    /// too, the store can be opened again.
    fn close(&self) -> Result<()>;
}

/// A consistent state that many threads can read concurrently.
pub trait Snapshot: Send + Sync {
    /// Returns the engine's number of the state, which grows with later states; 0 if the engine
    /// has none.
    fn version(&self) -> u64 {
        0
    }

    /// Looks up keys in any order. The result has one entry per key, in the order of the request.
    ///
    /// It ends early, after at least one key, where the values have [`crate::LOOKUP_BYTES`]. The
    /// caller asks again for the rest.
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values>;

    /// Checks whether keys are present. Returns one result for each key.
    fn contains_many(&self, keys: &[&[u8]]) -> Result<Vec<bool>> {
        present(keys, |keys| self.get_many(keys))
    }

    /// Begins a scan. It reads nothing before the first [`Scan::next_block`].
    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>>;

    /// Begins to read many short ranges, one after another. It reads nothing before the first
    /// [`PrefixScan::read`] or [`PrefixScan::prefetch`].
    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>>;

    /// Returns the number of reads that a caller should run concurrently, if it knows them before
    /// it needs them.
    ///
    /// It is more than 1 where a read waits for a message. Such a caller uses
    /// [`PrefixScan::prefetch`] or [`Scan::fetch`], which have no effect elsewhere.
    fn concurrent_reads(&self) -> usize {
        1
    }

    /// Returns a view of the same state whose reads are remembered for a while: repeated at this
    /// snapshot or at a view of it, they need no message. Forgets what was remembered before.
    ///
    /// A caller that knows many reads makes them concurrently and in batches here, before it needs
    /// them one by one. `None` where reads wait for no message.
    fn rehearsal(&self) -> Option<Arc<dyn Snapshot>> {
        None
    }
}

/// A reader of all keys with one prefix, then of all keys with another, with one iterator for all.
///
/// It keeps the parts of its snapshot that it needs alive.
pub trait PrefixScan: Send {
    /// Appends to `block`, in order, the pairs whose keys begin with `prefix` and are greater than
    /// `after`.
    ///
    /// The prefix has at least one byte. Returns false if there are no more such pairs. Returns
    /// true if the block has reached its limits; there may be more pairs then.
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool>;

    /// Prefetches prefixes that the caller will probably read next, from their first pairs on.
    ///
    /// The engine may fetch them concurrently, and forgets the oldest that are never read. A
    /// prefetch does not change what a read returns.
    fn prefetch(&mut self, _prefixes: &[&[u8]]) {}

    /// Releases everything that pins memory in the engine.
    fn release(&mut self);
}

/// The range and the manner of a scan.
#[derive(Clone, Debug)]
pub struct ScanSpec {
    /// The keys to visit.
    pub range: KeyRange,
    /// Scan from the last key of the range to the first.
    pub reverse: bool,
    /// Leave the values out: each pair's value is empty.
    pub keys_only: bool,
    /// The caller will read far: the engine may read ahead and keep the data out of its cache.
    pub sequential: bool,
    /// The range is likely to be scanned again: a sequential scan of a small range may then fill
    /// the engine's cache.
    pub repeated: bool,
    /// The range that several scans divide among them, `range` included; `None` for a scan alone.
    ///
    /// The engine decides about its cache for all of them together.
    pub part_of: Option<KeyRange>,
}

impl ScanSpec {
    /// Returns a forward scan of keys and values.
    pub fn forward(range: KeyRange) -> Self {
        ScanSpec {
            range,
            reverse: false,
            keys_only: false,
            sequential: false,
            repeated: false,
            part_of: None,
        }
    }

    /// Returns a scan of keys and values from the last key to the first.
    pub fn backward(range: KeyRange) -> Self {
        ScanSpec { reverse: true, ..ScanSpec::forward(range) }
    }

    /// Returns the same scan without values.
    pub fn keys_only(self) -> Self {
        ScanSpec { keys_only: true, ..self }
    }

    /// Returns the same scan with the hint that it reads far.
    pub fn sequential(self) -> Self {
        ScanSpec { sequential: true, ..self }
    }

    /// Makes the range begin, in the direction of the scan, with a key.
    pub fn begin_at(&mut self, key: &[u8]) {
        if self.reverse {
            self.range.end = crate::successor(key);
        } else {
            self.range.start = key.to_vec();
        }
    }

    /// Returns the same scan with the hint that it will be repeated.
    pub fn repeated(self) -> Self {
        ScanSpec { repeated: true, ..self }
    }
}

/// The limits of one block of a scan. A block ends at the limit that it reaches first, and has at
/// least one pair.
#[derive(Clone, Copy, Debug)]
pub struct BlockLimits {
    /// The maximum number of pairs in the block; at least 1.
    pub rows: usize,
    /// Bytes of keys and values after which the block ends. Values greater than
    /// [`BLOCK_LIMIT_BYTES_MAX`] count as that.
    pub bytes: usize,
}

/// The maximum byte limit of a block that takes effect.
///
/// A block of this size and one more pair of [`PAIR_BYTES_MAX`] still have 32-bit offsets.
pub const BLOCK_LIMIT_BYTES_MAX: usize = 1 << 30;

/// The maximum size in bytes of one key and its value together. Longer pairs are
/// [`crate::Error::TooLarge`].
pub const PAIR_BYTES_MAX: usize = 1 << 30;

impl BlockLimits {
    /// Returns the limits, reduced to the bounds of a block.
    pub fn bounded(self) -> Self {
        BlockLimits { rows: self.rows.max(1), bytes: self.bytes.clamp(1, BLOCK_LIMIT_BYTES_MAX) }
    }

    /// Returns true if `block` must not get another pair.
    #[inline]
    pub fn is_reached_by(&self, block: &Block) -> bool {
        block.len() >= self.rows || block.size_bytes() >= self.bytes
    }
}

/// A scan in progress. It keeps the parts of its snapshot that it needs alive.
pub trait Scan: Send {
    /// Returns the next pairs in order, or `None` after the last, and from then on always `None`.
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>>;

    /// Begins to fetch the first pairs, if the engine must wait for them, so that the next block
    /// arrives sooner. Has no effect on a scan that has begun.
    fn fetch(&mut self) {}

    /// Releases everything that pins memory in the engine: iterators and pages.
    ///
    /// The next call of [`Scan::next_block`] resumes after the last returned pair.
    fn release(&mut self);

    /// Releases the same, and goes back: the next block begins with the pair of `key`, which was
    /// returned before.
    fn rewind(&mut self, key: &[u8]);
}

/// The limits of a transaction and the state that it reads.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOptions {
    /// The maximum number of bytes of buffered keys and values. A write beyond it fails with
    /// [`crate::Error::TooLarge`].
    pub max_bytes: usize,
    /// The behaviour of the transaction when it must wait for others.
    pub wait: WaitPolicy,
    /// The state that the transaction reads.
    pub snapshot: SnapshotAt,
}

impl Default for TransactionOptions {
    fn default() -> Self {
        TransactionOptions {
            max_bytes: 512 << 20,
            wait: WaitPolicy::UpTo(Duration::ZERO),
            snapshot: SnapshotAt::Begin,
        }
    }
}

/// The maximum time that a caller may wait for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPolicy {
    /// The caller must not block.
    ///
    /// A key that another transaction holds fails immediately with [`crate::Error::Conflict`]. A
    /// commit that would wait longer than a small write takes fails with
    /// [`crate::Error::Transient`], and nothing was written. That happens behind large writes of
    /// others, and while the engine admits no writes.
    NoWait,
    /// A write waits this long for a key that another transaction holds, then fails with
    /// [`crate::Error::Conflict`].
    ///
    /// Zero does not wait. A commit always waits until the engine admits it, because giving up
    /// would throw the transaction's work away.
    UpTo(Duration),
}

impl WaitPolicy {
    /// Returns the longest time to wait for a lock.
    pub fn limit(self) -> Duration {
        match self {
            WaitPolicy::NoWait => Duration::ZERO,
            WaitPolicy::UpTo(limit) => limit,
        }
    }
}

/// The state that a transaction reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotAt {
    /// The state at [`Engine::begin`].
    #[default]
    Begin,
    /// The state at the transaction's first [`WriteTransaction::get_many`] or
    /// [`WriteTransaction::view`].
    ///
    /// Keys that are written or locked before that are locked first and looked up in the latest
    /// state. So a transaction on one document that first locks its key waits for earlier
    /// transactions instead of conflicting with them. A transaction that only inserts takes no
    /// snapshot at all.
    FirstRead,
}

/// The moment when a commit returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// After the log was handed to the operating system. A background thread syncs it within about
    /// 100 ms.
    Buffered,
    /// After the log is on disk. Commits that wait concurrently share one sync.
    Synced,
}

/// A position in a transaction's writes to roll back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint(pub usize);

/// Writes over a snapshot that become visible together or not at all.
///
/// The isolation level is snapshot isolation: the first writer of a key wins. A write fails with
/// [`crate::Error::Conflict`] if another transaction holds the key, or committed it after this
/// transaction's snapshot. The transaction is then as it was before the call. While another
/// transaction holds the key, the write first waits up to the limit of
/// [`TransactionOptions::wait`].
///
/// Where several processes share a store, a write finds the transactions of its own process only.
/// The commit finds the others: it then fails with [`crate::Error::Conflict`], and nothing was
/// written. So every caller must also expect that error from a commit.
pub trait WriteTransaction: Send {
    /// Ends the transaction's next waits for others early when this interrupt is set. They then
    /// fail with [`crate::Error::Interrupted`].
    fn set_interrupt(&mut self, interrupt: Option<Interrupt>);

    /// Returns the state that the transaction sees now, its own writes included.
    ///
    /// Later writes do not change the view. The call is cheap if nothing was written since the last
    /// one.
    fn view(&mut self) -> Arc<dyn Snapshot>;

    /// Looks up keys, own writes included. Ends early as [`Snapshot::get_many`] does.
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values>;

    /// Checks whether keys are present, own writes included. Returns one result for each key.
    fn contains_many(&self, keys: &[&[u8]]) -> Result<Vec<bool>> {
        present(keys, |keys| self.get_many(keys))
    }

    /// Returns true if each lookup waits for a message, so that [`WriteTransaction::prefetch`] is
    /// worthwhile.
    fn waits_for_messages(&self) -> bool {
        false
    }

    /// Looks up keys in one batch, before [`WriteTransaction::get_many`] or
    /// [`WriteTransaction::insert_unique`] needs them one by one. Replaces what was prefetched
    /// before. Has no effect where lookups wait for no messages.
    fn prefetch(&mut self, _keys: &[&[u8]]) -> Result<()> {
        Ok(())
    }

    /// Sets a key, present or not.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Sets a key that must be absent. Otherwise fails with [`crate::Error::Exists`], writes
    /// nothing and keeps the key locked.
    fn insert_unique(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Sets a key without a lookup and without a lock.
    ///
    /// The caller guarantees that no other transaction writes the key until this one has ended: it
    /// holds the key's owner, or the name is unique to this transaction. This serves index entries
    /// that contain a document's key and are guarded by the lock on that document, and counters
    /// that a commit holds alone. A commit that has ended since this transaction's snapshot may
    /// have written the key; that is not a conflict.
    fn put_unguarded(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Removes a key, present or not.
    fn delete(&mut self, key: &[u8]) -> Result<()>;

    /// Removes a key under the same guarantee as [`WriteTransaction::put_unguarded`].
    fn delete_unguarded(&mut self, key: &[u8]) -> Result<()>;

    /// Locks a key against other writers without writing it.
    ///
    /// Once the transaction has committed, the lock counts as a write: an older transaction that
    /// then writes the key conflicts. So data that was read under a lock stays consistent with the
    /// writes that depend on it.
    fn lock(&mut self, key: &[u8]) -> Result<()>;

    /// Sets a savepoint after the writes so far.
    fn savepoint(&mut self) -> Savepoint;

    /// Undoes all writes since the savepoint. Locks that were taken since then stay until the end.
    ///
    /// The savepoint and those before it stay valid; those after it become invalid.
    fn rollback_to(&mut self, savepoint: Savepoint);

    /// Returns the number of keys with a buffered write.
    fn write_count(&self) -> usize;

    /// Passes every key with a buffered write to `visit`, in ascending order.
    fn for_each_written(&self, visit: &mut dyn FnMut(&[u8]));

    /// Returns the bytes of buffered keys and values.
    fn size_bytes(&self) -> usize;

    /// Estimates the bytes of memory that the transaction takes, its bookkeeping included.
    fn memory_bytes(&self) -> usize {
        self.size_bytes()
    }

    /// Makes all writes visible atomically. On an error nothing was written, except for
    /// [`crate::Error::Undetermined`].
    fn commit(self: Box<Self>, durability: Durability) -> Result<()>;

    /// Discards all writes, as dropping the transaction does.
    fn rollback(self: Box<Self>);
}

/// The readers that a load must take into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadKind {
    /// Snapshots that are older than the end of the load do not show its pairs.
    Visible,
    /// No reader knows the keys yet, as for an index that is being built. Any snapshot may or may
    /// not show the pairs, and a load that fails or is dropped may leave some, which the caller
    /// removes.
    Private,
}

/// The position of a load's keys among the stored keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadHint {
    /// A few long runs without stored keys inside. [`BulkLoad::begin_run`] marks the start of each
    /// run.
    Sorted {
        /// The approximate number of pairs.
        pairs: usize,
    },
    /// Keys between stored keys, or many short runs. An engine may hold all pairs in memory until
    /// the load is finished.
    Scattered,
}

/// A load of pairs in ascending order of keys.
///
/// The pairs are invisible until [`BulkLoad::finish`], which makes them visible atomically, or
/// nobody knows their keys yet ([`LoadKind`]). While a load is open, an engine postpones background
/// work that can wait.
pub trait BulkLoad: Send {
    /// Adds a pair. Its key must be greater than the last one; otherwise the call fails with
    /// [`crate::Error::Misuse`], and the load continues without the pair.
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Adds a pair, as [`BulkLoad::add`] does, whose key must be absent until the load is visible.
    ///
    /// Where several processes share the store, [`BulkLoad::finish`] checks that. It fails with
    /// [`crate::Error::Conflict`] if a transaction of any process has written the key. Elsewhere
    /// the caller has checked it and holds writers off.
    fn add_absent(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.add(key, value)
    }

    /// Declares that stored keys may lie between the last pair and the next. It does not change the
    /// stored data.
    fn begin_run(&mut self) -> Result<()> {
        Ok(())
    }

    /// Makes all pairs visible, at least as durably as a commit with `durability`.
    ///
    /// A load that is dropped without this leaves nothing behind. On an error nothing was loaded,
    /// except for [`crate::Error::Undetermined`] and for [`LoadKind::Private`].
    fn finish(self: Box<Self>, durability: Durability) -> Result<()>;
}

/// Looks keys up until none is left. Returns true for those that are present.
fn present(keys: &[&[u8]], get_many: impl Fn(&[&[u8]]) -> Result<Values>) -> Result<Vec<bool>> {
    let mut present = Vec::with_capacity(keys.len());
    while let Some(rest) = keys.get(present.len()..).filter(|rest| !rest.is_empty()) {
        present.extend(get_many(rest)?.iter().map(|value| value.is_some()));
    }
    Ok(present)
}
