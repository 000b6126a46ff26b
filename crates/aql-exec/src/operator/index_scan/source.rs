//! Where entries come from: one file for each type of index.

use super::entries::EntrySink;
use super::range::{IndexHandle, Range};
use super::search::Search;
use super::{edge, fulltext, geo, mdi, persistent, primary};
use crate::context::ExecutionContext;
use aql_value::{Error, Interrupt, Result};
use std::sync::Arc;
use storage::{Collection, Snapshot};

/// Finds the entries of some ranges of one index for one outer row.
pub(in crate::operator) trait EntrySource: Send {
    /// Adds entries until the batch is full (`true`) or there are no more (`false`).
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool>;

    /// Lets go of what pins memory in the storage engine.
    fn release(&mut self);
}

/// What sources need to know of the scan.
pub(in crate::operator) struct Lookup<'a> {
    pub(in crate::operator) snapshot: &'a Snapshot,
    pub(in crate::operator) collection: &'a Arc<Collection>,
    pub(in crate::operator) ascending: bool,
    /// Entries have to come in the order of the index.
    pub(in crate::operator) ordered: bool,
    /// Persistent indexes: of each combination of values so many entries at most.
    pub(in crate::operator) limit_each: Option<u64>,
    /// Documents will be needed: a source that reads them anyway hands them over.
    pub(in crate::operator) wants_documents: bool,
    /// Multi-dimensional indexes: entries outside of the box that are read over before the next inside is looked for.
    pub(in crate::operator) lookahead: u64,
}

/// The source for ranges of an index. There is at least one range.
pub(in crate::operator) fn open(
    index: &IndexHandle,
    ranges: Vec<Range>,
    lookup: &Lookup<'_>,
    interrupt: &Interrupt,
) -> Result<Box<dyn EntrySource>> {
    Ok(match index {
        IndexHandle::Primary => primary::open(&ranges, lookup),
        IndexHandle::Edge => Box::new(edge::EdgeSource::new(&ranges, lookup)),
        IndexHandle::Geo(index) => {
            // A search has a source of its own: ranges of geo indexes are not put together.
            let search = ranges.into_iter().next().and_then(|range| range.search);
            let Some(Search::Geo(search)) = search else {
                return Err(Error::internal("a scan of a geo index without a search"));
            };
            geo::open(index, &search, lookup, interrupt)?
        }
        IndexHandle::Fulltext(index) => {
            let search = ranges.into_iter().next().and_then(|range| range.search);
            let Some(Search::Words(query)) = search else {
                return Err(Error::internal("a scan of a fulltext index without a search"));
            };
            Box::new(fulltext::FulltextSource::new(index, &query, lookup))
        }
        IndexHandle::Mdi(index) => Box::new(mdi::MdiSource::new(index, ranges, lookup)),
        IndexHandle::Persistent(index) => Box::new(persistent::PersistentSource::new(index, ranges, lookup)),
    })
}
