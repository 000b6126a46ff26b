//! Into which gaps between the stored keys the documents of a load fall.
//!
//! A batch of a sorted dump falls into one gap. One that is put together from several places of a dump (a dump by many
//! threads has their batches in turn) falls into a few, and its documents can still be loaded as tables that overlap
//! nothing: one table a gap.

#[cfg(test)]
mod tests;

use std::ops::Range;

use kv::{BlockLimits, KeyRange, ScanSpec, Snapshot};

use crate::load::pairs::Pairs;
use crate::{Result, encoding};

/// Of more gaps the rest of the documents count as one. Batches of scattered keys are known by then.
const GAPS_MAX: usize = 16;

/// Positions of documents, gap by gap: at least `least` in each but the last, or all documents as if it were one.
/// What is stored may change at once: [`is_free`] tells for certain when others are kept out.
pub(super) fn find(documents: &Pairs, snapshot: &dyn Snapshot, least: usize) -> Result<Vec<Range<usize>>> {
    let all = 0..documents.len();
    let mut gaps = Vec::new();
    let mut start = 0;
    while gaps.len() < GAPS_MAX {
        let Some((first, last)) = documents.bounds(start..all.end) else { break };
        let Some(stored) = first_stored(snapshot, first, last)? else { break };
        let end = start + documents.count_below(start..all.end, &stored);
        if end - start < least {
            return Ok(std::iter::once(all).collect());
        }
        gaps.push(start..end);
        start = end;
    }
    gaps.push(start..all.end);
    Ok(gaps)
}

/// Whether no stored key lies between the first and the last of some documents.
pub(super) fn is_free(documents: &Pairs, gap: &Range<usize>, snapshot: &dyn Snapshot) -> Result<bool> {
    let Some((first, last)) = documents.bounds(gap.clone()) else { return Ok(true) };
    Ok(first_stored(snapshot, first, last)?.is_none())
}

/// The first stored key from `first` up to `last`.
fn first_stored(snapshot: &dyn Snapshot, first: &[u8], last: &[u8]) -> Result<Option<Vec<u8>>> {
    let range = KeyRange { start: first.to_vec(), end: encoding::successor(last.to_vec()) };
    let mut scan = snapshot.scan(ScanSpec::forward(range).keys_only())?;
    let found = scan.next_block(BlockLimits { rows: 1, bytes: 1 })?;
    Ok(found.and_then(|block| block.iter().next().map(|(key, _)| key.to_vec())))
}
