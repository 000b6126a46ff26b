//! Bulk loads. A small one is one commit. A large one collects its pairs in a file, then writes
//! them to the tables in one step.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use encryption::TemporaryFile;
use kv::{BulkLoad, Durability, Entry, Error, LocalStore, Result, WaitPolicy};

use crate::environment::TableWriter;
use crate::layers::Layer;
use crate::store::Store;

/// The size in bytes from which a load collects its pairs in a file.
const FILE_FROM_BYTES: usize = 8 << 20;

/// The buffer of the file.
const BUFFER_BYTES: usize = 256 << 10;

/// A load in progress. If it is dropped, it has written nothing.
pub(crate) struct Load {
    store: Arc<Store>,
    pairs: Layer,
    file: Option<PairFile>,
    last_key: Option<Vec<u8>>,
    scratch: Vec<u8>,
}

impl Load {
    pub(crate) fn new(store: Arc<Store>) -> Result<Self> {
        store.check_open()?;
        Ok(Load { store, pairs: Layer::default(), file: None, last_key: None, scratch: Vec::new() })
    }

    /// Moves the pairs in memory to the file.
    fn spill(&mut self) -> Result<&mut PairFile> {
        let file = match self.file.take() {
            Some(file) => file,
            None => PairFile::new(self.store.new_load_file()?),
        };
        let file = self.file.insert(file);
        for entry in std::mem::take(&mut self.pairs).writes.iter_from(&[]) {
            file.add(entry.key(), entry.value().unwrap_or_default())?;
        }
        Ok(file)
    }

    /// Writes the pairs of the file to the tables.
    fn finish_file(mut self) -> Result<()> {
        let pairs = self.spill()?.read()?;
        let mut environment = self.store.lock_tables();
        self.store.flush_locked(&mut environment, None, |writer| copy(pairs, writer))
    }
}

impl BulkLoad for Load {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.store.check_open()?;
        kv::bulk::check_pair(self.last_key.as_deref(), key, value)?;
        self.pairs.insert(Entry::new(key, Some(value), &mut self.scratch));
        let last_key = self.last_key.get_or_insert_default();
        last_key.clear();
        last_key.extend_from_slice(key);
        if self.pairs.bytes >= FILE_FROM_BYTES.min(self.store.options.layer_bytes()) {
            self.spill()?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, durability: Durability) -> Result<()> {
        self.store.check_open()?;
        if self.file.is_some() {
            return self.finish_file();
        }
        if self.pairs.writes.is_empty() {
            return Ok(());
        }
        self.store.commit(&self.pairs, WaitPolicy::UpTo(std::time::Duration::MAX))?;
        allocation_meter::hand_over(self.pairs.entry_bytes());
        // The load counts as a commit without keys, so that later syncs include it.
        let commit = self.store.conflict_table().enter().commit();
        self.store.harden(commit, durability)
    }
}

fn copy(mut pairs: PairReader, writer: &mut TableWriter<'_, '_>) -> Result<()> {
    let failed = |error| Error::io("reading the file of a load", &error);
    let mut is_first = true;
    while let Some((key, value)) = pairs.next().map_err(failed)? {
        if is_first {
            writer.begin_ascending(key)?;
            is_first = false;
        }
        writer.put(key, value)?;
    }
    Ok(())
}

/// A file of pairs: the lengths of key and value (u32le each), then both. It has no name, and is
/// encrypted if the store is.
struct PairFile {
    file: BufWriter<Place>,
}

/// A place in a file, from which it is read or written on.
struct Place {
    file: Arc<TemporaryFile>,
    offset: u64,
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all_at(bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Place {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl PairFile {
    fn new(file: TemporaryFile) -> Self {
        let place = Place { file: Arc::new(file), offset: 0 };
        PairFile { file: BufWriter::with_capacity(BUFFER_BYTES, place) }
    }

    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        // Both are at most `kv::PAIR_BYTES_MAX`.
        let lengths = [key.len() as u32, value.len() as u32].map(u32::to_le_bytes);
        let written = self.file.write_all(lengths.as_flattened());
        let written =
            written.and_then(|()| self.file.write_all(key)).and_then(|()| self.file.write_all(value));
        written.map_err(|error| Error::io("writing the file of a load", &error))
    }

    fn read(&mut self) -> Result<PairReader> {
        self.file.flush().map_err(|error| Error::io("writing the file of a load", &error))?;
        let Place { file, offset: rest_bytes } = self.file.get_ref();
        let place = Place { file: Arc::clone(file), offset: 0 };
        let file = BufReader::with_capacity(BUFFER_BYTES, place);
        Ok(PairReader { file, rest_bytes: *rest_bytes, key: Vec::new(), value: Vec::new() })
    }
}

struct PairReader {
    file: BufReader<Place>,
    rest_bytes: u64,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl PairReader {
    fn next(&mut self) -> io::Result<Option<(&[u8], &[u8])>> {
        if self.rest_bytes == 0 {
            return Ok(None);
        }
        let mut lengths = [[0; 4]; 2];
        self.file.read_exact(lengths.as_flattened_mut())?;
        let [key_bytes, value_bytes] = lengths.map(|length| u32::from_le_bytes(length) as usize);
        self.key.resize(key_bytes, 0);
        self.file.read_exact(&mut self.key)?;
        self.value.resize(value_bytes, 0);
        self.file.read_exact(&mut self.value)?;
        self.rest_bytes = self.rest_bytes.saturating_sub((8 + key_bytes + value_bytes) as u64);
        Ok(Some((&self.key, &self.value)))
    }
}
