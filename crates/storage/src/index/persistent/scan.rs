//! Scans over sorted indexes, in AQL's order of the indexed values.

use std::sync::Arc;

use errors::{Error, Result};
use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use super::cached::CachedLookUps;
use crate::index::Index;
use crate::index::bounds::{BoundsOfRanges, IndexBounds};
use crate::index::found::{IndexEntries, UniqueEntries};
use crate::index::next_scans::NextScans;
use crate::index::scan::{EntryScan, ScanHost, ScanSource};
use crate::visibility::read_cache::{CacheUse, CommitWatch, ReadCacheView};

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

    /// Begins to fetch the first entries.
    fn fetch(&mut self) {
        self.scan.fetch();
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

/// Looks entries of a unique index up in one batch. Ends early as `read` does.
///
/// Errors: 4 for an index that does not support this, or a lookup that does not give all fields.
pub(crate) fn look_up(
    read: impl FnOnce(&[&[u8]]) -> kv::Result<kv::Values>,
    cache: Option<(&ReadCacheView, &CommitWatch)>,
    collection: &Arc<str>,
    index: &Index,
    lookups: &[IndexBounds],
) -> Result<UniqueEntries> {
    let is_whole = |lookup: &IndexBounds| lookup.equal_fields() == index.fields().len();
    if !index.capabilities().unique_lookup || !lookups.iter().all(is_whole) {
        let message = format!("index '{}' cannot be looked up by whole values", index.name());
        return Err(Error::internal(message));
    }
    let keys: Vec<Vec<u8>> = lookups.iter().map(|lookup| lookup.start(index)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let (values, cache) = match cache.filter(|_| super::is_cached(index)) {
        None => (read(&keys)?, CacheUse::default()),
        Some((cache, watch)) => {
            let mut misses = 0;
            let values = cache.get_many(watch, &keys, |missing| {
                misses = missing.len();
                read(missing)
            })?;
            let hits = values.len().saturating_sub(misses);
            (values, CacheUse { hits: hits as u64, misses: misses as u64 })
        }
    };
    let done = values.len();
    let (entries, positions) = IndexEntries::of_values(values, collection)?;
    Ok(UniqueEntries { entries, positions, done, cache })
}

/// A scan of the entries in some ranges, range by range.
pub(super) struct RangesScan {
    pub(super) source: ScanSource,
    pub(super) index: Arc<Index>,
    pub(super) reverse: bool,
    /// The remaining ranges.
    pub(super) bounds: BoundsOfRanges,
    /// The current range, and the number of its entries that are still wanted.
    pub(super) current: Option<(RangeReader, usize)>,
    /// The readers of the following ranges.
    pub(super) next: NextScans<RangeReader>,
    /// The reader of lookups that the read cache may serve.
    pub(super) cached: Option<CachedLookUps>,
    /// Maximum number of entries that are wanted of each range.
    pub(super) limit_each: usize,
}

/// The reader of one range.
pub(super) enum RangeReader {
    Scan(IndexScan),
    /// [`RangesScan::cached`] has begun the lookup.
    Cached,
}

impl RangeReader {
    fn fetch(&mut self) -> Result<()> {
        if let RangeReader::Scan(scan) = self {
            scan.fetch();
        }
        Ok(())
    }

    fn release(&mut self) {
        if let RangeReader::Scan(scan) = self {
            scan.release();
        }
    }
}

impl RangesScan {
    /// Starts the next range. Returns false after the last.
    fn begin(&mut self, concurrent_reads: usize) -> Result<bool> {
        let RangesScan { source, index, reverse, bounds, cached, next, .. } = self;
        // Lookups in the read cache begin one after another.
        let concurrent_reads = if cached.is_some() { 1 } else { concurrent_reads };
        let ScanSource { engine, collection, .. } = source;
        let open = || {
            let Some(bounds) = bounds.next() else { return Ok(None) };
            if cached.as_mut().is_some_and(|cached| cached.begin(index, &bounds)) {
                return Ok(Some(RangeReader::Cached));
            }
            IndexScan::start(engine.as_ref(), collection, index, &bounds, *reverse)
                .map(|scan| Some(RangeReader::Scan(scan)))
        };
        let reader = next.next(concurrent_reads, open, RangeReader::fetch)?;
        self.current = reader.map(|reader| (reader, self.limit_each));
        Ok(self.current.is_some())
    }

    /// Returns the next entries of the current range; `None` after the last.
    fn read(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        let Some((reader, left)) = &mut self.current else { return Ok(None) };
        if *left == 0 {
            return Ok(None);
        }
        let limits = BlockLimits { rows: limits.rows.min(*left), bytes: limits.bytes };
        let found = match (reader, &mut self.cached) {
            (RangeReader::Scan(scan), _) => scan.next_block(limits)?,
            (RangeReader::Cached, Some(cached)) => {
                cached.next_block(limits, &self.source.collection, host.statistics())?
            }
            (RangeReader::Cached, None) => None,
        };
        *left = left.saturating_sub(found.as_ref().map_or(0, IndexEntries::len));
        Ok(found)
    }
}

impl EntryScan for RangesScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        loop {
            host.check()?;
            if self.current.is_none() && !self.begin(self.source.engine.concurrent_reads())? {
                return Ok(None);
            }
            if let Some(entries) = self.read(limits, host)? {
                host.statistics().entries += entries.len() as u64;
                return Ok(Some(entries));
            }
            self.current = None;
        }
    }

    fn fetch(&mut self) -> Result<()> {
        if self.current.is_none() && !self.begin(1)? {
            return Ok(());
        }
        self.current.as_mut().map_or(Ok(()), |(reader, _)| reader.fetch())
    }

    fn release(&mut self) {
        self.current.iter_mut().for_each(|(reader, _)| reader.release());
        self.next.iter_mut().for_each(RangeReader::release);
        if let Some(cached) = &mut self.cached {
            cached.release();
        }
    }
}
