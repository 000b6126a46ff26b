//! A scan: one iterator that fills blocks.

use std::sync::Arc;

use kv::ClosedFlag;
use kv::{BLOCK_BYTES_MAX, Block, BlockLimits, Error, Result, Scan, ScanSpec};
use rust_rocksdb::ReadOptions;

use crate::cache_use::CacheUse;
use crate::error::map;
use crate::handle::{OwnedIterator, OwnedSnapshot};

/// The readahead of a sequential scan in bytes. RocksDB stops at the end of the range.
const READAHEAD_BYTES: usize = 1 << 20;

/// The capacity of a scan's first block. Each later block gets the size of the one before.
const FIRST_BLOCK_BYTES: usize = 4 << 10;
const FIRST_BLOCK_ROWS: usize = 16;

/// A scan of a snapshot.
pub(crate) struct RocksScan {
    snapshot: Arc<OwnedSnapshot>,
    /// The scan. While there is no iterator, its range holds only the keys that were not returned
    /// yet.
    spec: ScanSpec,
    iterator: Option<OwnedIterator>,
    /// The bytes that the iterator has returned.
    iterator_bytes: usize,
    cache_use: CacheUse,
    is_done: bool,
    last_rows: usize,
    last_bytes: usize,
    closed: ClosedFlag,
}

impl RocksScan {
    /// Creates a scan that puts at most `cache_bytes` of pairs into the cache if it is sequential
    /// and repeated.
    pub(crate) fn new(
        snapshot: Arc<OwnedSnapshot>,
        spec: ScanSpec,
        cache_bytes: usize,
        closed: ClosedFlag,
    ) -> Self {
        let is_done = spec.range.is_empty();
        let (last_rows, last_bytes) = (FIRST_BLOCK_ROWS, FIRST_BLOCK_BYTES);
        let cache_use = CacheUse::of_scan(&spec, cache_bytes, &snapshot);
        RocksScan {
            snapshot,
            spec,
            iterator: None,
            iterator_bytes: 0,
            cache_use,
            is_done,
            last_rows,
            last_bytes,
            closed,
        }
    }

    fn open_iterator(&self) -> OwnedIterator {
        let ScanSpec { range, reverse, sequential, .. } = &self.spec;
        let mut options = ReadOptions::default();
        if !range.end.is_empty() {
            options.set_iterate_upper_bound(range.end.as_slice());
        }
        if *reverse {
            options.set_iterate_lower_bound(range.start.as_slice());
        }
        if *sequential {
            options.set_readahead_size(READAHEAD_BYTES);
        }
        options.fill_cache(self.cache_use.fills_cache());
        let mut iterator = OwnedIterator::new(&self.snapshot, options);
        if *reverse {
            iterator.seek_to_last();
        } else {
            iterator.seek(&range.start);
        }
        iterator
    }
}

/// Copies pairs until the block is full or the iterator has no more. Returns true if it may have
/// more.
fn fill(
    iterator: &mut OwnedIterator,
    spec: &ScanSpec,
    limits: BlockLimits,
    block: &mut Block,
) -> Result<bool> {
    while let Some((key, value)) = iterator.item() {
        if !block.push(key, if spec.keys_only { &[] } else { value }) {
            return Err(Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX });
        }
        if spec.reverse {
            iterator.prev();
        } else {
            iterator.next();
        }
        if limits.is_reached_by(block) {
            return Ok(true);
        }
    }
    iterator.status().map_err(map("scanning"))?;
    Ok(false)
}

impl Scan for RocksScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        self.closed.check()?;
        if self.is_done {
            return Ok(None);
        }
        let limits = limits.bounded();
        let mut iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => self.open_iterator(),
        };
        let mut block =
            Block::with_capacity(limits.rows.min(self.last_rows), limits.bytes.min(self.last_bytes));
        if fill(&mut iterator, &self.spec, limits, &mut block)? {
            self.iterator = Some(iterator);
        } else {
            self.is_done = true;
        }
        self.iterator_bytes += block.size_bytes();
        if self.iterator_bytes >= self.cache_use.iterator_bytes_max() {
            self.release();
        }
        self.last_rows = block.len();
        self.last_bytes = block.size_bytes() + block.size_bytes() / 16;
        Ok((!block.is_empty()).then_some(block))
    }

    fn release(&mut self) {
        let bytes = std::mem::take(&mut self.iterator_bytes);
        let Some(iterator) = self.iterator.take() else { return };
        // The iterator is at the next pair. After an error it is at none; it is kept, so that the
        // scan meets the error again.
        match iterator.item() {
            Some((key, _)) if self.spec.reverse => self.spec.range.end = kv::successor(key),
            Some((key, _)) => self.spec.range.start = key.to_vec(),
            None if iterator.status().is_ok() => self.is_done = true,
            None => self.iterator = Some(iterator),
        }
        self.cache_use = self.cache_use.after_iterator(bytes, &self.snapshot, &self.spec.range);
    }

    fn rewind(&mut self, key: &[u8]) {
        self.release();
        self.iterator = None;
        self.is_done = false;
        self.spec.begin_at(key);
    }
}

#[cfg(test)]
mod tests {
    use kv::{KeyRange, LocalStore};
    use rust_rocksdb::WriteBatch;

    use super::*;
    use crate::options::RocksOptions;
    use crate::store::Store;

    #[test]
    fn long_scans_change_their_iterator_unnoticed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        let write = |value: u8| {
            let mut batch = WriteBatch::default();
            (0..1000_u32).for_each(|key| batch.put(key.to_be_bytes(), [value; 20]));
            store.write(&batch).unwrap();
        };
        write(1);
        let snapshot = store.snapshot().unwrap();
        write(2);
        for spec in [ScanSpec::forward(KeyRange::all()), ScanSpec::backward(KeyRange::all())] {
            let reverse = spec.reverse;
            let mut scan = snapshot.scan(spec).unwrap();
            let mut keys = Vec::new();
            while let Some(block) = scan.next_block(BlockLimits { rows: 7, bytes: 1 << 20 }).unwrap() {
                assert!(block.iter().all(|(_, value)| value == [1; 20]));
                keys.extend(block.iter().map(|(key, _)| u32::from_be_bytes(key.try_into().unwrap())));
            }
            if reverse {
                keys.reverse();
            }
            assert!(keys.into_iter().eq(0..1000));
        }
    }

    #[test]
    fn a_scan_keeps_no_iterator_that_has_returned_much() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        let mut batch = WriteBatch::default();
        (0..100_u32).for_each(|key| batch.put(key.to_be_bytes(), [0; 20]));
        store.write(&batch).unwrap();
        let mut scan = store.rocks_snapshot().unwrap().rocks_scan(ScanSpec::forward(KeyRange::all()));
        scan.next_block(BlockLimits { rows: 10, bytes: 1 << 20 }).unwrap().unwrap();
        assert!(scan.iterator.is_some());
        scan.next_block(BlockLimits { rows: 40, bytes: 1 << 20 }).unwrap().unwrap();
        assert!(scan.iterator.is_none());
        assert_eq!(scan.next_block(BlockLimits { rows: 99, bytes: 1 << 20 }).unwrap().unwrap().len(), 50);
    }
}
