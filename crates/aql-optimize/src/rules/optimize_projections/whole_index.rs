//! A scan of a whole index instead of a whole collection, if its entries have all attributes that
//! are read. The rows then come in the order of the index, as in ArangoDB.

use std::collections::BTreeSet;

use aql_plan::{CollectionScan, IndexInfo, IndexScan, ProjectionSource};

use crate::RuleContext;
use crate::analysis::access_path::scan_whole;
use crate::analysis::coverage::Entries;
use crate::analysis::projection::{Path, collect_paths};

/// Returns the scan of a whole index with all of the attributes and all documents. It takes the
/// hinted index, or else the first.
pub(super) fn covering_scan(scan: &CollectionScan, context: &RuleContext<'_>) -> Option<IndexScan> {
    let source = &scan.source;
    // The inner side of a hash join keeps the documents that it has read.
    if source.projections.is_empty() || source.read_own_writes || scan.random || scan.can_join_by_hash() {
        return None;
    }
    let mut paths: BTreeSet<Path> =
        source.projections.iter().map(|projection| projection.path.clone()).collect();
    if let Some(filter) = &source.filter
        && !collect_paths(filter, source.out, &mut paths)
    {
        return None;
    }
    let hint = &source.hint;
    let info = context.catalog.collection(&source.collection.name).filter(|_| !hint.disabled)?;
    let covers =
        |index: &&IndexInfo| has_all_documents(index) && paths.iter().all(|path| is_in_entries(index, path));
    let hinted = |name: &str| info.indexes.iter().find(|index| *index.name == *name && covers(index));
    let index = match hint.names.iter().find_map(|name| hinted(name)) {
        Some(index) => index,
        None if hint.forced && !hint.names.is_empty() => return None,
        None => info.indexes.iter().find(covers)?,
    };
    Some(scan_whole(index, source))
}

fn is_in_entries(index: &IndexInfo, path: &[Box<str>]) -> bool {
    index.place_of(path).is_some_and(|place| match place {
        // Other indexes have keys in their entries too. But their entries are no shorter than
        // documents that are little more than a key.
        ProjectionSource::Key | ProjectionSource::Id => index.capabilities.clustered,
        _ => true,
    })
}

/// Returns true if every document has one entry in the index.
fn has_all_documents(index: &IndexInfo) -> bool {
    let is_complete = index.capabilities.ordered && !index.sparse && index.has_plain_fields();
    index.capabilities.clustered || is_complete
}
