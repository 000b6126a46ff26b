//! The primary index: the documents themselves, clustered by `_key`. It stores nothing else.

mod keys;
mod scan;
mod stretch;

use std::sync::Arc;

use errors::Result;
use velocypack::Slice;

use crate::index::bounds::IndexRange;
use crate::index::entries::Entries;
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::{Index, IndexMethod};
use keys::{KeysScan, keys};
use scan::KeyRangeScan;

pub(super) struct Primary;

impl IndexMethod for Primary {
    fn entries(
        &self,
        _index: &Index,
        _document: Slice<'_>,
        _key: &str,
        _entries: &mut Entries,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns single keys without a lookup. The operator that fetches the documents finds out
    /// whether they exist, for many rows in one step.
    fn open(
        &self,
        index: &Arc<Index>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let is_single = |range: &IndexRange| !range.equal.is_empty();
        if options.ordered || !ranges.iter().all(is_single) {
            let object = index.definition().object_id;
            return Ok(Box::new(KeyRangeScan::new(source, object, &ranges, options)?));
        }
        let keys = ranges.iter().flat_map(|range| keys(range, &source.collection));
        Ok(Box::new(KeysScan::new(keys.collect(), options.ascending)))
    }
}
