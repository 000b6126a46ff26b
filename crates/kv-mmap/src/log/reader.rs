//! The start after a crash: judging the log, then applying its records to the tables.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use kv::{Error, KeyRange, LogRecovery, Result};

use super::files::{Folder, PlainFile};
use super::record::{CHECKSUM_BYTES, Entries, HEADER_BYTES, Header, Kind, MAGIC};
use crate::environment::{Environment, TableWriter};
use crate::error::map_open_io;

/// The bytes of records that are applied in one transaction of the tables.
const APPLIED_AT_ONCE_BYTES: u64 = 32 << 20;

/// The number of bytes in one read of a file.
const WINDOW_BYTES: usize = 256 << 10;

/// The records of a log that are to be applied, and its flawed end.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    records: Vec<Place>,
    /// The last sequence, of a record or of the tables.
    pub(crate) last_sequence: u64,
    /// The bytes after the last record that is whole.
    pub(crate) dropped_bytes: u64,
    /// The number of the file with the first of them.
    pub(crate) dropped_from: Option<u64>,
}

/// The place of a record's body.
#[derive(Debug)]
struct Place {
    file: u64,
    body: u64,
    header: Header,
}

/// The first flaw of a log.
struct Flaw {
    file: u64,
    path: PathBuf,
    offset: u64,
    /// The sequence that was expected there.
    sequence: u64,
}

/// Reads the log and changes nothing. `applied` is the last sequence in the tables.
///
/// Errors: [`Error::DamagedLog`] with [`LogRecovery::Strict`], if a record is missing or damaged
/// although a later record says that it was durable. Other flaws end the log: a crash of the
/// machine leaves them.
pub(crate) fn judge(folder: &Folder, applied: u64, wanted: LogRecovery) -> Result<Judged> {
    let mut judged = Judged { last_sequence: applied, ..Judged::default() };
    let mut flaw = None;
    let mut synced = 0;
    for number in folder.numbers().map_err(|error| map_open_io("reading", folder.path(), &error))? {
        let path = folder.path_of(number);
        let failed = |error: io::Error| map_open_io("reading", &path, &error);
        let opened = folder.open_file(number);
        if opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::InvalidData) {
            // The header was on disk before the first record, so this is damage.
            let sequence = judged.last_sequence + 1;
            judged.dropped_bytes += std::fs::metadata(&path).map_err(failed)?.len();
            flaw.get_or_insert(Flaw { file: number, path, offset: 0, sequence });
            synced = u64::MAX;
            continue;
        }
        let mut file = LogReader::new(opened.map_err(failed)?);
        while file.offset < file.length {
            let record = file.record().map_err(failed)?;
            match record {
                Some(header) if flaw.is_none() && header.sequence <= applied => {}
                Some(header) if flaw.is_none() && header.sequence == judged.last_sequence + 1 => {
                    judged.last_sequence = header.sequence;
                    let body = file.offset - header.body_bytes - CHECKSUM_BYTES as u64;
                    judged.records.push(Place { file: number, body, header });
                }
                found => {
                    let missing = judged.last_sequence + 1;
                    flaw.get_or_insert(Flaw {
                        file: number,
                        path: path.clone(),
                        offset: file.offset,
                        sequence: missing,
                    });
                    synced = synced.max(found.map_or(0, |header| header.synced));
                    let skipped = match found {
                        Some(header) => header.body_bytes + (HEADER_BYTES + CHECKSUM_BYTES) as u64,
                        None => file.skip_to_magic().map_err(failed)?,
                    };
                    judged.dropped_bytes += skipped;
                }
            }
        }
    }
    judged.dropped_from = flaw.as_ref().map(|flaw| flaw.file);
    match flaw {
        Some(flaw) if synced >= flaw.sequence && wanted == LogRecovery::Strict => {
            Err(damaged(&flaw, judged.dropped_bytes))
        }
        _ => Ok(judged),
    }
}

fn damaged(flaw: &Flaw, bytes: u64) -> Error {
    let reason = format!(
        "record {} at byte {} is missing or damaged, although it was on disk once; {bytes} bytes lie there or \
         behind. Restore the store from a backup or a dump, or start it with `--mmfiles.log-recovery salvage`, \
         which keeps everything before the damage",
        flaw.sequence, flaw.offset
    );
    Error::DamagedLog { path: flaw.path.clone(), reason }
}

/// Applies the records to the tables.
pub(crate) fn replay(folder: &Folder, judged: &Judged, environment: &Environment) -> Result<()> {
    let mut records = judged.records.iter().peekable();
    let mut bodies = Bodies { folder, file: None };
    while records.peek().is_some() {
        environment.write(|writer| {
            let mut bytes = 0;
            while let Some(record) = records.next_if(|_| bytes < APPLIED_AT_ONCE_BYTES) {
                let path = folder.path_of(record.file);
                let failed = |error: io::Error| map_open_io("reading", &path, &error);
                apply(record, bodies.read(record).map_err(failed)?, &failed, writer)?;
                writer.set_applied(record.header.sequence)?;
                bytes += record.header.body_bytes;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn apply(
    record: &Place,
    body: impl Read,
    failed: &dyn Fn(io::Error) -> Error,
    writer: &mut TableWriter<'_, '_>,
) -> Result<()> {
    let mut entries = Entries::new(body, record.header.body_bytes);
    while let Some((first, second)) = entries.next().map_err(failed)? {
        match (record.header.kind, second) {
            (Kind::Writes, Some(value)) => writer.put(first, value)?,
            (Kind::Writes, None) => writer.delete(first)?,
            (Kind::DroppedRange, end) => {
                writer.delete_range(&KeyRange::new(first, end.unwrap_or_default()))?;
            }
        }
    }
    Ok(())
}

/// The bodies of records, read in order.
struct Bodies<'a> {
    folder: &'a Folder,
    /// The number of the open file, the file, and the place after the body that was read last.
    file: Option<(u64, BufReader<PlainFile>, u64)>,
}

impl Bodies<'_> {
    /// Returns a reader at the start of a body, which must be read to its end.
    fn read(&mut self, record: &Place) -> io::Result<impl Read + '_> {
        let (_, file, end) = match self.file.take() {
            Some(open) if open.0 == record.file => self.file.insert(open),
            _ => {
                let file = self.folder.open_file(record.file)?;
                self.file.insert((record.file, BufReader::with_capacity(WINDOW_BYTES, file), 0))
            }
        };
        file.seek_relative(record.body as i64 - *end as i64)?;
        *end = record.body + record.header.body_bytes;
        Ok(file)
    }
}

/// A file that is read record by record.
struct LogReader {
    file: BufReader<PlainFile>,
    length: u64,
    /// The place that is read next.
    offset: u64,
}

impl LogReader {
    fn new(file: PlainFile) -> Self {
        let length = file.length();
        LogReader { file: BufReader::with_capacity(WINDOW_BYTES, file), length, offset: 0 }
    }

    /// Reads the record at the current place and moves past it. Returns `None`, and stays, if
    /// there is no valid one.
    fn record(&mut self) -> io::Result<Option<Header>> {
        let start = self.offset;
        let header = self.valid_record()?;
        if header.is_none() {
            self.seek(start)?;
        }
        Ok(header)
    }

    fn valid_record(&mut self) -> io::Result<Option<Header>> {
        if self.length - self.offset < (HEADER_BYTES + CHECKSUM_BYTES) as u64 {
            return Ok(None);
        }
        let mut bytes = [0; HEADER_BYTES];
        self.file.read_exact(&mut bytes)?;
        let room = self.length - self.offset - (HEADER_BYTES + CHECKSUM_BYTES) as u64;
        let Some(header) = Header::decode(&bytes).filter(|header| header.body_bytes <= room) else {
            return Ok(None);
        };
        let mut checksum = crc32c::crc32c(&bytes);
        let mut window = vec![0; WINDOW_BYTES.min(header.body_bytes as usize)];
        let mut rest = header.body_bytes;
        while rest > 0 {
            let count = (window.len() as u64).min(rest);
            let part = window.get_mut(..count as usize).unwrap_or_default();
            self.file.read_exact(part)?;
            checksum = crc32c::crc32c_append(checksum, part);
            rest -= count;
        }
        let mut expected = [0; CHECKSUM_BYTES];
        self.file.read_exact(&mut expected)?;
        if checksum != u32::from_le_bytes(expected) {
            return Ok(None);
        }
        self.offset += header.body_bytes + (HEADER_BYTES + CHECKSUM_BYTES) as u64;
        Ok(Some(header))
    }

    /// Moves to the next place, at least one byte on, where a record may begin, or to the end.
    /// Returns the number of skipped bytes.
    fn skip_to_magic(&mut self) -> io::Result<u64> {
        let start = self.offset;
        self.seek(start + 1)?;
        let mut seen = [0; MAGIC.len()];
        let mut read = 0;
        for byte in (&mut self.file).bytes() {
            seen.rotate_left(1);
            seen[MAGIC.len() - 1] = byte?;
            read += 1;
            if read >= MAGIC.len() as u64 && seen == MAGIC {
                let found = start + 1 + read - MAGIC.len() as u64;
                self.seek(found)?;
                return Ok(found - start);
            }
        }
        self.offset = self.length;
        Ok(self.length - start)
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.offset = offset;
        self.file.seek(SeekFrom::Start(offset)).map(|_| ())
    }
}
