//! Segments: pieces of a change log, compressed, with a checksum.
//!
//! ```text
//! offset  bytes  content; numbers are little-endian
//!      0      8  "PERSEALG"
//!      8      4  format: 1, or 2 if the body is encrypted
//!     12      4  number of records
//!     16      8  server
//!     24      8  log
//!     32      8  first position that the segment covers
//!     40      8  last position that the segment covers
//!     48      8  time of the last commit that ends here, in microseconds since 1970; 0 without one
//!     56      8  bytes of the body
//!     64      8  bytes of the compressed body
//!     72     32  SHA-256 of the bytes 0 to 71 and of the compressed body
//!    104         the body as one frame of Zstandard
//! ```
//! An encrypted body is the header of an [`encryption::FileKey`] of 64 bytes and the encrypted
//! frame, whose first byte has offset 0. So everybody can check a segment, and only those with the
//! key can read it.
//!
//! The body is a sequence of records, each a part of a commit:
//! ```text
//!      0      4  bytes of the entries
//!      4      1  flags: 1 for the first part of its commit, 2 for the last one
//!      5      8  first position of the commit
//!     13      8  position after the part
//!     21      8  time of the commit, in microseconds since 1970
//!     29         entries as `/_api/wal/tail` has them: VelocyPack objects, one after another
//! ```

use std::io::Read;

use encryption::{FileKey, FileKind, HEADER_BYTES as KEY_HEADER_BYTES, MasterKey};
use errors::{Error, ErrorCode, Result};
use sha2::{Digest, Sha256};

use super::SegmentName;
use crate::log_position::LogId;

const MAGIC: &[u8; 8] = b"PERSEALG";
const PLAIN_FORMAT: u32 = 1;
const ENCRYPTED_FORMAT: u32 = 2;
const HEADER_BYTES: usize = 104;
const DIGEST_OFFSET: usize = 72;
const RECORD_HEADER_BYTES: usize = 29;
/// Maximum bytes of a body. Writers end a segment long before that, but a record is not divided.
const BODY_BYTES_MAX: u64 = 2 << 30;
/// The level that costs little time.
const COMPRESSION_LEVEL: i32 = 1;

const IS_FIRST_PART: u8 = 1;
const IS_LAST_PART: u8 = 2;

/// A part of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRecord<'a> {
    /// The first position of the commit.
    pub first: u64,
    /// The position after the part.
    pub end: u64,
    /// The time of the commit in microseconds since 1970.
    pub time: u64,
    /// This is the first part of the commit.
    pub is_first_part: bool,
    /// This is the last part of the commit.
    pub is_last_part: bool,
    /// VelocyPack objects, one after another.
    pub entries: &'a [u8],
}

/// A segment that is being written.
#[derive(Clone, Debug)]
pub struct SegmentWriter {
    records: u32,
    time: u64,
    body: Vec<u8>,
}

/// A segment that was read and checked.
#[derive(Clone, Debug)]
pub struct Segment {
    name: SegmentName,
    body: Vec<u8>,
}

impl SegmentWriter {
    /// Begins a segment. `time` is that of the last commit before it.
    pub fn new(time: u64) -> Self {
        SegmentWriter { records: 0, time, body: Vec::new() }
    }

    /// Appends a record.
    ///
    /// Errors: 32 for entries beyond 4 GiB.
    pub fn push(&mut self, record: &LogRecord<'_>) -> Result<()> {
        let length = u32::try_from(record.entries.len()).map_err(|_| {
            Error::new(ErrorCode::ResourceLimit, "a part of a commit exceeds 4 GiB in the archive of the log")
        })?;
        let flags = if record.is_first_part { IS_FIRST_PART } else { 0 }
            | if record.is_last_part { IS_LAST_PART } else { 0 };
        self.body.extend_from_slice(&length.to_le_bytes());
        self.body.push(flags);
        for number in [record.first, record.end, record.time] {
            self.body.extend_from_slice(&number.to_le_bytes());
        }
        self.body.extend_from_slice(record.entries);
        self.records = self.records.saturating_add(1);
        if record.is_last_part {
            // The clock may go backwards; a commit is never earlier than the one before it.
            self.time = self.time.max(record.time);
        }
        Ok(())
    }

    /// Returns the bytes of the body so far.
    pub fn body_bytes(&self) -> usize {
        self.body.len()
    }

    /// Returns the time of the last commit that has ended, in microseconds since 1970.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Returns the segment's bytes, encrypted if there is a key. It covers the positions from
    /// `first` to `last`.
    ///
    /// Errors: 4 if the body cannot be compressed or encrypted.
    pub(super) fn finish(
        &self,
        log: LogId,
        (first, last): (u64, u64),
        encryption: Option<&MasterKey>,
    ) -> Result<Vec<u8>> {
        let mut compressed =
            zstd::stream::encode_all(self.body.as_slice(), COMPRESSION_LEVEL).map_err(Error::internal)?;
        let mut format = PLAIN_FORMAT;
        if let Some(master) = encryption {
            let key = FileKey::new(master, FileKind::LogArchive).map_err(Error::internal)?;
            key.stream().apply(0, &mut compressed);
            compressed.splice(..0, key.header().iter().copied());
            format = ENCRYPTED_FORMAT;
        }
        let mut bytes = Vec::with_capacity(HEADER_BYTES + compressed.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&format.to_le_bytes());
        bytes.extend_from_slice(&self.records.to_le_bytes());
        let sizes = [self.body.len() as u64, compressed.len() as u64];
        for number in [log.server, log.log, first, last, self.time].into_iter().chain(sizes) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let digest = Sha256::new().chain_update(&bytes).chain_update(&compressed).finalize();
        bytes.extend_from_slice(&digest);
        bytes.extend_from_slice(&compressed);
        Ok(bytes)
    }
}

impl Segment {
    /// Reads a segment, and compares its checksum and its name.
    ///
    /// Errors: the rest of a sentence about the segment.
    pub(super) fn read(
        bytes: &[u8],
        log: LogId,
        name: &SegmentName,
        encryption: Option<&MasterKey>,
    ) -> std::result::Result<Self, String> {
        let checked = Checked::of(bytes, log, name).map_err(damaged)?;
        match (checked.is_encrypted, encryption) {
            (false, _) => checked.decompress(name, checked.content).map_err(damaged),
            (true, None) => Err("is encrypted; name a key of the server that wrote it".to_owned()),
            (true, Some(master)) => {
                let key = FileKey::of_header(master, FileKind::LogArchive, checked.content);
                let key = key.map_err(|error| format!("cannot be read: {error}"))?;
                let mut content = checked.content.get(KEY_HEADER_BYTES..).unwrap_or_default().to_vec();
                key.stream().apply(0, &mut content);
                checked.decompress(name, &content).map_err(damaged)
            }
        }
    }

    /// Compares the checksum and the name of a segment, and reads it if it is not encrypted.
    ///
    /// Errors: the rest of a sentence about the segment.
    pub(super) fn check(bytes: &[u8], log: LogId, name: &SegmentName) -> std::result::Result<(), String> {
        let checked = Checked::of(bytes, log, name).map_err(damaged)?;
        match checked.is_encrypted {
            true => Ok(()),
            false => checked.decompress(name, checked.content).map(drop).map_err(damaged),
        }
    }

    /// Returns the name, which has the positions that the segment covers.
    pub fn name(&self) -> SegmentName {
        self.name
    }

    /// Returns the records in order.
    ///
    /// Errors: 1102 for a body that is not a sequence of records.
    pub fn records(&self) -> impl Iterator<Item = Result<LogRecord<'_>>> {
        let mut rest = self.body.as_slice();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let split = split_record(rest);
            rest = split.map(|(_, after)| after).unwrap_or_default();
            let damaged = || Error::corrupt(format!("the body of the segment {} is damaged", self.name));
            Some(split.map(|(record, _)| record).ok_or_else(damaged))
        })
    }
}

/// Returns the rest of a sentence about a segment with this fault.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn damaged(fault: String) -> String {
    format!("is damaged: {fault}")
}

/// The bytes of a segment whose checksum and name are right.
struct Checked<'b> {
    is_encrypted: bool,
    /// The compressed body, perhaps encrypted.
    content: &'b [u8],
    body_bytes: u64,
}

impl<'b> Checked<'b> {
    fn of(bytes: &'b [u8], log: LogId, name: &SegmentName) -> std::result::Result<Self, String> {
        let (header, content) =
            bytes.split_at_checked(HEADER_BYTES).ok_or_else(|| "it is too short".to_owned())?;
        let (fixed, digest) = header.split_at(DIGEST_OFFSET);
        if !fixed.starts_with(MAGIC) {
            return Err("it is not a segment of a log".to_owned());
        }
        let format =
            u32::from_le_bytes(fixed.get(8..12).and_then(|at| at.try_into().ok()).unwrap_or_default());
        if !(PLAIN_FORMAT..=ENCRYPTED_FORMAT).contains(&format) {
            return Err(format!(
                "it has format {format}, this version reads formats up to {ENCRYPTED_FORMAT}"
            ));
        }
        let found = Sha256::new().chain_update(fixed).chain_update(content).finalize();
        if digest != found.as_slice() {
            return Err("its content has a different checksum".to_owned());
        }
        let number = |index: usize| {
            let at = fixed.get(16 + 8 * index..24 + 8 * index).and_then(|at| at.try_into().ok());
            u64::from_le_bytes(at.unwrap_or_default())
        };
        let [server, log_number, first, last, time, body_bytes] = std::array::from_fn(number);
        if (LogId { server, log: log_number }) != log || (SegmentName { first, last, time }) != *name {
            return Err("it has the content of another segment".to_owned());
        }
        if body_bytes > BODY_BYTES_MAX {
            return Err(format!("its body has {body_bytes} bytes, more than {BODY_BYTES_MAX}"));
        }
        Ok(Checked { is_encrypted: format == ENCRYPTED_FORMAT, content, body_bytes })
    }

    fn decompress(&self, name: &SegmentName, compressed: &[u8]) -> std::result::Result<Segment, String> {
        let mut body = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(compressed).map_err(|error| error.to_string())?;
        decoder.take(self.body_bytes + 1).read_to_end(&mut body).map_err(|error| error.to_string())?;
        if body.len() as u64 != self.body_bytes {
            return Err("its body has a different size".to_owned());
        }
        Ok(Segment { name: *name, body })
    }
}

fn split_record(bytes: &[u8]) -> Option<(LogRecord<'_>, &[u8])> {
    let (header, rest) = bytes.split_at_checked(RECORD_HEADER_BYTES)?;
    let (length, header) = header.split_first_chunk::<4>()?;
    let (flags, numbers) = header.split_first()?;
    let ([first, end, time], []) = numbers.as_chunks::<8>() else { return None };
    let (entries, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let record = LogRecord {
        first: u64::from_le_bytes(*first),
        end: u64::from_le_bytes(*end),
        time: u64::from_le_bytes(*time),
        is_first_part: flags & IS_FIRST_PART != 0,
        is_last_part: flags & IS_LAST_PART != 0,
        entries,
    };
    Some((record, rest))
}
