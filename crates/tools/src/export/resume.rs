//! The point at which an export was interrupted.
//!
//! Plain text is whole up to its last line break. Compressed text is whole up to the end of its
//! last whole part: a gzip member (RFC 1952) or a Zstandard frame (RFC 8878), which end at the end
//! of a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;
use memchr::memrchr;
use velocypack::{Builder, Limits, json};

use super::output::Compression;
use crate::Failure;

/// The bytes of one read.
const BLOCK_BYTES: u64 = 256 << 10;

/// The maximum length of a line in bytes.
const MAX_LINE_BYTES: usize = 1 << 30;

/// The progress of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// The whole bytes of the file.
    pub(super) bytes: u64,
    /// The key of the last document in them; `None` without any document.
    pub(super) key: Option<String>,
}

/// Returns the progress of a file; `None` if it has no whole line.
pub(super) fn reached(path: &Path, compression: Compression) -> Result<Option<Reached>, Failure> {
    let name = path.display();
    let unreadable = |error: io::Error| Failure::new(format!("{name} cannot be read: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    let whole = match compression {
        Compression::None => last_line(file).map_err(unreadable)?,
        _ => last_part(file, compression).map_err(unreadable)?,
    };
    let Some((mut bytes, line)) = whole else { return Ok(None) };
    let mut line = line.trim_ascii_end();
    if let Some(element) = line.strip_suffix(b",") {
        // The comma and the line break belong to the next element of an array, which may not exist.
        bytes -= 2;
        line = element;
    }
    if line == b"[" {
        return Ok(Some(Reached { bytes, key: None }));
    }
    let mut document = Builder::new();
    let parsed = json::parse(line, &Limits::default(), &mut document).is_ok();
    let key = if parsed { document.as_slice().get("_key").and_then(|key| key.as_str()) } else { None };
    match key {
        Some(key) => Ok(Some(Reached { bytes, key: Some(key.to_owned()) })),
        None => Err(Failure::new(format!(
            "the last complete line of {name} is not a document with a _key, so the export cannot resume; --overwrite starts over"
        ))),
    }
}

/// Returns the bytes up to the last line break, and the line before it.
fn last_line(mut file: File) -> io::Result<Option<(u64, Vec<u8>)>> {
    let mut begin = file.seek(SeekFrom::End(0))?;
    let mut tail: Vec<u8> = Vec::new();
    loop {
        if let Some(end) = memrchr(b'\n', &tail) {
            let before = tail.get(..end).unwrap_or_default();
            let line = memrchr(b'\n', before).map(|position| position + 1);
            if let Some(line) = line.or((begin == 0).then_some(0)) {
                let text = tail.get(line..end).unwrap_or_default().to_vec();
                return Ok(Some((begin + end as u64 + 1, text)));
            }
        }
        if begin == 0 {
            return Ok(None);
        }
        if tail.len() > MAX_LINE_BYTES {
            return Err(io::Error::other("its last line is too long"));
        }
        let count = BLOCK_BYTES.max(tail.len() as u64).min(begin);
        begin -= count;
        file.seek(SeekFrom::Start(begin))?;
        let mut block = Vec::new();
        file.by_ref().take(count).read_to_end(&mut block)?;
        block.append(&mut tail);
        tail = block;
    }
}

/// Returns the bytes of all whole parts, and the last line in them.
fn last_part(file: File, compression: Compression) -> io::Result<Option<(u64, Vec<u8>)>> {
    let length = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(BLOCK_BYTES as usize, file);
    let mut last = None;
    loop {
        if reader.fill_buf()?.is_empty() {
            return Ok(last);
        }
        let mut line = Vec::new();
        let read = match compression {
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(&mut reader)?.single_frame();
                keep_last_line(&mut decoder, &mut line)
            }
            _ => keep_last_line(&mut GzDecoder::new(&mut reader), &mut line),
        };
        // A part that cannot be read was being written when the export was interrupted.
        if read.is_err() {
            return Ok(last);
        }
        let bytes = reader.stream_position()?;
        if line.is_empty() || bytes > length {
            return Ok(last);
        }
        last = Some((bytes, line));
    }
}

/// Reads to the end and keeps the last line.
fn keep_last_line(reader: &mut impl Read, line: &mut Vec<u8>) -> io::Result<()> {
    let mut block = vec![0; BLOCK_BYTES as usize];
    loop {
        let count = reader.read(&mut block)?;
        if count == 0 {
            return Ok(());
        }
        let text = block.get(..count).unwrap_or_default();
        // The line break at the end belongs to the last line.
        match memrchr(b'\n', text.get(..count - 1).unwrap_or_default()) {
            Some(position) => {
                line.clear();
                line.extend_from_slice(text.get(position + 1..).unwrap_or_default());
            }
            None if line.ends_with(b"\n") => {
                line.clear();
                line.extend_from_slice(text);
            }
            None => line.extend_from_slice(text),
        }
        if line.len() > MAX_LINE_BYTES {
            return Err(io::Error::other("a line is too long"));
        }
    }
}
