//! Sorted runs in temporary files: for each pair the lengths of key and value (4 bytes each, little-endian), then both.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::failed;
use crate::{Error, Result};

/// Writes a run.
pub(super) struct RunWriter {
    writer: BufWriter<File>,
}

impl RunWriter {
    pub(super) fn create(folder: &Path, buffer_bytes: usize) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|error| failed("creating", &error))?;
        Ok(RunWriter { writer: BufWriter::with_capacity(buffer_bytes, file) })
    }

    pub(super) fn write(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let length = |part: &[u8]| u32::try_from(part.len()).map(u32::to_le_bytes);
        let (Ok(key_length), Ok(value_length)) = (length(key), length(value)) else {
            return Err(Error::internal("a pair of more than 4 GiB was to be sorted"));
        };
        [&key_length[..], &value_length[..], key, value]
            .into_iter()
            .try_for_each(|part| self.writer.write_all(part))
            .map_err(|error| failed("writing", &error))
    }

    pub(super) fn finish(self) -> Result<File> {
        let mut file = self.writer.into_inner().map_err(|error| failed("writing", error.error()))?;
        file.seek(SeekFrom::Start(0)).map_err(|error| failed("reading", &error))?;
        Ok(file)
    }
}

/// Reads a run, one pair at a time.
pub(super) struct RunReader {
    reader: BufReader<File>,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl RunReader {
    pub(super) fn new(file: File, buffer_bytes: usize) -> Self {
        let reader = BufReader::with_capacity(buffer_bytes, file);
        RunReader { reader, key: Vec::new(), value: Vec::new() }
    }

    /// Goes on to the next pair. `false` behind the last.
    pub(super) fn advance(&mut self) -> Result<bool> {
        let mut lengths = [0; 8];
        match self.reader.read_exact(&mut lengths) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(failed("reading", &error)),
        }
        let lengths = u64::from_le_bytes(lengths);
        let (key_length, value_length) = (lengths as u32 as usize, (lengths >> 32) as usize);
        self.key.resize(key_length, 0);
        self.value.resize(value_length, 0);
        self.reader
            .read_exact(&mut self.key)
            .and_then(|()| self.reader.read_exact(&mut self.value))
            .map_err(|error| failed("reading", &error))?;
        Ok(true)
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.value
    }
}
