//! Sorts more pairs than fit in memory: sorted runs in temporary files, merged while they are read.
//!
//! Keys that are sorted together have much in common: they begin with an object's number and often with a
//! collection's name. Behind what all of them begin with, the next bytes are kept beside each pair, so that few
//! comparisons go to the keys.

mod merge;
mod run;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::PathBuf;

use crate::{Error, Result};
use merge::{Merge, Source};
use run::{RunReader, RunWriter};

/// Runs that are merged at one time; more are merged into one first, so that few files are open.
const MERGE_RUNS_MAX: usize = 64;
/// Smallest and largest buffer of each run that is read or written.
const RUN_BUFFER_BYTES: (usize, usize) = (4 << 10, 64 << 10);
/// Memory of a pair besides its bytes.
const PAIR_OVERHEAD_BYTES: usize = size_of::<Position>();
/// Pairs after which room is made for all that will fit into the budget, so that they are not moved again and again;
/// and how much at most.
const PAIRS_BEFORE_ROOM: usize = 16 << 10;
const ROOM_BYTES_MAX: usize = 256 << 20;
/// Bytes that are merged between two checks whether to go on.
const BYTES_PER_CHECK: usize = 1 << 20;

/// Asked from time to time in long work; its error ends the work.
pub type Check = Box<dyn FnMut() -> Result<()> + Send>;

/// Takes pairs in any order. Pairs with equal keys stay in the order in which they were added.
pub struct Sorter {
    folder: PathBuf,
    budget_bytes: usize,
    bytes: Vec<u8>,
    positions: Vec<Position>,
    common: CommonStart,
    /// Runs by how often their pairs were merged; in each level, and of each level before the one below, older first.
    levels: Vec<Vec<File>>,
    check: Option<Check>,
}

/// Where a pair lies: the key from `start`, the value behind it.
#[derive(Clone, Copy)]
struct Position {
    /// Of the key, behind what all keys have in common; known when they are sorted.
    head: Head,
    start: usize,
    key_length: u32,
    value_length: u32,
}

/// The first 16 bytes of (the rest of) a key, those that are not there as zeros. Where two differ they tell the order
/// of the keys.
type Head = u128;

fn head_of(key: &[u8]) -> Head {
    let mut bytes = [0; size_of::<Head>()];
    let length = key.len().min(bytes.len());
    if let (Some(bytes), Some(key)) = (bytes.get_mut(..length), key.get(..length)) {
        bytes.copy_from_slice(key);
    }
    Head::from_be_bytes(bytes)
}

/// What all keys begin with.
#[derive(Default)]
struct CommonStart {
    bytes: Option<Vec<u8>>,
}

impl CommonStart {
    fn note(&mut self, key: &[u8]) {
        match &mut self.bytes {
            None => self.bytes = Some(key.to_vec()),
            Some(bytes) if key.starts_with(bytes) => {}
            Some(bytes) => {
                bytes.truncate(bytes.iter().zip(key).take_while(|(own, other)| own == other).count())
            }
        }
    }

    fn length(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len)
    }
}

impl Sorter {
    /// A sorter that keeps at most about `budget_bytes` in memory, and more in temporary files in `folder`.
    pub fn new(folder: PathBuf, budget_bytes: usize) -> Self {
        Sorter {
            folder,
            budget_bytes,
            bytes: Vec::new(),
            positions: Vec::new(),
            common: CommonStart::default(),
            levels: Vec::new(),
            check: None,
        }
    }

    /// The same, asking `check` whether to go on wherever one call takes long.
    pub fn with_check(self, check: Check) -> Self {
        Sorter { check: Some(check), ..self }
    }

    /// Takes a pair. A run is written to a file when the budget is used up.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let added = key.len() + value.len() + PAIR_OVERHEAD_BYTES;
        let used = self.bytes.len() + self.positions.len() * PAIR_OVERHEAD_BYTES;
        if used + added > self.budget_bytes && !self.positions.is_empty() {
            self.write_run()?;
        }
        let (Ok(key_length), Ok(value_length)) = (u32::try_from(key.len()), u32::try_from(value.len()))
        else {
            return Err(Error::internal("a pair of more than 4 GiB was to be sorted"));
        };
        self.common.note(key);
        self.positions.push(Position { head: 0, start: self.bytes.len(), key_length, value_length });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        if self.positions.len() == PAIRS_BEFORE_ROOM {
            self.make_room();
        }
        Ok(())
    }

    /// For as many pairs like those so far as the budget allows. What is not used then is never touched.
    fn make_room(&mut self) {
        let pair_bytes = self.bytes.len() / PAIRS_BEFORE_ROOM + PAIR_OVERHEAD_BYTES;
        let more = (self.budget_bytes.min(ROOM_BYTES_MAX) / pair_bytes).saturating_sub(PAIRS_BEFORE_ROOM);
        self.positions.reserve_exact(more);
        self.bytes.reserve_exact(more * (pair_bytes - PAIR_OVERHEAD_BYTES));
    }

    /// The pairs in ascending order of their keys.
    pub fn finish(self) -> Result<SortedPairs> {
        Sorter::finish_together(vec![self])
    }

    /// The pairs of several sorters in one ascending order. Pairs with equal keys come in the order of their sorters.
    pub fn finish_together(mut sorters: Vec<Sorter>) -> Result<SortedPairs> {
        if let [sorter] = sorters.as_mut_slice()
            && sorter.levels.is_empty()
        {
            sorter.sort();
            return Ok(SortedPairs { pairs: Pairs::Memory(sorters.pop().map(InMemory::new)) });
        }
        let runs_max = MERGE_RUNS_MAX / sorters.len().max(1);
        let mut common = CommonStart::default();
        let mut sources = Vec::new();
        for mut sorter in sorters {
            if let Some(bytes) = &sorter.common.bytes {
                common.note(bytes);
            }
            sorter.merge_down_to(runs_max.max(1))?;
            let buffer_bytes = sorter.buffer_bytes();
            let files = std::mem::take(&mut sorter.levels).into_iter().rev().flatten();
            sources.extend(files.map(|file| Source::File(RunReader::new(file, buffer_bytes))));
            sorter.sort();
            sources.push(Source::Memory(InMemory::new(sorter)));
        }
        Ok(SortedPairs { pairs: Pairs::Merged(Merge::start(sources, common.length())?) })
    }

    fn sort(&mut self) {
        let (bytes, common) = (&self.bytes, self.common.length());
        for position in &mut self.positions {
            position.head = head_of(position.key(bytes).get(common..).unwrap_or_default());
        }
        let by_key = |a: &Position, b: &Position| a.key(bytes).cmp(b.key(bytes));
        self.positions.sort_by(|a, b| a.head.cmp(&b.head).then_with(|| by_key(a, b)));
    }

    /// So that the buffers of all runs that are merged take no more than what is in memory before.
    fn buffer_bytes(&self) -> usize {
        (self.budget_bytes / MERGE_RUNS_MAX).clamp(RUN_BUFFER_BYTES.0, RUN_BUFFER_BYTES.1)
    }

    fn write_run(&mut self) -> Result<()> {
        self.sort();
        let mut run = RunWriter::create(&self.folder, self.buffer_bytes())?;
        for position in &self.positions {
            run.write(position.key(&self.bytes), position.value(&self.bytes))?;
        }
        self.bytes.clear();
        self.positions.clear();
        let run = run.finish()?;
        self.add_run(0, run);
        let mut level = 0;
        while self.levels.get(level).is_some_and(|runs| runs.len() >= MERGE_RUNS_MAX) {
            self.merge_level(level)?;
            level += 1;
        }
        Ok(())
    }

    fn add_run(&mut self, level: usize, run: File) {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        if let Some(runs) = self.levels.get_mut(level) {
            runs.push(run);
        }
    }

    fn merge_down_to(&mut self, runs_max: usize) -> Result<()> {
        let mut level = 0;
        while self.levels.iter().map(Vec::len).sum::<usize>() > runs_max {
            self.merge_level(level)?;
            level += 1;
        }
        Ok(())
    }

    /// Makes one run of the next level of all runs of a level.
    fn merge_level(&mut self, level: usize) -> Result<()> {
        let buffer_bytes = self.buffer_bytes();
        let runs = self.levels.get_mut(level).map(std::mem::take).unwrap_or_default();
        let sources = runs.into_iter().map(|file| Source::File(RunReader::new(file, buffer_bytes)));
        let mut merge = Merge::start(sources.collect(), self.common.length())?;
        let mut run = RunWriter::create(&self.folder, buffer_bytes)?;
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

impl Position {
    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start..self.start + self.key_length as usize).unwrap_or_default()
    }

    fn value<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let start = self.start + self.key_length as usize;
        bytes.get(start..start + self.value_length as usize).unwrap_or_default()
    }
}

/// What a sorter has in memory, sorted, pair by pair.
struct InMemory {
    sorter: Sorter,
    /// The number of the present pair, and one more.
    next: usize,
}

impl InMemory {
    fn new(sorter: Sorter) -> Self {
        InMemory { sorter, next: 0 }
    }

    /// Goes on to the next pair. `false` behind the last.
    fn advance(&mut self) -> bool {
        let is_there = self.next < self.sorter.positions.len();
        self.next += usize::from(is_there);
        is_there
    }

    fn present(&self) -> Option<&Position> {
        self.sorter.positions.get(self.next.checked_sub(1)?)
    }

    fn key(&self) -> &[u8] {
        self.present().map_or(&[], |position| position.key(&self.sorter.bytes))
    }

    fn value(&self) -> &[u8] {
        self.present().map_or(&[], |position| position.value(&self.sorter.bytes))
    }
}

/// Pairs in ascending order of their keys.
pub struct SortedPairs {
    pairs: Pairs,
}

enum Pairs {
    Memory(Option<InMemory>),
    Merged(Merge),
}

impl SortedPairs {
    /// The next key and value.
    pub fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        match &mut self.pairs {
            Pairs::Memory(None) => Ok(None),
            Pairs::Memory(Some(pairs)) => Ok(pairs.advance().then(|| (pairs.key(), pairs.value()))),
            Pairs::Merged(merge) => Ok(merge.advance()?.then(|| (merge.key(), merge.value()))),
        }
    }
}

fn failed(action: &str, error: &std::io::Error) -> Error {
    let number = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            catalog::error_number::FILESYSTEM_FULL
        }
        _ => catalog::error_number::INTERNAL,
    };
    Error::new(number, format!("{action} a temporary file for sorting failed: {error}"))
}
