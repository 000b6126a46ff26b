//! Hits in the primary sort order of their indexes.
//!
//! Segments are not sorted. The sort keys of all hits are compared, which reads no document unless
//! some were written after they were indexed.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use aql_value::Charge;
use errors::Result;
use search::{Hit, Hits, SearchSnapshot};
use storage::SearchState;

use super::documents::{QueryOn, visible};
use super::{Found, ViewParts};
use crate::context::ExecutionContext;

/// Hits between two checks for an interrupt, and hits whose documents are checked together.
const HITS_AT_ONCE: usize = 1000;

/// The hits in order.
pub(super) struct SortedHits {
    hits: std::vec::IntoIter<Entry>,
    _charge: Charge,
}

/// A hit with the beginning of its sort key.
#[derive(Clone, Copy)]
struct Entry {
    beginning: u64,
    hit: Hit,
}

/// The sort keys of hits.
struct Keys {
    snapshot: Arc<SearchSnapshot>,
    /// Those of documents that were written since they were indexed.
    newer: HashMap<Hit, Vec<u8>>,
}

impl SortedHits {
    /// Sorts the hits of a search, or finds the first `kept` of them.
    ///
    /// All of them are visible to the query.
    pub(super) fn find(
        mut hits: Hits,
        kept: Option<u64>,
        parts: &ViewParts,
        state: &SearchState,
        query_on: QueryOn<'_>,
        context: &mut ExecutionContext,
    ) -> Result<SortedHits> {
        let kept = kept.map_or(usize::MAX, |kept| usize::try_from(kept).unwrap_or(usize::MAX));
        let mut keys = Keys { snapshot: Arc::clone(state.snapshot()), newer: HashMap::new() };
        let mut charge = context.new_charge();
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            context.interrupt.check()?;
            let mut found = Vec::new();
            while found.len() < HITS_AT_ONCE {
                let Some(hit) = hits.advance()? else { break };
                found.push(Found { hit, scores: Box::default() });
            }
            if found.is_empty() {
                break;
            }
            context.statistics.scanned_index += found.len() as u64;
            let rows: Vec<usize> = match parts.is_exact {
                true => (0..found.len()).collect(),
                false => {
                    let visible = visible(&found, parts, state, query_on, context)?;
                    for (row, key) in visible.newer_keys {
                        charge.grow(key.len() as u64)?;
                        found.get(row).into_iter().for_each(|found| {
                            keys.newer.insert(found.hit, key.clone());
                        });
                    }
                    visible.rows
                }
            };
            charge.grow((rows.len() * size_of::<Entry>()) as u64)?;
            entries.extend(rows.iter().filter_map(|row| Some(keys.entry(found.get(*row)?.hit))));
            if entries.len() / 2 > kept.max(HITS_AT_ONCE) {
                entries.sort_unstable_by(|left, right| keys.compare(left, right));
                charge.shrink((entries.len().saturating_sub(kept) * size_of::<Entry>()) as u64);
                entries.truncate(kept);
            }
        }
        entries.sort_unstable_by(|left, right| keys.compare(left, right));
        entries.truncate(kept);
        Ok(SortedHits { hits: entries.into_iter(), _charge: charge })
    }

    /// Returns the next hits, at most `wanted`.
    pub(super) fn next(&mut self, wanted: usize) -> Vec<Found> {
        let hits = self.hits.by_ref().take(wanted);
        hits.map(|entry| Found { hit: entry.hit, scores: Box::default() }).collect()
    }

    /// Returns the number of hits that follow.
    pub(super) fn len(&self) -> usize {
        self.hits.len()
    }
}

impl Keys {
    fn of(&self, hit: Hit) -> &[u8] {
        if let Some(key) = self.newer.get(&hit) {
            return key;
        }
        let part = self.snapshot.parts().get(hit.segment as usize);
        // The sort key is the first column.
        part.map_or(&[], |part| part.segment.column(hit.document, 0))
    }

    fn entry(&self, hit: Hit) -> Entry {
        let mut beginning = [0; 8];
        beginning.iter_mut().zip(self.of(hit)).for_each(|(byte, own)| *byte = *own);
        Entry { beginning: u64::from_be_bytes(beginning), hit }
    }

    fn compare(&self, left: &Entry, right: &Entry) -> Ordering {
        let by_beginning = left.beginning.cmp(&right.beginning);
        by_beginning.then_with(|| self.of(left.hit).cmp(self.of(right.hit))).then(left.hit.cmp(&right.hit))
    }
}
