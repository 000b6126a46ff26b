//! Scans over sorted indexes, in AQL's order of the indexed values.

use std::sync::Arc;

use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use crate::index::Index;
use crate::index::bounds::{BoundsOfRanges, IndexBounds};
use crate::index::found::IndexEntries;
use crate::index::scan::{EntryScan, ScanHost, ScanSource};
use errors::{Error, Result};

/// A scan of the entries between bounds.
pub struct IndexScan {
    scan: Box<dyn Scan>,
    collection: Arc<str>,
    unique: bool,
}

impl IndexScan {
    pub(crate) fn start(
        snapshot: &dyn Snapshot,
        collection: &Arc<str>,
        index: &Index,
        bounds: &IndexBounds,
        reverse: bool,
    ) -> Result<Self> {
        let spec = ScanSpec { reverse, ..ScanSpec::forward(range_of(index, bounds)?) };
        let collection = Arc::clone(collection);
        Ok(IndexScan { scan: snapshot.scan(spec)?, collection, unique: index.is_unique() })
    }

    /// Returns the next entries, or `None` after the last. A document may have several entries if
    /// an array is expanded.
    ///
    /// Errors: 1102 for a damaged entry.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<IndexEntries>> {
        let Some(block) = self.scan.next_block(limits)? else { return Ok(None) };
        IndexEntries::of_block(block, self.unique, &self.collection).map(Some)
    }

    /// Releases all that pins memory in the engine. The next block continues after the last one.
    pub fn release(&mut self) {
        self.scan.release();
    }
}

fn range_of(index: &Index, bounds: &IndexBounds) -> Result<KeyRange> {
    index.key_range(bounds).ok_or_else(|| {
        let name = index.definition().properties.type_name();
        Error::internal(format!("an index of type '{name}' cannot be scanned by bounds"))
    })
}

/// Looks entries of a unique index up in one batch. Returns the entries found, and the position of
/// each entry's look-up.
///
/// Errors: 4 for an index that does not support this, or a look-up that does not give all fields.
pub(crate) fn look_up(
    read: impl FnOnce(&[&[u8]]) -> kv::Result<kv::Values>,
    collection: &Arc<str>,
    index: &Index,
    lookups: &[IndexBounds],
) -> Result<(IndexEntries, Vec<usize>)> {
    let is_whole = |lookup: &IndexBounds| lookup.equal_fields() == index.fields().len();
    if !index.capabilities().unique_lookup || !lookups.iter().all(is_whole) {
        let message = format!("index '{}' cannot be looked up by whole values", index.name());
        return Err(Error::internal(message));
    }
    let keys: Vec<Vec<u8>> = lookups.iter().map(|lookup| lookup.start(index)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    IndexEntries::of_values(read(&keys)?, collection)
}

/// A scan of the entries in some ranges, range by range.
pub(super) struct RangesScan {
    pub(super) source: ScanSource,
    pub(super) index: Arc<Index>,
    pub(super) reverse: bool,
    /// The remaining ranges.
    pub(super) bounds: BoundsOfRanges,
    /// The current scan, and the number of its entries that are still wanted.
    pub(super) scan: Option<(IndexScan, usize)>,
    /// Most entries that are wanted of each range.
    pub(super) limit_each: usize,
}

impl RangesScan {
    /// Returns the current scan, or starts the next; `None` after the last.
    fn scan(&mut self, host: &mut dyn ScanHost) -> Result<Option<&mut (IndexScan, usize)>> {
        if self.scan.is_none() {
            let Some(bounds) = self.bounds.next() else { return Ok(None) };
            host.statistics().cursors += 1;
            let ScanSource { engine, collection, .. } = &self.source;
            let scan = IndexScan::start(engine.as_ref(), collection, &self.index, &bounds, self.reverse)?;
            self.scan = Some((scan, self.limit_each));
        }
        Ok(self.scan.as_mut())
    }
}

impl EntryScan for RangesScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        loop {
            host.check()?;
            let Some((scan, left)) = self.scan(host)? else { return Ok(None) };
            let limits = BlockLimits { rows: limits.rows.min(*left), bytes: limits.bytes };
            let block = if *left > 0 { scan.next_block(limits)? } else { None };
            let Some(entries) = block else {
                self.scan = None;
                continue;
            };
            *left = left.saturating_sub(entries.len());
            host.statistics().entries += entries.len() as u64;
            return Ok(Some(entries));
        }
    }

    fn release(&mut self) {
        if let Some((scan, _)) = &mut self.scan {
            scan.release();
        }
    }
}
