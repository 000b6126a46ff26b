//! Lookups of all fields of an index with `cacheEnabled`, from the read cache where it has them.

use std::sync::Arc;

use errors::Result;
use kv::{Block, BlockLimits, PrefixScan, Snapshot};

use crate::index::Index;
use crate::index::bounds::IndexBounds;
use crate::index::found::IndexEntries;
use crate::index::scan::{ScanSource, ScanStatistics};
use crate::visibility::read_cache::{CollectionCache, Found};

/// A reader of the entries with one value after another, with one iterator of the engine.
pub(super) struct CachedLookUps {
    engine: Arc<dyn Snapshot>,
    cache: CollectionCache,
    scan: Option<Box<dyn PrefixScan>>,
    /// The lookup that has begun: the prefix of its entries' keys, and the last key that was read.
    begun: Option<(Vec<u8>, Option<Vec<u8>>)>,
}

impl CachedLookUps {
    /// Returns a reader if the read cache may hold entries of the index.
    ///
    /// Entries of unique indexes are cached by [`super::look_up`] in another form.
    pub(super) fn of(index: &Index, source: &ScanSource) -> Option<Self> {
        let cache = source.cache.clone().filter(|_| super::is_cached(index) && !index.is_unique())?;
        Some(CachedLookUps { engine: Arc::clone(&source.engine), cache, scan: None, begun: None })
    }

    /// Begins a lookup if the bounds give values of all fields.
    pub(super) fn begin(&mut self, index: &Index, bounds: &IndexBounds) -> bool {
        let gives_all = bounds.equal_fields() == index.fields().len();
        self.begun = gives_all.then(|| (bounds.start(index), None));
        gives_all
    }

    /// Returns the next entries of the lookup that has begun; `None` if there is none, or after
    /// its last.
    pub(super) fn next_block(
        &mut self,
        limits: BlockLimits,
        collection: &Arc<str>,
        statistics: &mut ScanStatistics,
    ) -> Result<Option<IndexEntries>> {
        let Some((prefix, after)) = self.begun.take() else { return Ok(None) };
        let place = match &after {
            None => match self.cache.find(&prefix) {
                Found::Cached(kept) if let Some(block) = kept.block(&prefix, limits.rows) => {
                    statistics.cache.hits += block.len() as u64;
                    return IndexEntries::of_block(block, false, collection).map(Some);
                }
                found => {
                    statistics.cache.misses += 1;
                    Some(found)
                }
            },
            Some(_) => None,
        };
        let scan = match &mut self.scan {
            Some(scan) => scan,
            None => self.scan.insert(self.engine.prefix_scan()?),
        };
        let mut block = Block::new();
        let has_more = scan.read(&prefix, after.as_deref(), limits, &mut block)?;
        if has_more {
            let last = block.last_key().map(<[u8]>::to_vec);
            self.begun = Some((prefix, last));
        } else if let Some(place) = place {
            place.keep_pairs(&block, prefix.len());
        }
        IndexEntries::of_block(block, false, collection).map(Some)
    }

    /// Releases all that pins memory in the engine.
    pub(super) fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}
