//! A snapshot overlaid with a transaction's writes.

use std::sync::Arc;

use super::layered;
use super::scan::OverlayScan;
use crate::tree::Tree;
use crate::{Block, BlockLimits, Error, KeyRange, PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};

/// The state that a transaction sees at one moment: its writes until then over its snapshot. It
/// never changes.
pub(super) struct OverlaySnapshot {
    base: Arc<dyn Snapshot>,
    writes: Tree,
}

impl OverlaySnapshot {
    pub(super) fn new(base: Arc<dyn Snapshot>, writes: Tree) -> Self {
        OverlaySnapshot { base, writes }
    }
}

impl Snapshot for OverlaySnapshot {
    fn version(&self) -> u64 {
        self.base.version()
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        get_many(&self.writes, self.base.as_ref(), keys)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        // Without a write in the range, a merge would only cost time.
        let has_write = self.writes.iter_from(&spec.range.start).peek();
        if has_write.is_none_or(|entry| !spec.range.contains(entry.key())) {
            return self.base.scan(spec);
        }
        Ok(Box::new(OverlayScan::new(Arc::clone(&self.base), self.writes.clone(), spec)))
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        let without_writes = self.base.prefix_scan()?;
        if self.writes.is_empty() {
            return Ok(without_writes);
        }
        Ok(Box::new(OverlayPrefixScan {
            base: Arc::clone(&self.base),
            writes: self.writes.clone(),
            without_writes,
        }))
    }

    fn concurrent_reads(&self) -> usize {
        self.base.concurrent_reads()
    }

    fn rehearsal(&self) -> Option<Arc<dyn Snapshot>> {
        Some(layered(self.base.rehearsal()?, self.writes.clone()))
    }
}

/// A reader that takes ranges without a write from the base's own reader, and merges the others.
struct OverlayPrefixScan {
    base: Arc<dyn Snapshot>,
    writes: Tree,
    without_writes: Box<dyn PrefixScan>,
}

impl OverlayPrefixScan {
    fn has_write(&self, prefix: &[u8]) -> bool {
        self.writes.iter_from(prefix).peek().is_some_and(|entry| entry.key().starts_with(prefix))
    }
}

impl PrefixScan for OverlayPrefixScan {
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool> {
        if !self.has_write(prefix) {
            return self.without_writes.read(prefix, after, limits, block);
        }
        let whole = KeyRange::prefix(prefix);
        let range = after.map_or(whole.clone(), |key| whole.remainder(key, false));
        let spec = ScanSpec::forward(range);
        let mut scan = OverlayScan::new(Arc::clone(&self.base), self.writes.clone(), spec);
        let limits = limits.bounded();
        while !limits.is_reached_by(block) {
            let rows = limits.rows.saturating_sub(block.len());
            let bytes = limits.bytes.saturating_sub(block.size_bytes());
            let Some(pairs) = scan.next_block(BlockLimits { rows, bytes })? else { return Ok(false) };
            if !pairs.iter().all(|(key, value)| block.push(key, value)) {
                return Err(Error::TooLarge { limit_bytes: crate::block::BLOCK_BYTES_MAX });
            }
        }
        Ok(true)
    }

    fn prefetch(&mut self, prefixes: &[&[u8]]) {
        let without_writes: Vec<&[u8]> =
            prefixes.iter().copied().filter(|prefix| !self.has_write(prefix)).collect();
        self.without_writes.prefetch(&without_writes);
    }

    fn release(&mut self) {
        self.without_writes.release();
    }
}

/// Looks up keys in `writes`, and those that are not in it in `base`, with one call.
pub(super) fn get_many(writes: &Tree, base: &dyn Snapshot, keys: &[&[u8]]) -> Result<Values> {
    if writes.is_empty() {
        return base.get_many(keys);
    }
    let written: Vec<_> = keys.iter().map(|key| writes.get(key)).collect();
    let missing: Vec<&[u8]> =
        keys.iter().zip(&written).filter(|(_, entry)| entry.is_none()).map(|(key, _)| *key).collect();
    if missing.len() == keys.len() {
        return base.get_many(keys);
    }
    let found = if missing.is_empty() { Values::new() } else { base.get_many(&missing)? };
    let mut values = Values::with_capacity(keys.len(), found.bytes().len());
    let mut found = found.iter();
    for entry in written {
        let value = match entry {
            Some(entry) => entry.value(),
            None => match found.next() {
                Some(value) => value,
                // The lookup in the base ended early.
                None => break,
            },
        };
        if !values.push(value) {
            return Err(Error::TooLarge { limit_bytes: crate::block::BLOCK_BYTES_MAX });
        }
        if values.is_full() {
            break;
        }
    }
    Ok(values)
}
