//! External sort, for more pairs than fit in memory. It writes sorted runs to temporary files and
//! merges them while several threads may read the result.

mod merge;
mod pairs;
mod ranges;
mod run;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use encryption::{TemporaryFile, TemporaryFolder};
use errors::{Error, ErrorCode, Result};

use merge::Merge;
use pairs::{CommonStart, PAIR_OVERHEAD_BYTES, Pairs};
use ranges::{Sorted, divide};
use run::{Run, RunWriter};

/// Maximum size in bytes of pairs in one sort in memory, so that they stay in the processor's
/// caches.
const PAIRS_BYTES_MAX: usize = 16 << 20;
/// Maximum number of runs in one merge; if there are more, some are merged into one run first.
const MERGE_RUNS_MAX: usize = 256;
/// The same for runs with keys so long that the keys of more runs exceed the budget.
const MERGE_LONG_RUNS_MAX: usize = 8;
/// The smallest and largest buffer of each run that is read or written.
const RUN_BUFFER_BYTES: (usize, usize) = (4 << 10, 64 << 10);
/// Bytes that are merged between two checks.
const BYTES_PER_CHECK: usize = 1 << 20;

/// A check that long work calls from time to time; its error ends the work.
pub type Check = Box<dyn FnMut() -> Result<()> + Send>;

/// A sorter of pairs. It takes them in any order, and keeps pairs with equal keys in the order in
/// which they were added.
pub struct Sorter {
    folder: TemporaryFolder,
    budget_bytes: usize,
    pairs: Pairs,
    is_sorted: bool,
    common: CommonStart,
    longest_key_bytes: usize,
    /// The runs, by the number of times that their pairs were merged.
    levels: Vec<Level>,
    check: Option<Check>,
}

/// The runs in one file.
#[derive(Default)]
struct Level {
    file: Option<Arc<TemporaryFile>>,
    /// The position at which the next run begins.
    end: u64,
    /// The runs, older ones first. Those of the next level are older than all of these.
    runs: Vec<Arc<Run>>,
}

impl Sorter {
    /// Makes a sorter that keeps at most about `budget_bytes` in memory, and the rest in temporary
    /// files in `folder`.
    pub fn new(folder: TemporaryFolder, budget_bytes: usize) -> Self {
        Sorter {
            folder,
            budget_bytes,
            pairs: Pairs::default(),
            is_sorted: false,
            common: CommonStart::default(),
            longest_key_bytes: 0,
            levels: Vec::new(),
            check: None,
        }
    }

    /// Adds a check, which the sorter calls during long work.
    pub fn with_check(self, check: Check) -> Self {
        Sorter { check: Some(check), ..self }
    }

    /// Adds a pair. Writes a run to a file when the budget is used up.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let added = key.len() + value.len() + PAIR_OVERHEAD_BYTES;
        let pairs_bytes_max = self.budget_bytes.min(PAIRS_BYTES_MAX);
        if self.pairs.size_bytes() + added > pairs_bytes_max && self.pairs.len() > 0 {
            self.write_run()?;
        }
        self.common.note(key);
        self.longest_key_bytes = self.longest_key_bytes.max(key.len());
        if added > pairs_bytes_max.max(RUN_BUFFER_BYTES.1) {
            // A copy would exceed the budget.
            let mut run = self.new_run(0)?;
            run.write(key, value)?;
            return self.end_run(run);
        }
        self.is_sorted = false;
        self.pairs.push(key, value, pairs_bytes_max)
    }

    /// Sorts the pairs in memory. If each thread does so for its own sorter, the one that finishes
    /// them all need not.
    pub(crate) fn sort(&mut self) {
        if !self.is_sorted {
            self.pairs.sort(self.common.length());
            self.is_sorted = true;
        }
    }

    /// Returns the pairs in ascending order of their keys.
    pub fn finish(self) -> Result<SortedPairs> {
        let ranges = Sorter::finish_in_ranges(vec![self], 1)?;
        ranges.into_iter().next().ok_or_else(|| Error::internal("sorted pairs have no range"))
    }

    /// Returns the pairs of several sorters in one ascending order, in at most `count` parts of
    /// similar size. Pairs with equal keys are in one part, in the order of their sorters.
    pub(crate) fn finish_in_ranges(sorters: Vec<Sorter>, count: usize) -> Result<Vec<SortedPairs>> {
        let count_of_sorters = sorters.len().max(1);
        let mut common = CommonStart::default();
        let mut buffer_bytes = RUN_BUFFER_BYTES.1;
        let mut sorted = Vec::new();
        for mut sorter in sorters {
            sorter.merge_down_to((sorter.merge_runs_max() / count_of_sorters).max(1))?;
            sorter.sort();
            common.note_all(&sorter.common);
            buffer_bytes = buffer_bytes.min(sorter.buffer_bytes());
            sorted.extend(sorter.levels.into_iter().rev().flat_map(|level| level.runs).map(Sorted::Run));
            sorted.push(Sorted::Memory(Arc::new(sorter.pairs)));
        }
        let ranges = divide(&sorted, count);
        let buffer_bytes = (buffer_bytes / ranges.len().max(1)).max(RUN_BUFFER_BYTES.0);
        let part = |range: Range<Option<Arc<[u8]>>>| {
            let sources = sorted.iter().map(|part| part.read(&range, buffer_bytes)).collect();
            Ok(SortedPairs { merge: Merge::start(sources, common.length())? })
        };
        ranges.into_iter().map(part).collect()
    }

    /// Returns a size at which the buffers of all runs in a merge need no more memory than the
    /// pairs did.
    fn buffer_bytes(&self) -> usize {
        (self.budget_bytes / MERGE_RUNS_MAX).clamp(RUN_BUFFER_BYTES.0, RUN_BUFFER_BYTES.1)
    }

    /// Returns the number of runs in one merge. Each has a key in its buffer and a copy of it.
    fn merge_runs_max(&self) -> usize {
        let affordable = self.budget_bytes / (2 * self.longest_key_bytes.max(1));
        affordable.clamp(MERGE_LONG_RUNS_MAX, MERGE_RUNS_MAX)
    }

    fn write_run(&mut self) -> Result<()> {
        self.sort();
        let mut run = self.new_run(0)?;
        self.pairs.iter().try_for_each(|(key, value)| run.write(key, value))?;
        self.pairs.clear();
        self.end_run(run)
    }

    /// Ends a run of new pairs, and merges runs where there are many.
    fn end_run(&mut self, run: RunWriter) -> Result<()> {
        self.add_run(0, run.finish()?);
        let mut level = 0;
        let runs_max = self.merge_runs_max();
        while self.levels.get(level).is_some_and(|level| level.runs.len() >= runs_max) {
            self.merge_level(level)?;
            level += 1;
        }
        Ok(())
    }

    /// Begins a run after the others of its level.
    fn new_run(&mut self, level: usize) -> Result<RunWriter> {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Level::default);
        }
        let buffer_bytes = self.buffer_bytes();
        let level =
            self.levels.get_mut(level).ok_or_else(|| Error::internal("a level of runs is missing"))?;
        let file = match &level.file {
            Some(file) => Arc::clone(file),
            None => {
                let file = self.folder.create().map_err(|error| failed("creating", &error))?;
                Arc::clone(level.file.insert(Arc::new(file)))
            }
        };
        Ok(RunWriter::new(file, level.end, buffer_bytes))
    }

    fn add_run(&mut self, level: usize, run: Run) {
        if let Some(level) = self.levels.get_mut(level) {
            level.end = run.end();
            level.runs.push(Arc::new(run));
        }
    }

    fn merge_down_to(&mut self, runs_max: usize) -> Result<()> {
        let mut level = 0;
        while self.levels.iter().map(|level| level.runs.len()).sum::<usize>() > runs_max {
            self.merge_level(level)?;
            level += 1;
        }
        Ok(())
    }

    /// Merges all runs of a level into one run of the next level.
    fn merge_level(&mut self, level: usize) -> Result<()> {
        let buffer_bytes = self.buffer_bytes();
        let taken = self.levels.get_mut(level).map(std::mem::take).unwrap_or_default();
        let sources = taken.runs.into_iter().map(|run| Sorted::Run(run).read(&(None..None), buffer_bytes));
        let mut merge = Merge::start(sources.collect(), self.common.length())?;
        let mut run = self.new_run(level + 1)?;
        let mut bytes = 0;
        while merge.advance()? {
            run.write(merge.key(), merge.value())?;
            bytes += merge.key().len() + merge.value().len() + PAIR_OVERHEAD_BYTES;
            if bytes >= BYTES_PER_CHECK {
                bytes = 0;
                self.check.as_mut().map_or(Ok(()), |check| check())?;
            }
        }
        let run = run.finish()?;
        self.add_run(level + 1, run);
        Ok(())
    }
}

/// Pairs in ascending order of their keys.
pub struct SortedPairs {
    merge: Merge,
}

impl SortedPairs {
    /// Returns the next key and value; `None` after the last one.
    pub fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        Ok(self.merge.advance()?.then(|| (self.merge.key(), self.merge.value())))
    }
}

fn failed(action: &str, error: &std::io::Error) -> Error {
    let number = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorCode::FilesystemFull,
        _ => ErrorCode::Internal,
    };
    Error::new(number, format!("{action} a temporary file for sorting failed: {error}"))
}
