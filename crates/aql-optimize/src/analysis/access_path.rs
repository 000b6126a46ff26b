//! Index scans in the form in which rules put them into plans.

use aql_plan::{DocumentSource, IndexInfo, IndexLookup, IndexRange, IndexScan, JoinPart};

/// Returns a scan of the ranges.
pub(crate) fn new_scan(
    source: &DocumentSource,
    indexes: Vec<IndexInfo>,
    ranges: Vec<IndexRange>,
) -> IndexScan {
    let deduplicate = ranges.len() > 1 || ranges.iter().any(|range| finds_documents_twice(&indexes, range));
    IndexScan {
        source: source.clone(),
        indexes,
        ranges,
        deduplicate,
        ascending: true,
        ordered: false,
        sort_fields: Vec::new(),
        limit_each: None,
        join: JoinPart::None,
    }
}

/// Returns a scan of a whole index. As in ArangoDB, it does not use the index's cache.
pub(crate) fn scan_whole(index: &IndexInfo, source: &DocumentSource) -> IndexScan {
    let source = DocumentSource { use_cache: false, ..source.clone() };
    new_scan(&source, vec![index.clone()], vec![IndexRange::default()])
}

/// Returns true if a range may find a document more than once: several members of one array can
/// match `IN`.
fn finds_documents_twice(indexes: &[IndexInfo], range: &IndexRange) -> bool {
    let Some(index) = indexes.get(range.index) else { return true };
    let fields = index.fields.iter().skip(range.first_field);
    let by_members = fields
        .zip(&range.lookups)
        .any(|(field, lookup)| field.expansion.is_some() && matches!(lookup, IndexLookup::In(_)));
    // A field with [*] and without a lookup would return a document for each of its members.
    let given = range.first_field + range.lookups.len();
    by_members || index.fields.iter().skip(given).any(|field| field.expansion.is_some())
}
