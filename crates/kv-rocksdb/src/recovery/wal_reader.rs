//! A reader of one file of the write-ahead log. It finds the first flaw, and the records after it.
//!
//! RocksDB documents the format. A file consists of blocks of 32 KiB. A block holds fragments:
//! `masked crc32c of type and payload (4 bytes, little endian)`, `length of the payload (2)`,
//! `type (1)`, `payload`. A record is one full fragment, or a first one, middle ones and a last
//! one. A block's last bytes are unused if no header fits there. A record is a batch, which begins
//! with its first sequence number (8 bytes) and its number of writes (4).

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use encryption::MasterKey;

use super::log_content::{LogContent, Opened};
use crate::encrypted_env::PREFIX_BYTES;

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;
const BATCH_HEADER_BYTES: usize = 12;

/// The size in bytes of the pages in which a file system writes back its cache, or a divisor of it.
const PAGE_BYTES: u64 = 4 << 10;

/// The minimum number of zeros at the end of a page that never reached the disk: one sector.
const LOST_BYTES: u64 = 512;

/// The maximum plausible distance of a record's sequence number from the expected one.
///
/// Sequence numbers may advance without a record, because each table of a bulk load takes one.
/// Records that a search finds at arbitrary positions count only within this distance.
const SEQUENCE_STEP_MAX: u64 = 1 << 32;

/// The number of bytes in one read.
const READ_BYTES: usize = 32 * BLOCK_BYTES;

/// The content of a file of the log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WalFile {
    pub(crate) length: u64,
    /// The bytes before the content, which offsets do not count.
    pub(crate) header_bytes: u64,
    /// The bytes of the whole records before the first flaw.
    pub(crate) intact_bytes: u64,
    /// The number of whole records before the first flaw.
    pub(crate) records: u64,
    /// The sequence number of the first of these records, if there is one.
    pub(crate) first_sequence: Option<u64>,
    /// The sequence number after the last of these records, if there is one.
    pub(crate) next_sequence: Option<u64>,
    pub(crate) flaw: Option<Flaw>,
}

/// The first position in a file without a valid fragment, or the beginning of a record without its
/// end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) kind: FlawKind,
    pub(crate) offset: u64,
    /// The end of the fragment there, according to its header.
    pub(crate) end: u64,
    /// The first valid fragment after the flaw.
    pub(crate) valid_at: Option<u64>,
    /// The number of records that begin after the flaw in valid fragments.
    pub(crate) later_records: u64,
    /// True if a page there ends in zeros, like a page that never reached the disk.
    pub(crate) has_lost_page: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlawKind {
    /// The file ends within a record.
    CutShort,
    Checksum,
    /// A fragment does not continue the record before it.
    OutOfPlace,
}

impl WalFile {
    /// Reads the file at `path`, which is encrypted if there is a key.
    pub(crate) fn read(path: &Path, encryption: Option<&MasterKey>) -> std::io::Result<WalFile> {
        let file = File::open(path)?;
        let Some(master) = encryption else { return WalFile::read_from(&mut &file) };
        match LogContent::open(&file, master)? {
            Opened::Empty => Ok(WalFile::default()),
            Opened::Content(mut content) => {
                let header_bytes = PREFIX_BYTES as u64;
                Ok(WalFile { header_bytes, ..WalFile::read_from(&mut content)? })
            }
            Opened::WithoutHeader { bytes } => Ok(WalFile::without_header(bytes)),
        }
    }

    /// Returns a file whose content is unknown.
    fn without_header(bytes: u64) -> WalFile {
        let flaw = Flaw {
            kind: FlawKind::Checksum,
            offset: 0,
            end: 1,
            valid_at: None,
            later_records: 0,
            has_lost_page: true,
        };
        WalFile { length: bytes, flaw: Some(flaw), ..WalFile::default() }
    }

    /// Reads the content of a file.
    pub(crate) fn read_from(file: &mut impl Read) -> std::io::Result<WalFile> {
        let mut reader = WalReader::default();
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let filled = fill(file, &mut buffer)?;
            for block in buffer.get(..filled).unwrap_or_default().chunks(BLOCK_BYTES) {
                reader.read_block(block);
            }
            if filled < buffer.len() {
                return Ok(reader.finish());
            }
        }
    }

    /// Returns the number of whole records in the file, on both sides of its first flaw.
    pub(crate) fn all_records(&self) -> u64 {
        self.records + self.flaw.as_ref().map_or(0, |flaw| flaw.later_records)
    }
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The state between two blocks of a file.
#[derive(Default)]
struct WalReader {
    file: WalFile,
    /// A record that has begun, but not ended.
    open: Option<OpenRecord>,
}

struct OpenRecord {
    offset: u64,
    sequences: Option<Range<u64>>,
}

/// A valid fragment.
struct Fragment<'a> {
    kind: FragmentKind,
    payload: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FragmentKind {
    Full,
    First,
    Middle,
    Last,
    /// A fragment that is not a part of a record.
    Other,
}

impl WalReader {
    fn read_block(&mut self, block: &[u8]) {
        let start = self.file.length;
        self.file.length += block.len() as u64;
        if self.file.flaw.is_some() {
            self.read_after_flaw(block, start);
            return;
        }
        let mut at = 0;
        while let Some(rest) = rest_with_header(block, at) {
            let place = start + at as u64;
            let taken = match fragment(rest) {
                Some(fragment) => self.take(&fragment, place).then(|| HEADER_BYTES + fragment.payload.len()),
                None => {
                    self.set_flaw(bad_kind(block, rest), place, place + claimed_bytes(rest));
                    None
                }
            };
            let Some(bytes) = taken else {
                self.search_flawed_block(block, start, at);
                return;
            };
            at += bytes;
            if self.open.is_none() {
                self.file.intact_bytes = start + at as u64;
            }
        }
    }

    /// Takes the next valid fragment. Returns false if it is out of place.
    fn take(&mut self, fragment: &Fragment<'_>, place: u64) -> bool {
        let sequences = sequences(fragment.payload);
        match (fragment.kind, self.open.take()) {
            (FragmentKind::Full, None) => self.end_record(sequences.as_ref()),
            (FragmentKind::First, None) => self.open = Some(OpenRecord { offset: place, sequences }),
            (FragmentKind::Middle, Some(open)) => self.open = Some(open),
            (FragmentKind::Last, Some(open)) => self.end_record(open.sequences.as_ref()),
            (FragmentKind::Other, open) => self.open = open,
            (FragmentKind::Full | FragmentKind::First, Some(open)) => {
                self.set_flaw(FlawKind::OutOfPlace, open.offset, place);
                return false;
            }
            (FragmentKind::Middle | FragmentKind::Last, None) => {
                self.set_flaw(FlawKind::OutOfPlace, place, place);
                return false;
            }
        }
        true
    }

    fn end_record(&mut self, sequences: Option<&Range<u64>>) {
        self.file.records += 1;
        if let Some(&Range { start, end }) = sequences {
            self.file.first_sequence.get_or_insert(start);
            self.file.next_sequence = Some(end);
        }
    }

    fn set_flaw(&mut self, kind: FlawKind, offset: u64, end: u64) {
        let flaw = Flaw { kind, offset, end, valid_at: None, later_records: 0, has_lost_page: false };
        self.file.flaw = Some(flaw);
    }

    /// Searches the block with the flaw for lost pages, and for valid fragments after the flaw.
    ///
    /// Lengths may be damaged, so fragments may begin anywhere.
    fn search_flawed_block(&mut self, block: &[u8], start: u64, at: usize) {
        let expected = self.file.next_sequence;
        let Some(flaw) = &mut self.file.flaw else { return };
        // A fragment that is valid but out of place is the first one after the flaw.
        let mut at = if flaw.kind == FlawKind::OutOfPlace { at } else { at + 1 };
        flaw.has_lost_page = flaw.kind == FlawKind::Checksum && has_lost_page(block, start, flaw);
        while let Some(rest) = rest_with_header(block, at) {
            let found = fragment(rest).filter(|found| is_plausible(found, expected));
            at += found.map_or(1, |found| {
                flaw.count(&found, start + at as u64);
                HEADER_BYTES + found.payload.len()
            });
        }
    }

    /// Counts the valid fragments from the beginning of a block, where one always begins.
    fn read_after_flaw(&mut self, block: &[u8], start: u64) {
        let Some(flaw) = &mut self.file.flaw else { return };
        let mut at = 0;
        while let Some(found) = rest_with_header(block, at).and_then(fragment) {
            flaw.count(&found, start + at as u64);
            at += HEADER_BYTES + found.payload.len();
        }
    }

    fn finish(mut self) -> WalFile {
        let end = self.file.length;
        if self.file.flaw.is_none() && self.file.intact_bytes < end {
            let offset = self.open.map_or(self.file.intact_bytes, |open| open.offset);
            self.file.flaw = Some(Flaw {
                kind: FlawKind::CutShort,
                offset,
                end,
                valid_at: None,
                later_records: 0,
                has_lost_page: false,
            });
        }
        self.file
    }
}

impl Flaw {
    fn count(&mut self, fragment: &Fragment<'_>, place: u64) {
        self.valid_at.get_or_insert(place);
        self.later_records += u64::from(matches!(fragment.kind, FragmentKind::Full | FragmentKind::First));
    }
}

/// Returns the block from `at` on, if a header fits there.
fn rest_with_header(block: &[u8], at: usize) -> Option<&[u8]> {
    block.get(at..).filter(|rest| rest.len() >= HEADER_BYTES)
}

/// Returns the bytes that the fragment at the start of `rest` takes according to its header.
fn claimed_bytes(rest: &[u8]) -> u64 {
    let length = match rest {
        [_, _, _, _, low, high, ..] => u64::from(u16::from_le_bytes([*low, *high])),
        _ => 0,
    };
    HEADER_BYTES as u64 + length
}

fn bad_kind(block: &[u8], rest: &[u8]) -> FlawKind {
    let ends_file = block.len() < BLOCK_BYTES;
    if ends_file && claimed_bytes(rest) > rest.len() as u64 { FlawKind::CutShort } else { FlawKind::Checksum }
}

/// Returns the fragment at the start of `rest`, if its checksum is right.
fn fragment(rest: &[u8]) -> Option<Fragment<'_>> {
    let (header, behind) = rest.split_first_chunk::<HEADER_BYTES>()?;
    let [c0, c1, c2, c3, low, high, kind] = *header;
    let kind = match kind {
        // Zeros are bytes that were never written.
        0 => return None,
        1 => FragmentKind::Full,
        2 => FragmentKind::First,
        3 => FragmentKind::Middle,
        4 => FragmentKind::Last,
        _ => FragmentKind::Other,
    };
    let length = usize::from(u16::from_le_bytes([low, high]));
    let payload = behind.get(..length)?;
    let covered = rest.get(HEADER_BYTES - 1..HEADER_BYTES + length)?;
    (mask(crc32c::crc32c(covered)) == u32::from_le_bytes([c0, c1, c2, c3]))
        .then_some(Fragment { kind, payload })
}

/// Returns the stored form of a checksum. RocksDB masks it, so that checksums of data that contains
/// checksums are not a special case.
fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Returns the sequence number of the first write of the batch that begins with `payload`.
fn sequence(payload: &[u8]) -> Option<u64> {
    payload.first_chunk::<BATCH_HEADER_BYTES>()?.first_chunk().copied().map(u64::from_le_bytes)
}

/// Returns the sequence numbers of the batch that begins with `payload`.
fn sequences(payload: &[u8]) -> Option<Range<u64>> {
    let count = payload.first_chunk::<BATCH_HEADER_BYTES>()?.last_chunk().copied().map(u32::from_le_bytes)?;
    let start = sequence(payload)?;
    Some(start..start.checked_add(u64::from(count))?)
}

/// Returns true if a valid fragment from a search belongs to this log.
///
/// The bytes of a value may look like a fragment, for example in a copy of a log.
fn is_plausible(fragment: &Fragment<'_>, expected: Option<u64>) -> bool {
    match (fragment.kind, expected) {
        (FragmentKind::Other, _) => false,
        (FragmentKind::Full | FragmentKind::First, Some(expected)) => sequence(fragment.payload)
            .is_some_and(|found| (expected..=expected.saturating_add(SEQUENCE_STEP_MAX)).contains(&found)),
        _ => !fragment.payload.is_empty(),
    }
}

/// Returns true if one of the pages that the flawed fragment touches ends in zeros.
fn has_lost_page(block: &[u8], start: u64, flaw: &Flaw) -> bool {
    let first_page = flaw.offset / PAGE_BYTES;
    let last_page = flaw.end.saturating_sub(1).max(flaw.offset) / PAGE_BYTES;
    (first_page..=last_page).any(|page| {
        let page_end = usize::try_from((page + 1) * PAGE_BYTES - start).unwrap_or(usize::MAX);
        let lost = page_end.saturating_sub(LOST_BYTES as usize)..page_end;
        block.get(lost).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    })
}
