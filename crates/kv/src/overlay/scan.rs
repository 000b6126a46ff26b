//! A scan of a snapshot merged with a transaction's writes.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::tree::{Cursor, Entry, Tree};
use crate::{Block, BlockLimits, Error, KeyRange, Result, Scan, ScanSpec, Snapshot};

/// A merge of two ordered streams: the blocks of the base's scan, and the writes.
///
/// A write hides the base's pair of its key. Blocks of the base pass through unchanged if there is
/// no write between their keys.
pub(super) struct OverlayScan {
    base: Arc<dyn Snapshot>,
    writes: Tree,
    /// The scan; its range holds only the keys that were not passed on yet.
    spec: ScanSpec,
    base_scan: Option<Box<dyn Scan>>,
    base_is_done: bool,
    /// The base's block that is being merged.
    block: Block,
    /// The number of pairs of `block` that were passed on.
    passed: usize,
}

/// The reason why a merge stopped.
enum Stop {
    /// The output has reached its limits.
    Full,
    /// All pairs of the base's block were passed on, and the base may have more.
    BlockPassed,
    /// Neither stream has anything left.
    Done,
}

impl OverlayScan {
    pub(super) fn new(base: Arc<dyn Snapshot>, writes: Tree, spec: ScanSpec) -> Self {
        let block = Block::new();
        OverlayScan { base, writes, spec, base_scan: None, base_is_done: false, block, passed: 0 }
    }

    fn needs_block(&self) -> bool {
        self.passed == self.block.len() && !self.base_is_done
    }

    fn fetch_block(&mut self, limits: BlockLimits) -> Result<()> {
        let scan = match &mut self.base_scan {
            Some(scan) => scan,
            none => none.insert(self.base.scan(self.spec.clone())?),
        };
        self.passed = 0;
        match scan.next_block(limits)? {
            Some(block) => self.block = block,
            None => {
                self.block = Block::new();
                self.base_is_done = true;
            }
        }
        Ok(())
    }

    /// Takes the base's whole block if there is no write up to its last key. No pair of the block
    /// was passed on yet.
    fn take_untouched_block(&mut self) -> Option<Block> {
        let last = self.block.last_key()?;
        let write = ordered(&self.writes, &self.spec).peek().filter(|entry| is_in(&self.spec, entry));
        if write.is_some_and(|entry| in_order(entry.key(), last, self.spec.reverse) != Ordering::Greater) {
            return None;
        }
        self.spec.range = self.spec.range.remainder(last, self.spec.reverse);
        Some(std::mem::take(&mut self.block))
    }

    fn merge(&mut self, limits: BlockLimits, output: &mut Block) -> Result<Stop> {
        let OverlayScan { writes, spec, block, passed, base_is_done, .. } = self;
        let mut writes = ordered(writes, spec);
        let mut last_key = None;
        let stop = loop {
            if limits.is_reached_by(output) {
                break Stop::Full;
            }
            let pair = (*passed < block.len()).then(|| (block.key(*passed), block.value(*passed)));
            if pair.is_none() && !*base_is_done {
                break Stop::BlockPassed;
            }
            let write = writes.peek().filter(|entry| is_in(spec, entry));
            let order = match (pair, write) {
                (None, None) => break Stop::Done,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((key, _)), Some(entry)) => in_order(key, entry.key(), spec.reverse),
            };
            if order != Ordering::Greater {
                *passed += 1;
            }
            if order != Ordering::Less {
                writes.next();
            }
            let (key, value) = match (pair, write) {
                (Some((key, value)), _) if order == Ordering::Less => (key, Some(value)),
                (_, Some(entry)) => (entry.key(), entry.value()),
                _ => break Stop::Done,
            };
            last_key = Some(key);
            if let Some(value) = value
                && !output.push(key, if spec.keys_only { &[] } else { value })
            {
                return Err(Error::TooLarge { limit_bytes: crate::block::BLOCK_BYTES_MAX });
            }
        };
        if let Some(key) = last_key {
            spec.range = spec.range.remainder(key, spec.reverse);
        }
        Ok(stop)
    }
}

impl Scan for OverlayScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        let limits = limits.bounded();
        let mut output = Block::new();
        loop {
            if self.needs_block() {
                self.fetch_block(limits)?;
                if output.is_empty()
                    && let Some(block) = self.take_untouched_block()
                {
                    return Ok(Some(block));
                }
            }
            match self.merge(limits, &mut output)? {
                Stop::Full => return Ok(Some(output)),
                Stop::BlockPassed => {}
                Stop::Done => return Ok((!output.is_empty()).then_some(output)),
            }
        }
    }

    fn fetch(&mut self) {
        if self.base_scan.is_none() && self.needs_block() {
            // An error comes again with the next block.
            self.base_scan = self.base.scan(self.spec.clone()).ok();
        }
        if let Some(scan) = self.base_scan.as_mut().filter(|_| self.passed == self.block.len()) {
            scan.fetch();
        }
    }

    fn release(&mut self) {
        // The rest of the block will be fetched again, because the range begins after the last
        // pair that was passed on.
        self.base_scan = None;
        self.block = Block::new();
        self.passed = 0;
    }

    fn rewind(&mut self, key: &[u8]) {
        self.release();
        self.base_is_done = false;
        self.spec.begin_at(key);
    }
}

/// Returns the writes in the scan's order from its start on. The caller must filter those after
/// its end with [`is_in`].
fn ordered<'a>(writes: &'a Tree, spec: &ScanSpec) -> Cursor<'a> {
    let KeyRange { start, end } = &spec.range;
    if spec.reverse { writes.iter_before(end) } else { writes.iter_from(start) }
}

fn is_in(spec: &ScanSpec, entry: &Entry) -> bool {
    spec.range.contains(entry.key())
}

/// Compares two keys in the scan's order.
fn in_order(left: &[u8], right: &[u8], reverse: bool) -> Ordering {
    if reverse { right.cmp(left) } else { left.cmp(right) }
}
