//! From hits to the documents that the query sees.

use std::collections::BTreeMap;

use aql_value::Value;
use errors::Result;
use search::Query;
use storage::{Revision, SearchState};

use super::judge::matches;
use super::{Found, ViewParts};
use crate::context::ExecutionContext;

/// Returns the query for a document that is the only one of an index.
pub(super) type QueryOn<'q> = &'q dyn Fn(&Value, &ExecutionContext) -> Result<Query>;

/// The hits that are visible to the query.
#[derive(Default)]
pub(super) struct Visible {
    /// Their places among the hits, ascending.
    pub(super) rows: Vec<usize>,
    /// Their documents; nulls if nobody reads them.
    pub(super) documents: Vec<Value>,
    /// The bytes that were fetched.
    pub(super) bytes: usize,
    /// The places of those that were written after they were indexed, with the sort keys that they
    /// have now; empty if the search is not sorted.
    pub(super) newer_keys: Vec<(usize, Vec<u8>)>,
}

/// A document that was written after it was indexed.
struct Newer {
    owner: usize,
    row: usize,
    revision: u64,
    document: Value,
}

/// Fetches the documents of hits, and omits those that the query does not see.
pub(super) fn visible(
    found: &[Found],
    parts: &ViewParts,
    state: &SearchState,
    query_on: QueryOn<'_>,
    context: &mut ExecutionContext,
) -> Result<Visible> {
    if parts.is_exact && !parts.reads_documents {
        let documents = vec![Value::Null; found.len()];
        return Ok(Visible { rows: (0..found.len()).collect(), documents, ..Visible::default() });
    }
    let segments = state.snapshot().parts();
    let mut rows_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (row, found) in found.iter().enumerate() {
        rows_of.entry(state.owner(found.hit)).or_default().push(row);
    }
    let snapshot = context.data.start().clone();
    let mut memory = context.new_charge();
    let mut documents: Vec<Option<Value>> = Vec::new();
    documents.resize_with(found.len(), || None);
    let (mut newer, mut bytes) = (Vec::new(), 0);
    for (owner, rows) in rows_of {
        let Some((collection, _)) = parts.indexes.get(owner) else { continue };
        let hits: Vec<(usize, &str, u64)> = rows
            .iter()
            .filter_map(|row| {
                let hit = found.get(*row)?.hit;
                let segment = &segments.get(hit.segment as usize)?.segment;
                Some((*row, segment.key(hit.document), segment.revision(hit.document)))
            })
            .collect();
        let keys: Vec<&str> = hits.iter().map(|(_, key, _)| *key).collect();
        let mut hits = hits.iter();
        snapshot.get_all(collection, &keys, |read| {
            memory.grow(read.block.bytes.len() as u64)?;
            bytes += read.block.bytes.len();
            for (place, (row, _, revision)) in (0..read.len()).zip(hits.by_ref()) {
                let (Some(document), Some(offset)) = (read.get(place), read.offsets.get(place)) else {
                    continue;
                };
                let Some(offset) = offset else { continue };
                context.statistics.document_lookups += 1;
                let now = document.get("_rev").and_then(|rev| rev.as_str()).and_then(Revision::parse);
                let value = Value::in_block(&read.block, *offset);
                match now {
                    Some(now) if now.0 != *revision => {
                        newer.push(Newer { owner, row: *row, revision: now.0, document: value });
                    }
                    _ => {
                        if let Some(place) = documents.get_mut(*row) {
                            *place = Some(value);
                        }
                    }
                }
            }
            Ok(())
        })?;
    }
    let mut newer_keys = Vec::new();
    for Newer { owner, row, revision, document } in newer {
        let Some((_, index)) = parts.indexes.get(owner) else { continue };
        let query = query_on(&document, context)?;
        if matches(index, revision, &document, &query, &context.interrupt)?
            && let Some(place) = documents.get_mut(row)
        {
            if let Some(schema) = index.search_schema().filter(|_| parts.is_sorted) {
                newer_keys.push((row, document.with_slice(|slice, _| schema.sort_key(slice))));
            }
            *place = Some(document);
        }
    }
    let mut visible = Visible { bytes, newer_keys, ..Visible::default() };
    for (row, document) in documents.into_iter().enumerate() {
        if let Some(document) = document {
            visible.rows.push(row);
            visible.documents.push(if parts.reads_documents { document } else { Value::Null });
        }
    }
    Ok(visible)
}
