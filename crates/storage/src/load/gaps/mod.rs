//! The gaps between stored keys into which the documents of a load fall.
//!
//! A batch of a sorted dump falls into one gap. A dump by many threads interleaves their batches,
//! so that a batch comes from several places and falls into a few gaps. Its documents can still be
//! loaded as tables that overlap nothing: one table for each gap.

#[cfg(test)]
mod tests;

use std::ops::Range;

use errors::Result;
use kv::{BlockLimits, KeyRange, ScanSpec, Snapshot};

use crate::encoding;
use crate::load::pairs::Pairs;

/// Beyond this number of gaps, the remaining documents count as one gap. Batches with scattered
/// keys have been recognized by then.
const GAPS_MAX: usize = 16;

/// Returns the positions of documents, gap by gap: at least `least` in each gap but the last, or
/// all documents as if they were in one gap. The stored keys may change immediately afterwards.
/// [`is_free`] gives a reliable answer once other writers are kept out.
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

/// Returns true if no stored key lies between the first and the last key of a range of documents.
pub(super) fn is_free(documents: &Pairs, gap: &Range<usize>, snapshot: &dyn Snapshot) -> Result<bool> {
    let Some((first, last)) = documents.bounds(gap.clone()) else { return Ok(true) };
    Ok(first_stored(snapshot, first, last)?.is_none())
}

/// Returns the first stored key from `first` through `last`.
fn first_stored(snapshot: &dyn Snapshot, first: &[u8], last: &[u8]) -> Result<Option<Vec<u8>>> {
    let range = KeyRange { start: first.to_vec(), end: encoding::successor(last.to_vec()) };
    let mut scan = snapshot.scan(ScanSpec::forward(range).keys_only())?;
    let found = scan.next_block(BlockLimits { rows: 1, bytes: 1 })?;
    Ok(found.and_then(|block| block.iter().next().map(|(key, _)| key.to_vec())))
}
