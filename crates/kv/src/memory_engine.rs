//! An engine without files, for tests and for data that may be lost.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use allocation_meter::Uncounted;

use crate::conflict::REMEMBERED_KEYS_MAX;
use crate::living_snapshots::{LivingSnapshot, LivingSnapshots};
use crate::tree::{Entry, Tree};
use crate::{
    Block, BlockLimits, BulkLoad, ClosedFlag, ConflictTable, Durability, Engine, EngineStatistics, Error,
    KeyRange, LoadHint, LoadKind, LocalStore, LocalTransaction, PrefixScan, Result, Scan, ScanSpec, Snapshot,
    TransactionOptions, Values, WaitPolicy, WriteTransaction, Writes,
};

/// An engine that keeps everything in one copy-on-write tree. A snapshot is an O(1) copy of the
/// tree.
pub struct MemoryEngine {
    store: Arc<MemoryStore>,
}

struct MemoryStore {
    pairs: RwLock<Pairs>,
    conflict_table: Arc<ConflictTable>,
    closed: ClosedFlag,
    snapshots: Arc<LivingSnapshots>,
}

#[derive(Clone, Default)]
struct Pairs {
    tree: Tree,
    size_bytes: u64,
}

impl Pairs {
    fn insert(&mut self, entry: Entry) {
        self.size_bytes += entry.size_bytes() as u64;
        if let Some(old) = self.tree.insert(entry) {
            self.size_bytes -= old.size_bytes() as u64;
        }
    }

    fn remove(&mut self, key: &[u8]) {
        if let Some(old) = self.tree.remove(key) {
            self.size_bytes -= old.size_bytes() as u64;
        }
    }
}

impl MemoryEngine {
    /// Creates an empty store.
    pub fn new() -> Arc<MemoryEngine> {
        let store = MemoryStore {
            pairs: RwLock::default(),
            conflict_table: Arc::new(ConflictTable::new(REMEMBERED_KEYS_MAX)),
            closed: ClosedFlag::default(),
            snapshots: Arc::default(),
        };
        Arc::new(MemoryEngine { store: Arc::new(store) })
    }
}

impl MemoryStore {
    fn check_open(&self) -> Result<()> {
        self.closed.check()
    }

    fn read(&self) -> RwLockReadGuard<'_, Pairs> {
        self.pairs.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, Pairs>> {
        self.check_open()?;
        Ok(self.pairs.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LocalStore for MemoryStore {
    fn conflict_table(&self) -> &Arc<ConflictTable> {
        &self.conflict_table
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.check_open()?;
        let tree = self.read().tree.clone();
        Ok(Arc::new(MemorySnapshot { tree, _living: self.snapshots.enter() }))
    }

    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.check_open()?;
        if let Some(value) = self.read().tree.get(key).and_then(Entry::value) {
            read(value);
        }
        Ok(())
    }

    fn apply(&self, writes: &Writes<'_>, _: WaitPolicy) -> Result<()> {
        let mut pairs = self.write()?;
        let shared = Uncounted::begin();
        for entry in writes.overlay.iter() {
            match entry.value() {
                Some(_) => pairs.insert(entry.clone()),
                None => pairs.remove(entry.key()),
            }
        }
        drop(shared);
        writes.overlay.hand_over_entries();
        Ok(())
    }

    fn harden(&self, _: u64, _: Durability) -> Result<()> {
        Ok(())
    }
}

impl Engine for MemoryEngine {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store.snapshot()
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        self.store.check_open()?;
        Ok(Box::new(LocalTransaction::begin(Arc::clone(&self.store), options)?))
    }

    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        let mut pairs = self.store.write()?;
        let dropped: Vec<Entry> = entries_in(&pairs.tree, range).cloned().collect();
        for entry in dropped {
            pairs.remove(entry.key());
        }
        Ok(())
    }

    fn load(&self, _: LoadKind, _: LoadHint) -> Result<Box<dyn BulkLoad>> {
        self.store.check_open()?;
        Ok(Box::new(MemoryBulkLoad {
            store: Arc::clone(&self.store),
            entries: Vec::new(),
            scratch: Vec::new(),
        }))
    }

    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        self.store.check_open()?;
        let tree = self.store.read().tree.clone();
        let count = entries_in(&tree, range).count();
        let step = count.div_ceil(parts.max(1)).max(1);
        let points = entries_in(&tree, range).step_by(step).skip(1).map(Entry::key);
        Ok(points.filter(|key| *key > range.start.as_slice()).map(<[u8]>::to_vec).collect())
    }

    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.store.check_open()?;
        let pairs = self.store.read().clone();
        if *range == KeyRange::all() {
            return Ok(pairs.size_bytes);
        }
        Ok(entries_in(&pairs.tree, range).map(|entry| entry.size_bytes() as u64).sum())
    }

    /// Counts at most [`SHARE_PAIRS_MAX`] pairs of either range. In longer ranges a short part
    /// therefore seems larger than it is, but never the whole range.
    fn approximate_share(&self, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
        self.store.check_open()?;
        let tree = self.store.read().tree.clone();
        let count = |range: &KeyRange| entries_in(&tree, range).take(SHARE_PAIRS_MAX).count() as f64;
        let whole = count(whole);
        Ok((whole > 0.0).then(|| (count(part) / whole).min(1.0)))
    }

    fn compact(&self, _: &KeyRange) -> Result<()> {
        self.store.check_open()
    }

    fn sync(&self) -> Result<()> {
        self.store.check_open()
    }

    fn checkpoint(&self, _: &Path) -> Result<()> {
        self.store.check_open()?;
        Err(Error::Unsupported { operation: "a checkpoint", reason: "the memory engine has no files" })
    }

    fn statistics(&self) -> EngineStatistics {
        EngineStatistics {
            memtable_bytes: self.store.read().size_bytes,
            snapshots: self.store.snapshots.count(),
            oldest_snapshot_seconds: self.store.snapshots.oldest_seconds(),
            commits: self.store.conflict_table.last_commit(),
            conflicts: self.store.conflict_table.conflicts(),
            ..EngineStatistics::default()
        }
    }

    fn close(&self) -> Result<()> {
        self.store.closed.set();
        Ok(())
    }
}

/// The number of pairs that [`Engine::approximate_share`] counts at most, which takes a fraction of
/// a millisecond.
const SHARE_PAIRS_MAX: usize = 4096;

/// Returns the pairs of a range in ascending order.
fn entries_in<'a>(tree: &'a Tree, range: &'a KeyRange) -> impl Iterator<Item = &'a Entry> {
    tree.iter_from(&range.start).take_while(|entry| range.is_before_end(entry.key()))
}

struct MemorySnapshot {
    tree: Tree,
    _living: LivingSnapshot,
}

impl Snapshot for MemorySnapshot {
    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        let mut values = Values::with_capacity(keys.len(), 0);
        for key in keys {
            if !values.push(self.tree.get(key).and_then(Entry::value)) {
                return Err(Error::TooLarge { limit_bytes: crate::block::BLOCK_BYTES_MAX });
            }
            if values.is_full() {
                break;
            }
        }
        Ok(values)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        Ok(Box::new(MemoryScan { tree: self.tree.clone(), spec }))
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        Ok(Box::new(MemoryPrefixScan { tree: self.tree.clone() }))
    }
}

struct MemoryPrefixScan {
    tree: Tree,
}

impl PrefixScan for MemoryPrefixScan {
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool> {
        let limits = limits.bounded();
        let entries = self.tree.iter_from(after.unwrap_or(prefix));
        let entries = entries.skip_while(|entry| after == Some(entry.key()));
        for entry in entries.take_while(|entry| entry.key().starts_with(prefix)) {
            if !block.push(entry.key(), entry.value().unwrap_or_default()) {
                return Err(Error::TooLarge { limit_bytes: crate::block::BLOCK_BYTES_MAX });
            }
            if limits.is_reached_by(block) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn release(&mut self) {}
}

struct MemoryScan {
    tree: Tree,
    /// The scan; its range holds only the keys that were not returned yet.
    spec: ScanSpec,
}

impl Scan for MemoryScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        let limits = limits.bounded();
        let ScanSpec { range, reverse, keys_only, .. } = &self.spec;
        let entries =
            if *reverse { self.tree.iter_before(&range.end) } else { self.tree.iter_from(&range.start) };
        let mut block = Block::new();
        for entry in entries.take_while(|entry| range.contains(entry.key())) {
            let value = if *keys_only { None } else { entry.value() };
            if !block.push(entry.key(), value.unwrap_or_default()) || limits.is_reached_by(&block) {
                break;
            }
        }
        let Some(last) = block.last_key() else { return Ok(None) };
        self.spec.range = range.remainder(last, *reverse);
        Ok(Some(block))
    }

    fn release(&mut self) {}

    fn rewind(&mut self, key: &[u8]) {
        self.spec.begin_at(key);
    }
}

struct MemoryBulkLoad {
    store: Arc<MemoryStore>,
    entries: Vec<Entry>,
    scratch: Vec<u8>,
}

impl BulkLoad for MemoryBulkLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.store.check_open()?;
        crate::bulk::check_pair(self.entries.last().map(Entry::key), key, value)?;
        self.entries.push(Entry::new(key, Some(value), &mut self.scratch));
        Ok(())
    }

    fn finish(self: Box<Self>, _: Durability) -> Result<()> {
        let mut pairs = self.store.write()?;
        for entry in self.entries {
            pairs.insert(entry);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    crate::conformance_tests!(|| super::MemoryEngine::new() as std::sync::Arc<dyn crate::Engine>);
}
