//! The condition of a search, judged again for one document.

use std::sync::Arc;

use aql_value::{Interrupt, Value};
use errors::Result;
use search::{Hits, Place, Query, SearchSnapshot, SegmentWriter};
use storage::Index;

/// Returns true if the document, as it is now, satisfies the condition.
///
/// It is indexed alone, so the answer is that of the index once it has the document.
pub(super) fn matches(
    index: &Arc<Index>,
    revision: u64,
    document: &Value,
    query: &Query,
    interrupt: &Interrupt,
) -> Result<bool> {
    let Some(schema) = index.search_schema() else { return Ok(false) };
    let mut writer = SegmentWriter::new(Arc::clone(schema), &Place::Memory, 0)?;
    document.with_slice(|slice, _| {
        let key = slice.get("_key").and_then(|key| key.as_str()).unwrap_or_default();
        writer.add(key, revision, slice, interrupt)
    })?;
    let mut snapshot = SearchSnapshot::default();
    snapshot.add(Arc::new(writer.finish()?));
    let found = Hits::new(Arc::new(snapshot), query, &[], interrupt)?.advance()?;
    Ok(found.is_some())
}
