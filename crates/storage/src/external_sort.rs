//! Sorts more pairs than fit in memory: sorted runs in temporary files, merged while they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::{Error, Result};

/// Runs that are merged at one time; more are merged into one first, so that few files are open.
const MERGE_RUNS_MAX: usize = 64;
/// Smallest and largest buffer of each run that is read or written.
const RUN_BUFFER_BYTES: (usize, usize) = (4 << 10, 64 << 10);
/// Memory of a pair besides its bytes.
const PAIR_OVERHEAD_BYTES: usize = size_of::<Position>();
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
    /// Runs by how often their pairs were merged; in each level, and of each level before the one below, older first.
    levels: Vec<Vec<File>>,
    check: Option<Check>,
}

#[derive(Clone, Copy)]
struct Position {
    start: usize,
    value_start: usize,
    end: usize,
}

impl Sorter {
    /// A sorter that keeps at most about `budget_bytes` in memory, and more in temporary files in `folder`.
    pub fn new(folder: PathBuf, budget_bytes: usize) -> Self {
        let (bytes, positions) = (Vec::new(), Vec::new());
        Sorter { folder, budget_bytes, bytes, positions, levels: Vec::new(), check: None }
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
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let value_start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.positions.push(Position { start, value_start, end: self.bytes.len() });
        Ok(())
    }

    /// The pairs in ascending order of their keys.
    pub fn finish(mut self) -> Result<SortedPairs> {
        if self.levels.is_empty() {
            self.sort();
            return Ok(SortedPairs { source: Source::Memory { sorter: self, next: 0 } });
        }
        if !self.positions.is_empty() {
            self.write_run()?;
        }
        let mut level = 0;
        while self.levels.iter().map(Vec::len).sum::<usize>() > MERGE_RUNS_MAX {
            self.merge_level(level)?;
            level += 1;
        }
        let runs = std::mem::take(&mut self.levels).into_iter().rev().flatten();
        Ok(SortedPairs { source: Source::Files(Merge::start(runs, self.buffer_bytes())?) })
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |position: &Position| bytes.get(position.start..position.value_start).unwrap_or_default();
        self.positions.sort_by(|a, b| key(a).cmp(key(b)));
    }

    /// So that the buffers of all runs that are merged take no more than what is in memory before.
    fn buffer_bytes(&self) -> usize {
        (self.budget_bytes / MERGE_RUNS_MAX).clamp(RUN_BUFFER_BYTES.0, RUN_BUFFER_BYTES.1)
    }

    fn write_run(&mut self) -> Result<()> {
        self.sort();
        let mut run = RunWriter::create(&self.folder, self.buffer_bytes())?;
        for position in &self.positions {
            let part = |start, end| self.bytes.get(start..end).unwrap_or_default();
            run.write(part(position.start, position.value_start), part(position.value_start, position.end))?;
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

    /// Makes one run of the next level of all runs of a level.
    fn merge_level(&mut self, level: usize) -> Result<()> {
        let runs = self.levels.get_mut(level).map(std::mem::take).unwrap_or_default();
        let mut merge = Merge::start(runs.into_iter(), self.buffer_bytes())?;
        let mut run = RunWriter::create(&self.folder, self.buffer_bytes())?;
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
    source: Source,
}

enum Source {
    Memory { sorter: Sorter, next: usize },
    Files(Merge),
}

impl SortedPairs {
    /// The next key and value.
    #[allow(clippy::should_implement_trait, reason = "what it answers is borrowed from it")]
    pub fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        match &mut self.source {
            Source::Memory { sorter, next } => {
                let Some(position) = sorter.positions.get(*next) else { return Ok(None) };
                *next += 1;
                let part = |start, end| sorter.bytes.get(start..end).unwrap_or_default();
                let pair =
                    (part(position.start, position.value_start), part(position.value_start, position.end));
                Ok(Some(pair))
            }
            Source::Files(merge) => {
                let found = merge.advance()?;
                Ok(found.then(|| (merge.key(), merge.value())))
            }
        }
    }
}

/// Writes a run: for each pair the lengths of key and value (4 bytes each, little-endian), then both.
struct RunWriter {
    writer: BufWriter<File>,
}

impl RunWriter {
    fn create(folder: &PathBuf, buffer_bytes: usize) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|error| failed("creating", &error))?;
        Ok(RunWriter { writer: BufWriter::with_capacity(buffer_bytes, file) })
    }

    fn write(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let length = |part: &[u8]| u32::try_from(part.len()).map(u32::to_le_bytes);
        let (Ok(key_length), Ok(value_length)) = (length(key), length(value)) else {
            return Err(Error::internal("a pair of more than 4 GiB was to be sorted"));
        };
        [&key_length[..], &value_length[..], key, value]
            .into_iter()
            .try_for_each(|part| self.writer.write_all(part))
            .map_err(|error| failed("writing", &error))
    }

    fn finish(self) -> Result<File> {
        let mut file = self.writer.into_inner().map_err(|error| failed("writing", error.error()))?;
        file.seek(SeekFrom::Start(0)).map_err(|error| failed("reading", &error))?;
        Ok(file)
    }
}

/// Reads a run, one pair at a time.
struct RunReader {
    reader: BufReader<File>,
    value: Vec<u8>,
}

impl RunReader {
    /// Reads the next pair: the value into the reader, the key into `key`. `false` behind the last.
    fn read(&mut self, key: &mut Vec<u8>) -> Result<bool> {
        let mut lengths = [0; 8];
        match self.reader.read_exact(&mut lengths) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(failed("reading", &error)),
        }
        let lengths = u64::from_le_bytes(lengths);
        let (key_length, value_length) = (lengths as u32 as usize, (lengths >> 32) as usize);
        key.resize(key_length, 0);
        self.value.resize(value_length, 0);
        self.reader
            .read_exact(key)
            .and_then(|()| self.reader.read_exact(&mut self.value))
            .map_err(|error| failed("reading", &error))?;
        Ok(true)
    }
}

/// Merges runs. The run whose pair is the present one is refilled when the next is asked for.
struct Merge {
    readers: Vec<RunReader>,
    /// The next key of each run with the run's number, least first; among equal keys the earlier run.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    present: Option<(Vec<u8>, usize)>,
}

impl Merge {
    fn start(runs: impl Iterator<Item = File>, buffer_bytes: usize) -> Result<Self> {
        let reader =
            |file| RunReader { reader: BufReader::with_capacity(buffer_bytes, file), value: Vec::new() };
        let readers: Vec<RunReader> = runs.map(reader).collect();
        let mut merge = Merge { heads: BinaryHeap::with_capacity(readers.len()), readers, present: None };
        for number in 0..merge.readers.len() {
            merge.refill(number, Vec::new())?;
        }
        Ok(merge)
    }

    fn refill(&mut self, number: usize, mut key: Vec<u8>) -> Result<()> {
        if let Some(reader) = self.readers.get_mut(number)
            && reader.read(&mut key)?
        {
            self.heads.push(Reverse((key, number)));
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<bool> {
        if let Some((key, number)) = self.present.take() {
            self.refill(number, key)?;
        }
        self.present = self.heads.pop().map(|Reverse(head)| head);
        Ok(self.present.is_some())
    }

    fn key(&self) -> &[u8] {
        self.present.as_ref().map_or(&[], |(key, _)| key)
    }

    fn value(&self) -> &[u8] {
        let reader = self.present.as_ref().and_then(|(_, number)| self.readers.get(*number));
        reader.map_or(&[], |reader| &reader.value)
    }
}

fn failed(action: &str, error: &std::io::Error) -> Error {
    let number = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => catalog::error_number::FILESYSTEM_FULL,
        _ => catalog::error_number::INTERNAL,
    };
    Error::new(number, format!("{action} a temporary file for sorting failed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sort(pairs: &[(Vec<u8>, Vec<u8>)], budget_bytes: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut sorter = Sorter::new(std::env::temp_dir(), budget_bytes);
        for (key, value) in pairs {
            sorter.add(key, value).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let mut all = Vec::new();
        while let Some((key, value)) = sorted.next().unwrap() {
            all.push((key.to_vec(), value.to_vec()));
        }
        all
    }

    proptest! {
        #[test]
        fn any_budget_gives_the_order_of_a_stable_sort(
            pairs in prop::collection::vec((prop::collection::vec(0u8..4, 0..4), prop::collection::vec(any::<u8>(), 0..4)), 0..200),
            budget_bytes in 1usize..5000,
        ) {
            let mut expected = pairs.clone();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(sort(&pairs, budget_bytes), expected);
        }
    }

    #[test]
    fn more_runs_than_are_merged_at_once() {
        for count in [500u32, 5_000] {
            // Keys that occur often, with values that tell in which order they came.
            let pairs: Vec<_> = (0..count)
                .map(|n| (vec![(n.wrapping_mul(7919) % 251) as u8], n.to_be_bytes().to_vec()))
                .collect();
            let mut expected = pairs.clone();
            expected.sort();
            assert_eq!(sort(&pairs, 1), expected);
        }
    }

    #[test]
    fn merging_can_be_ended() {
        let stop = || Err(Error::new(1500, "query killed"));
        let mut sorter = Sorter::new(std::env::temp_dir(), 1).with_check(Box::new(stop));
        let value = vec![0; BYTES_PER_CHECK / 8];
        let added = (0..1000u32).try_for_each(|n| sorter.add(&n.to_be_bytes(), &value));
        assert_eq!(added.unwrap_err().number(), 1500);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named_as_the_reason() {
        let mut sorter = Sorter::new("/does/not/exist".into(), 1);
        sorter.add(b"a", b"").unwrap();
        let message = sorter.add(b"b", b"").unwrap_err().to_string();
        assert!(message.contains("creating a temporary file"), "{message}");
    }
}
