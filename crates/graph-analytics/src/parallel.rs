//! Parallel loops over vertices whose result does not depend on the number of threads.

use std::ops::Range;

use errors::Result;
use rayon::prelude::*;

use crate::work::Work;

/// The vertices that a thread takes at a time. Small, because a few vertices may have most of the
/// edges.
pub const CHUNK: usize = 2_048;

/// Returns the parts of `0..count` that threads take, in order.
pub fn chunks(count: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let chunk_of = move |i: usize| i * CHUNK..count.min((i + 1) * CHUNK);
    (0..count.div_ceil(CHUNK)).into_par_iter().map(chunk_of)
}

/// Calls `work_on` for each part of `0..count`.
pub fn for_each(
    work: &Work,
    count: usize,
    work_on: impl Fn(Range<usize>) -> Result<()> + Sync,
) -> Result<()> {
    chunks(count).try_for_each(|range| {
        work.check()?;
        work_on(range)
    })
}

/// Fills `out`: `fill` gets the position of the first element of each part, and the part.
pub fn fill<T: Send>(
    work: &Work,
    out: &mut [T],
    fill: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    out.par_chunks_mut(CHUNK).enumerate().try_for_each(|(i, part)| {
        work.check()?;
        fill(i * CHUNK, part)
    })
}

/// Returns the sum of `sum_of` over all parts of `0..count`, which are added in order.
pub fn sum(work: &Work, count: usize, sum_of: impl Fn(Range<usize>) -> f64 + Sync) -> Result<f64> {
    let parts: Result<Vec<f64>> = chunks(count)
        .map(|range| {
            work.check()?;
            Ok(sum_of(range))
        })
        .collect();
    Ok(parts?.into_iter().sum())
}

/// Fills `out` as [`fill`], and returns the sum of the numbers that `fill` returns, added in order.
pub fn fill_and_sum<T: Send>(
    work: &Work,
    out: &mut [T],
    fill: impl Fn(usize, &mut [T]) -> Result<f64> + Sync,
) -> Result<f64> {
    let parts: Result<Vec<f64>> = out
        .par_chunks_mut(CHUNK)
        .enumerate()
        .map(|(i, part)| {
            work.check()?;
            fill(i * CHUNK, part)
        })
        .collect();
    Ok(parts?.into_iter().sum())
}
