//! The writer of the log.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kv::{Error, KeyRange, Result, Tree};

use super::files::{LogFile, LogFiles};
use super::record::{ENTRY_BYTES, Header, Kind, entry_header, pair_header};

/// The size in bytes of the writer's buffer. A larger record is written in several steps.
const BUFFER_BYTES: usize = 1 << 20;

/// The log of an open store.
pub(crate) struct Log {
    writer: Mutex<LogWriter>,
}

/// The writer, which one thread has at a time.
pub(crate) struct LogWriter {
    files: Arc<dyn LogFiles>,
    current: Segment,
    /// The next file. It is created beforehand, so that no commit waits for a file.
    spare: Option<Segment>,
    /// Earlier files whose records are not all in the tables, oldest first.
    sealed: Vec<Segment>,
    last_number: u64,
    last_sequence: u64,
    synced_sequence: u64,
    /// The reason why nothing can be written any more.
    failure: Option<Error>,
    buffer: Vec<u8>,
}

#[derive(Clone)]
struct Segment {
    number: u64,
    file: Arc<dyn LogFile>,
    end: u64,
    /// The last sequence in the file once it is sealed.
    last_sequence: u64,
    is_synced: bool,
    /// True after a failed sync. The file's content is unknown then, so it is never synced again.
    is_broken: bool,
    /// True if the file must get no further record.
    is_over: bool,
}

impl Log {
    /// Begins a log whose next record has the sequence after `last_sequence`, in a file with
    /// `number`. Everything before is in the tables.
    pub(crate) fn begin(files: Arc<dyn LogFiles>, number: u64, last_sequence: u64) -> Result<Self> {
        let current = Segment::create(&*files, number)?;
        let writer = LogWriter {
            files,
            current,
            spare: None,
            sealed: Vec::new(),
            last_number: number,
            last_sequence,
            synced_sequence: last_sequence,
            failure: None,
            buffer: Vec::new(),
        };
        Ok(Log { writer: Mutex::new(writer) })
    }

    /// Returns the writer. Records are in the log in the order in which threads get it.
    pub(crate) fn writer(&self) -> MutexGuard<'_, LogWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all records so far durable.
    ///
    /// After a failure it fails until the records of the broken file are in the tables.
    pub(crate) fn sync(&self) -> Result<()> {
        let (segments, sequence) = self.writer().unsynced()?;
        for segment in segments {
            if let Err(error) = segment.file.sync() {
                self.writer().note_broken(segment.number);
                return Err(Error::io("syncing the log", &error));
            }
        }
        self.writer().note_synced(sequence);
        Ok(())
    }

    /// Returns true if a file could not be synced and its records are not in the tables yet.
    pub(crate) fn is_broken(&self) -> bool {
        self.writer().segments().any(|segment| segment.is_broken)
    }

    /// Creates the next file, unless there is one.
    pub(crate) fn prepare(&self) -> Result<()> {
        let (files, number) = {
            let mut writer = self.writer();
            if writer.spare.is_some() {
                return Ok(());
            }
            (Arc::clone(&writer.files), writer.new_number())
        };
        let spare = Segment::create(&*files, number)?;
        let mut writer = self.writer();
        // Another file may be the current one by now; the next start then removes this one.
        if writer.current.number < number {
            writer.spare = Some(spare);
        }
        Ok(())
    }
}

impl LogWriter {
    /// Writes the record of a commit. On an error nothing was written.
    pub(crate) fn append_writes(&mut self, writes: &Tree) -> Result<u64> {
        let entries = || writes.iter_from(&[]);
        let body_bytes: usize = entries().map(|entry| ENTRY_BYTES + entry.size_bytes()).sum();
        self.append(Kind::Writes, body_bytes as u64, &mut |record| {
            for entry in entries() {
                let (key, value) = (entry.key(), entry.value());
                record.add(&entry_header(key, value))?;
                record.add(key)?;
                record.add(value.unwrap_or_default())?;
            }
            Ok(())
        })
    }

    /// Writes the record of a dropped range. On an error nothing was written.
    pub(crate) fn append_drop(&mut self, range: &KeyRange) -> Result<u64> {
        let body_bytes = ENTRY_BYTES + range.start.len() + range.end.len();
        self.append(Kind::DroppedRange, body_bytes as u64, &mut |record| {
            record.add(&pair_header(range.start.len() as u32, range.end.len() as u32))?;
            record.add(&range.start)?;
            record.add(&range.end)
        })
    }

    fn append(
        &mut self,
        kind: Kind,
        body_bytes: u64,
        write_body: &mut dyn FnMut(&mut RecordWriter<'_>) -> io::Result<()>,
    ) -> Result<u64> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if self.current.is_broken || self.current.is_over {
            self.seal()?;
        }
        let sequence = self.last_sequence + 1;
        let header = Header { kind, body_bytes, sequence, synced: self.synced_sequence };
        let mut record = RecordWriter {
            file: &*self.current.file,
            offset: self.current.end,
            buffer: &mut self.buffer,
            checksum: 0,
        };
        let written = record
            .add(&header.encode())
            .and_then(|()| write_body(&mut record))
            .and_then(|()| record.finish());
        match written {
            Ok(end) => {
                self.current.end = end;
                self.current.is_synced = false;
                self.last_sequence = sequence;
                Ok(sequence)
            }
            Err(error) => Err(self.undo(&error)),
        }
    }

    /// Removes the part of a record that was written before an error.
    fn undo(&mut self, error: &io::Error) -> Error {
        self.buffer.clear();
        let error = Error::io("writing the log", error);
        if let Err(truncation) = self.current.file.truncate(self.current.end) {
            let reason = format!(
                "writing stopped until the server is started again: {error}; then its end could not be removed: \
                 {truncation}"
            );
            self.failure = Some(Error::NotWritable { path: "the log".into(), reason });
        }
        self.current.is_over = !self.current.file.may_be_rewritten();
        error
    }

    /// Returns the number of a new file. No two files have the same.
    fn new_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Ends the current file and begins the next one. Returns the last sequence.
    pub(crate) fn seal(&mut self) -> Result<u64> {
        let next = match self.spare.take() {
            Some(spare) => spare,
            None => {
                let number = self.new_number();
                Segment::create(&*self.files, number)?
            }
        };
        let mut sealed = std::mem::replace(&mut self.current, next);
        sealed.last_sequence = self.last_sequence;
        self.sealed.push(sealed);
        Ok(self.last_sequence)
    }

    /// Removes the files whose records are all in the tables, which are those up to `sequence`.
    pub(crate) fn remove_through(&mut self, sequence: u64) {
        self.synced_sequence = self.synced_sequence.max(sequence);
        let files = Arc::clone(&self.files);
        // The next start removes a file that cannot be removed now.
        self.sealed.retain(|segment| {
            let is_needed = segment.last_sequence > sequence;
            if !is_needed {
                let _ = files.remove(segment.number);
            }
            is_needed
        });
    }

    /// Returns the bytes of all files.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.segments().map(|segment| segment.end).sum()
    }

    fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.sealed.iter().chain([&self.current])
    }

    /// Returns the files that are not synced, and the last sequence in them.
    fn unsynced(&self) -> Result<(Vec<Segment>, u64)> {
        if self.segments().any(|segment| segment.is_broken) {
            let reason = "an earlier sync failed, and the data is not in the tables yet".to_owned();
            return Err(Error::Io { action: "syncing the log".to_owned(), reason });
        }
        let unsynced = self.segments().filter(|segment| !segment.is_synced);
        Ok((unsynced.cloned().collect(), self.last_sequence))
    }

    fn note_synced(&mut self, sequence: u64) {
        self.synced_sequence = self.synced_sequence.max(sequence);
        let is_all = self.last_sequence == sequence;
        for segment in &mut self.sealed {
            segment.is_synced |= segment.last_sequence <= sequence;
        }
        self.current.is_synced |= is_all;
    }

    fn note_broken(&mut self, number: u64) {
        let segments = self.sealed.iter_mut().chain([&mut self.current]);
        segments.filter(|segment| segment.number >= number).for_each(|segment| segment.is_broken = true);
    }
}

impl Segment {
    fn create(files: &dyn LogFiles, number: u64) -> Result<Self> {
        let file = files.create(number).map_err(|error| Error::io("creating a file of the log", &error))?;
        Ok(Segment {
            number,
            file,
            end: 0,
            last_sequence: 0,
            is_synced: true,
            is_broken: false,
            is_over: false,
        })
    }
}

/// A record that is being written.
struct RecordWriter<'a> {
    file: &'a dyn LogFile,
    offset: u64,
    buffer: &'a mut Vec<u8>,
    checksum: u32,
}

impl RecordWriter<'_> {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        if bytes.len() > BUFFER_BYTES {
            self.checksum = crc32c::crc32c_append(self.checksum, bytes);
            return self.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes the rest and the checksum. Returns the end of the record.
    fn finish(mut self) -> io::Result<u64> {
        self.checksum = crc32c::crc32c_append(self.checksum, self.buffer);
        let checksum = self.checksum.to_le_bytes();
        self.buffer.extend_from_slice(&checksum);
        self.write_buffer()?;
        Ok(self.offset)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.checksum = crc32c::crc32c_append(self.checksum, self.buffer);
        self.write_buffer()
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(self.buffer);
        let written = self.write(&buffer);
        *self.buffer = buffer;
        self.buffer.clear();
        written
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.file.write_at(bytes, self.offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.offset += written as u64;
                    bytes = bytes.get(written..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
