//! The traits that an engine implements.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::{Block, KeyRange, Result, Values};

/// A store of byte-ordered keys. Shared by all threads.
///
/// A key has at least one byte; key and value together have at most [`PAIR_BYTES_MAX`].
pub trait Engine: Send + Sync {
    /// The engine's name as users give it to `--server.storage-engine` (`rocksdb`, `memory`).
    fn name(&self) -> &'static str;

    /// All that is committed now, unchanged for as long as the snapshot lives. O(1), copies nothing.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Starts a transaction that reads the state of now (or, if the options say so, of its first read).
    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>>;

    /// Forgets a range of keys that no transaction writes any more. May free the space later; a snapshot taken before
    /// still reads the old pairs. No transaction conflicts with it. What is written after it returned stays.
    fn drop_range(&self, range: &KeyRange) -> Result<()>;

    /// Starts loading pairs under keys that are not present and that no transaction writes. Several loads may run at
    /// once, also with keys between each other's. No transaction conflicts with them. The engine chooses how the pairs
    /// reach its files by what it is told of them.
    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>>;

    /// At most `parts - 1` keys, ascending and strictly inside `range`, that divide it into pieces of similar size.
    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>>;

    /// Roughly how many bytes the range takes on disk (or in memory, where there is no disk).
    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64>;

    /// Roughly which share of a range lies within a part of it, from 0 to 1; `None` if the range is empty. For plans of
    /// queries: takes little time, however long the ranges are.
    fn approximate_share(&self, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
        let whole = self.approximate_size_bytes(whole)?;
        if whole == 0 {
            return Ok(None);
        }
        Ok(Some((self.approximate_size_bytes(part)? as f64 / whole as f64).min(1.0)))
    }

    /// Rewrites the range so that deleted pairs give their space back. Returns when it is done.
    fn compact(&self, range: &KeyRange) -> Result<()>;

    /// Makes every commit so far survive a crash of the machine.
    fn sync(&self) -> Result<()>;

    /// Writes a copy of the store, as of now, into a folder that does not exist yet; folders above it are made. The
    /// engine opens the copy as any store. [`crate::Error::Misuse`] if the folder exists, [`crate::Error::Unsupported`]
    /// if the engine has no files.
    fn checkpoint(&self, folder: &Path) -> Result<()>;

    /// Figures for the metrics page.
    fn statistics(&self) -> EngineStatistics;

    /// Syncs and stops background work. Later calls answer [`crate::Error::Closed`]; a second `close` does nothing.
    /// What is still alive does no harm: snapshots and scans answer as before or `Closed`, and no commit succeeds.
    /// When it is gone too, the store can be opened again.
    fn close(&self) -> Result<()>;
}

/// A consistent state to read from, by many threads at once.
pub trait Snapshot: Send + Sync {
    /// Looks up keys in any order; the answer has one entry a key, in the order asked.
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values>;

    /// Starts a scan. Nothing is read before the first [`Scan::next_block`].
    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>>;

    /// Starts reading the pairs of many short ranges, which are asked for one after the other. Nothing is read before
    /// the first [`PrefixScan::read`].
    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>>;
}

/// Reads the keys that begin with some bytes, then those that begin with others, with one iterator for all of them. It
/// keeps what it needs of its snapshot alive.
pub trait PrefixScan: Send {
    /// Appends to `block` the pairs whose keys begin with `prefix` (at least one byte) and come behind the key
    /// `after`, in order, until there are no more (`false`) or the block has reached its limits (`true`; there may be
    /// more).
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool>;

    /// Lets go of everything that pins memory in the engine.
    fn release(&mut self);
}

/// What to scan.
#[derive(Clone, Debug)]
pub struct ScanSpec {
    /// The keys to visit.
    pub range: KeyRange,
    /// From the last key of the range to the first.
    pub reverse: bool,
    /// Leave the values out (each pair's value is empty).
    pub keys_only: bool,
    /// The caller will read far: the engine may read ahead and keep the data out of its cache.
    pub sequential: bool,
    /// The range is likely to be scanned again: where it is small, a sequential scan may put it into the engine's
    /// cache.
    pub repeated: bool,
}

impl ScanSpec {
    /// A forward scan of keys and values.
    pub fn forward(range: KeyRange) -> Self {
        ScanSpec { range, reverse: false, keys_only: false, sequential: false, repeated: false }
    }

    /// A scan of keys and values from the last key to the first.
    pub fn backward(range: KeyRange) -> Self {
        ScanSpec { reverse: true, ..ScanSpec::forward(range) }
    }

    /// The same scan without values.
    pub fn keys_only(self) -> Self {
        ScanSpec { keys_only: true, ..self }
    }

    /// The same scan, announced to read far.
    pub fn sequential(self) -> Self {
        ScanSpec { sequential: true, ..self }
    }

    /// The same scan, announced to come again.
    pub fn repeated(self) -> Self {
        ScanSpec { repeated: true, ..self }
    }
}

/// How much one block of a scan may hold. A block ends at whichever limit comes first, and has at least one pair.
#[derive(Clone, Copy, Debug)]
pub struct BlockLimits {
    /// Most pairs in the block; at least 1.
    pub rows: usize,
    /// Bytes of keys and values after which the block ends. More than [`BLOCK_LIMIT_BYTES_MAX`] counts as that.
    pub bytes: usize,
}

/// The greatest byte limit of a block that has an effect: a block of this size and one more pair of
/// [`PAIR_BYTES_MAX`] still have 32-bit offsets.
pub const BLOCK_LIMIT_BYTES_MAX: usize = 1 << 30;

/// Most bytes in one key and its value together; longer ones answer [`crate::Error::TooLarge`].
pub const PAIR_BYTES_MAX: usize = 1 << 30;

impl BlockLimits {
    /// The limits within what a block can hold.
    pub fn bounded(self) -> Self {
        BlockLimits { rows: self.rows.max(1), bytes: self.bytes.clamp(1, BLOCK_LIMIT_BYTES_MAX) }
    }

    /// Whether `block` must not get another pair.
    #[inline]
    pub fn is_reached_by(&self, block: &Block) -> bool {
        block.len() >= self.rows || block.size_bytes() >= self.bytes
    }
}

/// A scan in progress. It keeps what it needs of its snapshot alive.
pub trait Scan: Send {
    /// The next pairs in order, or `None` after the last. After `None` it stays `None`.
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>>;

    /// Lets go of everything that pins memory in the engine (iterators, pages). The next call of
    /// [`Scan::next_block`] goes on behind the last pair that was returned.
    fn release(&mut self);
}

/// How a transaction is limited.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOptions {
    /// Most bytes of keys and values that may be buffered before a write answers [`crate::Error::TooLarge`].
    pub max_bytes: usize,
    /// What the transaction does where others are in its way.
    pub wait: WaitPolicy,
    /// Which state the transaction reads.
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

/// How long a caller may be held up by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Never: the caller must not block. A key that another transaction holds answers [`crate::Error::Conflict`] at
    /// once. A commit that would wait for longer than a small write takes (for large writes of others, or until the
    /// engine admits writes again) answers [`crate::Error::Transient`], and nothing was written.
    NoWait,
    /// A write waits this long for another transaction that holds its key before it answers
    /// [`crate::Error::Conflict`]; zero does not wait. A commit waits until the engine admits it, however long that
    /// takes, as giving up would throw the transaction's work away.
    UpTo(Duration),
}

impl WaitPolicy {
    /// The longest time to wait for a lock.
    pub fn limit(self) -> Duration {
        match self {
            WaitPolicy::NoWait => Duration::ZERO,
            WaitPolicy::UpTo(limit) => limit,
        }
    }
}

/// Which state a transaction reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotAt {
    /// The state at [`Engine::begin`].
    #[default]
    Begin,
    /// The state at the transaction's first [`WriteTransaction::get_many`] or [`WriteTransaction::view`]. A key that
    /// is written or locked before that is held first and looked up in the latest state. So a transaction on one
    /// document that locks its key first waits for the transactions before it instead of conflicting with them, and
    /// one that only inserts takes no snapshot at all.
    FirstRead,
}

/// When a commit returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// After the log was handed to the operating system; a background thread syncs it soon (100 ms).
    Buffered,
    /// After the log is on disk; commits that wait at the same time share one sync.
    Synced,
}

/// A point in a transaction's writes to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint(pub usize);

/// Writes that become visible together or not at all, over the snapshot taken at `begin`.
///
/// Snapshot isolation: the first writer of a key wins. A write to a key that another transaction holds, or that was
/// committed by another after this one's snapshot, answers [`crate::Error::Conflict`] and leaves the transaction as it
/// was: at once, or, if another transaction holds the key, after the limit of [`TransactionOptions::wait`].
pub trait WriteTransaction: Send {
    /// What the transaction sees now, its own writes included, unchanged by later writes. Cheap when nothing was
    /// written since the last call.
    fn view(&mut self) -> Arc<dyn Snapshot>;

    /// Looks up keys, own writes included.
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values>;

    /// Sets a key, present or not.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Sets a key that must not be present; otherwise answers [`crate::Error::Exists`], writes nothing and holds the
    /// key.
    fn insert_unique(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Sets a key that the caller knows to be present in no committed state and written by no other transaction (its
    /// owner was locked or its name is unique to this transaction): neither looked up nor locked. For index entries
    /// that carry a document's key and are guarded by the lock on that document.
    fn put_unguarded(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Removes a key, present or not.
    fn delete(&mut self, key: &[u8]) -> Result<()>;

    /// Removes a key under the same promise as [`WriteTransaction::put_unguarded`].
    fn delete_unguarded(&mut self, key: &[u8]) -> Result<()>;

    /// Holds a key against other writers without writing it. Once the transaction is committed this counts as a write:
    /// an older transaction that writes the key then conflicts. So what was read under a lock and what was written
    /// because of it belong together.
    fn lock(&mut self, key: &[u8]) -> Result<()>;

    /// Remembers the writes so far.
    fn savepoint(&mut self) -> Savepoint;

    /// Takes back all writes since the savepoint. Locks taken since stay until the end. The savepoint and those before
    /// it stay good, those after it are void.
    fn rollback_to(&mut self, savepoint: Savepoint);

    /// Number of keys with a buffered write.
    fn write_count(&self) -> usize;

    /// Hands every key with a buffered write to `visit`, in ascending order.
    fn for_each_written(&self, visit: &mut dyn FnMut(&[u8]));

    /// Bytes of buffered keys and values.
    fn size_bytes(&self) -> usize;

    /// Bytes of memory that the transaction takes, its bookkeeping included, roughly.
    fn memory_bytes(&self) -> usize {
        self.size_bytes()
    }

    /// Makes all writes visible at once. On an error nothing was written, except for [`crate::Error::Undetermined`].
    fn commit(self: Box<Self>, durability: Durability) -> Result<()>;

    /// Forgets all writes, as dropping the transaction does.
    fn rollback(self: Box<Self>);
}

/// Which readers a load has to take care of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadKind {
    /// Snapshots that are older than the end of the load do not show its pairs.
    Visible,
    /// No reader knows of the keys yet, as of an index that is being built. Older snapshots may or may not show the
    /// pairs.
    Private,
}

/// How the keys of a load lie among those that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadHint {
    /// In a few long runs with no stored key inside. [`BulkLoad::begin_run`] says where each begins.
    Sorted {
        /// Number of pairs, roughly.
        pairs: usize,
    },
    /// Between stored keys, or in many short runs. An engine may hold all pairs in memory until the load is finished.
    Scattered,
}

/// Loads pairs in ascending order of keys: invisible until [`BulkLoad::finish`], then all at once. While a load is
/// open, an engine postpones background work that can wait.
pub trait BulkLoad: Send {
    /// Adds a pair. Its key must be greater than the last one's; otherwise answers [`crate::Error::Misuse`], and the
    /// load goes on without it.
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Says that stored keys may lie between the last pair and the next. It makes no difference to what is stored.
    fn begin_run(&mut self) -> Result<()> {
        Ok(())
    }

    /// Makes all pairs visible, at least as durable as a commit with `durability`. Dropping the load without this
    /// leaves nothing behind. On an error nothing was loaded, except for [`crate::Error::Undetermined`].
    fn finish(self: Box<Self>, durability: Durability) -> Result<()>;
}

/// Figures of an engine, each zero where it has no meaning.
#[derive(Clone, Debug, Default)]
pub struct EngineStatistics {
    /// Bytes in the block cache.
    pub cache_used_bytes: u64,
    /// The block cache's limit in bytes.
    pub cache_limit_bytes: u64,
    /// Bytes in memtables.
    pub memtable_bytes: u64,
    /// Bytes of table files on disk.
    pub disk_bytes: u64,
    /// Snapshots that are alive.
    pub snapshots: u64,
    /// Age of the oldest living snapshot in seconds.
    pub oldest_snapshot_seconds: u64,
    /// Commits since start.
    pub commits: u64,
    /// Conflicts reported since start.
    pub conflicts: u64,
    /// Engine-specific counters under the engine's own names.
    pub counters: Vec<(String, u64)>,
}
