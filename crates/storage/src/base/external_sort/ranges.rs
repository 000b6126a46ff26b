//! Division of sorted pairs by their keys, so that several threads get parts of similar size.

use std::ops::Range;
use std::sync::Arc;

use super::merge::Source;
use super::pairs::{Pairs, PairsReader};
use super::run::{Run, RunReader, start_of};

/// The distance between two samples of the pairs in memory. A range may begin at a sample.
const SAMPLE_STEP: usize = 256;

/// Sorted pairs that several readers may read concurrently.
#[derive(Clone)]
pub(super) enum Sorted {
    Run(Arc<Run>),
    Memory(Arc<Pairs>),
}

impl Sorted {
    /// Reads the pairs from one key up to another, which is excluded.
    pub(super) fn read(&self, range: &Range<Option<Arc<[u8]>>>, buffer_bytes: usize) -> Source {
        let (from, to) = (&range.start, &range.end);
        match self {
            Sorted::Run(run) => {
                Source::File(RunReader::new(Arc::clone(run), buffer_bytes, from.clone(), to.clone()))
            }
            Sorted::Memory(pairs) => {
                Source::Memory(PairsReader::new(Arc::clone(pairs), from.as_deref(), to.as_deref()))
            }
        }
    }
}

/// A key, and the approximate number of pairs up to the next sample of the same part.
type Sample<'a> = (&'a [u8], usize);

/// Divides all keys into at most `count` ranges with similar numbers of pairs.
pub(super) fn divide(sorted: &[Sorted], count: usize) -> Vec<Range<Option<Arc<[u8]>>>> {
    let mut samples: Vec<Sample<'_>> = Vec::new();
    for part in sorted.iter().filter(|_| count > 1) {
        match part {
            Sorted::Run(run) => samples.extend(run.samples().map(|key| (key, run.pairs_in_group()))),
            Sorted::Memory(pairs) => samples.extend(pairs.samples(SAMPLE_STEP).map(|key| (key, SAMPLE_STEP))),
        }
    }
    samples.sort_unstable();
    let all: usize = samples.iter().map(|(_, pairs)| pairs).sum();
    let (mut keys, mut before): (Vec<&[u8]>, usize) = (Vec::new(), 0);
    for (key, pairs) in samples {
        let share = keys.len() + 1;
        if share < count && before >= all / count * share && keys.last() != Some(&key) {
            keys.push(key);
        }
        before += pairs;
    }
    let keys: Vec<Option<Arc<[u8]>>> = keys.into_iter().map(|key| Some(start_of(key).into())).collect();
    let starts = std::iter::once(None).chain(keys.iter().cloned());
    let ends = keys.iter().cloned().chain(std::iter::once(None));
    starts.zip(ends).map(|(from, to)| from..to).collect()
}
