//! Reads of many short ranges with one iterator, which is repositioned for each.

use std::sync::Arc;

use kv::ClosedFlag;
use kv::{BLOCK_BYTES_MAX, Block, BlockLimits, Error, PrefixScan, Result};
use rust_rocksdb::ReadOptions;

use crate::error::map;
use crate::handle::{OwnedIterator, OwnedSnapshot};

/// The number of ranges after which a new iterator is opened. An iterator pins all tables and
/// memtables that existed when it was opened.
const ITERATOR_READS_MAX: u32 = 100_000;

/// A [`PrefixScan`] with one iterator.
///
/// The iterator has no bounds, because they cannot change from one range to the next. A range ends
/// at the first key without its prefix.
pub(crate) struct RocksPrefixScan {
    snapshot: Arc<OwnedSnapshot>,
    iterator: Option<OwnedIterator>,
    /// The number of ranges that the iterator has read so far.
    reads: u32,
    closed: ClosedFlag,
}

impl RocksPrefixScan {
    pub(crate) fn new(snapshot: Arc<OwnedSnapshot>, closed: ClosedFlag) -> Self {
        RocksPrefixScan { snapshot, iterator: None, reads: 0, closed }
    }

    fn iterator(&mut self) -> &mut OwnedIterator {
        if self.reads >= ITERATOR_READS_MAX {
            self.release();
        }
        self.reads += 1;
        let snapshot = &self.snapshot;
        self.iterator.get_or_insert_with(|| OwnedIterator::new(snapshot, ReadOptions::default()))
    }
}

impl PrefixScan for RocksPrefixScan {
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool> {
        self.closed.check()?;
        let limits = limits.bounded();
        let iterator = self.iterator();
        iterator.seek(after.unwrap_or(prefix));
        if let Some(after) = after
            && iterator.item().is_some_and(|(key, _)| key == after)
        {
            iterator.next();
        }
        while let Some((key, value)) = iterator.item() {
            if !key.starts_with(prefix) {
                return Ok(false);
            }
            if !block.push(key, value) {
                return Err(Error::TooLarge { limit_bytes: BLOCK_BYTES_MAX });
            }
            iterator.next();
            if limits.is_reached_by(block) {
                return Ok(true);
            }
        }
        iterator.status().map_err(map("scanning"))?;
        Ok(false)
    }

    fn release(&mut self) {
        self.iterator = None;
        self.reads = 0;
    }
}
