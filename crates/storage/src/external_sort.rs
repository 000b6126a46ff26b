//! Sorts more pairs than fit in memory: sorted runs in temporary files, merged while they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::{Error, Result};

/// Runs that are merged at one time; more are merged into one first, so that few files are open.
const MERGE_RUNS_MAX: usize = 64;
/// Buffer of each run that is read or written.
const RUN_BUFFER_BYTES: usize = 64 << 10;
/// Memory of a pair besides its bytes.
const PAIR_OVERHEAD_BYTES: usize = size_of::<Position>();

/// Takes pairs in any order. Pairs with equal keys stay in the order in which they were added.
pub struct Sorter {
    folder: PathBuf,
    budget_bytes: usize,
    bytes: Vec<u8>,
    positions: Vec<Position>,
    runs: Vec<File>,
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
        Sorter { folder, budget_bytes, bytes: Vec::new(), positions: Vec::new(), runs: Vec::new() }
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
        if self.runs.is_empty() {
            self.sort();
            return Ok(SortedPairs { source: Source::Memory { sorter: self, next: 0 } });
        }
        if !self.positions.is_empty() {
            self.write_run()?;
        }
        Ok(SortedPairs { source: Source::Files(Merge::start(self.runs)?) })
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |position: &Position| bytes.get(position.start..position.value_start).unwrap_or_default();
        self.positions.sort_by(|a, b| key(a).cmp(key(b)));
    }

    fn write_run(&mut self) -> Result<()> {
        if self.runs.len() >= MERGE_RUNS_MAX {
            let mut merge = Merge::start(std::mem::take(&mut self.runs))?;
            let mut run = RunWriter::create(&self.folder)?;
            while merge.advance()? {
                run.write(merge.key(), merge.value())?;
            }
            self.runs.push(run.finish()?);
        }
        self.sort();
        let mut run = RunWriter::create(&self.folder)?;
        for position in &self.positions {
            let part = |start, end| self.bytes.get(start..end).unwrap_or_default();
            run.write(part(position.start, position.value_start), part(position.value_start, position.end))?;
        }
        self.runs.push(run.finish()?);
        self.bytes.clear();
        self.positions.clear();
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
    fn create(folder: &PathBuf) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|error| failed("creating", &error))?;
        Ok(RunWriter { writer: BufWriter::with_capacity(RUN_BUFFER_BYTES, file) })
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
    fn start(runs: Vec<File>) -> Result<Self> {
        let reader =
            |file| RunReader { reader: BufReader::with_capacity(RUN_BUFFER_BYTES, file), value: Vec::new() };
        let readers: Vec<RunReader> = runs.into_iter().map(reader).collect();
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
        let pairs: Vec<_> =
            (0..500u32).map(|n| (n.wrapping_mul(7919).to_be_bytes().to_vec(), vec![1])).collect();
        let mut expected = pairs.clone();
        expected.sort();
        assert_eq!(sort(&pairs, 1), expected);
    }
}
