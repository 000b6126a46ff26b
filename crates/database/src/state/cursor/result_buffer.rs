//! Batches of a complete result that wait to be fetched: in memory up to a threshold, then in a
//! temporary file.

use std::collections::VecDeque;
use std::sync::Arc;

use aql_value::{Charge, MemoryAccount};
use encryption::{TemporaryFile, TemporaryFolder};
use errors::{Error, ErrorCode, Result};

use crate::state::cursor::encoder::{EncodedRows, Format};

/// Limits of a [`ResultBuffer`].
#[derive(Clone, Debug)]
pub struct ResultBufferLimits {
    /// Bytes of one result that may wait in memory. Later batches go to a file.
    pub memory_bytes: usize,
    /// Folder of the files. They are unlinked, so they disappear with the process.
    pub folder: TemporaryFolder,
}

/// Batches in the order in which they are fetched.
#[derive(Debug)]
pub struct ResultBuffer {
    waiting: VecDeque<Place>,
    limits: ResultBufferLimits,
    charge: Charge,
    spill: Option<Spill>,
}

#[derive(Debug)]
enum Place {
    Memory(EncodedRows),
    File { offset: u64, len: usize, format: Format, rows: usize },
}

#[derive(Debug)]
struct Spill {
    file: TemporaryFile,
    end: u64,
}

impl ResultBuffer {
    /// Returns an empty queue. Its memory is charged to `account`.
    pub fn new(limits: ResultBufferLimits, account: Arc<MemoryAccount>) -> Self {
        ResultBuffer { waiting: VecDeque::new(), limits, charge: Charge::new(account), spill: None }
    }

    /// Appends a batch. It goes to the file once the memory limit is reached or the account is
    /// exhausted.
    pub fn push(&mut self, mut batch: EncodedRows) -> Result<()> {
        let len = batch.bytes.len();
        let fits = self.spill.is_none() && self.charge.bytes() as usize + len <= self.limits.memory_bytes;
        if fits && self.charge.grow(len as u64).is_ok() {
            batch.memory = None;
            batch.bytes.shrink_to_fit();
            self.waiting.push_back(Place::Memory(batch));
            return Ok(());
        }
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill {
                file: self.limits.folder.create().map_err(|error| self.limits.failed(&error))?,
                end: 0,
            }),
        };
        spill.file.write_all_at(&batch.bytes, spill.end).map_err(|error| self.limits.failed(&error))?;
        self.waiting.push_back(Place::File {
            offset: spill.end,
            len,
            format: batch.format,
            rows: batch.rows,
        });
        spill.end += len as u64;
        Ok(())
    }

    /// Removes and returns the next batch, or `None` if no batch waits.
    pub fn pop(&mut self) -> Result<Option<EncodedRows>> {
        match self.waiting.pop_front() {
            None => Ok(None),
            Some(Place::Memory(batch)) => {
                self.charge.shrink(batch.bytes.len() as u64);
                Ok(Some(batch))
            }
            Some(Place::File { offset, len, format, rows }) => {
                let mut bytes = vec![0; len];
                let spill = self
                    .spill
                    .as_mut()
                    .ok_or_else(|| Error::new(ErrorCode::Internal, "a result's file is gone"))?;
                spill.file.read_exact_at(&mut bytes, offset).map_err(|error| self.limits.failed(&error))?;
                Ok(Some(EncodedRows { bytes, format, rows, memory: None }))
            }
        }
    }

    /// Returns true if no batch waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl ResultBufferLimits {
    fn failed(&self, error: &std::io::Error) -> Error {
        let folder = self.folder.path.display();
        Error::new(
            ErrorCode::ResourceLimit,
            format!("a result could not be kept in a temporary file in {folder}: {error}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(size: usize, fill: u8) -> EncodedRows {
        EncodedRows { bytes: vec![fill; size], format: Format::Json, rows: 1, memory: None }
    }

    #[test]
    fn batches_come_back_in_order_from_memory_and_file() {
        let folder = tempfile::tempdir().unwrap();
        let account = Arc::new(MemoryAccount::unlimited());
        let limits = ResultBufferLimits { memory_bytes: 100, folder: folder.path().into() };
        let mut buffer = ResultBuffer::new(limits, Arc::clone(&account));
        for fill in 0..10 {
            buffer.push(batch(30, fill)).unwrap();
        }
        assert_eq!(account.used_bytes(), 90);
        for fill in 0..10 {
            assert_eq!(buffer.pop().unwrap().unwrap().bytes, vec![fill; 30]);
        }
        assert!(buffer.pop().unwrap().is_none() && buffer.is_empty());
        assert_eq!(account.used_bytes(), 0);
    }

    #[test]
    fn a_full_account_sends_batches_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let account = Arc::new(MemoryAccount::new(Some(10), None));
        let limits = ResultBufferLimits { memory_bytes: 1_000, folder: folder.path().into() };
        let mut buffer = ResultBuffer::new(limits, Arc::clone(&account));
        buffer.push(batch(30, 7)).unwrap();
        assert_eq!(account.used_bytes(), 0);
        assert_eq!(buffer.pop().unwrap().unwrap().bytes, vec![7; 30]);
    }
}
