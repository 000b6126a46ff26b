//! Data files, read in blocks of whole documents.
//!
//! A block of a file that Persea has packed, a gzip member, stays packed, so that many threads
//! unpack it. The reader unpacks other packed files.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use velocypack::{Builder, Limits, Slice, json};

use super::lines;
use crate::Failure;
use crate::encrypted::{Files, Input};

/// The bytes of one read.
const READ_BYTES: usize = 256 << 10;
/// The maximum length in bytes of a single document or a VelocyPack array.
const DOCUMENT_MAX_BYTES: usize = 600 << 20;
/// The types of wrapped documents.
const ENVELOPES: std::ops::RangeInclusive<u64> = 2300..=2302;

/// A data file that is being read.
pub(super) struct DataFile {
    path: PathBuf,
    files: Files,
    velocypack: bool,
    form: Form,
    /// The position at which the next block begins.
    position: u64,
    is_exhausted: bool,
}

enum Form {
    Plain(Input),
    /// gzip members that state their length.
    Members(Input),
    /// gzip of another program, with the unpacked text that no block has yet.
    Stream {
        decoder: Box<MultiGzDecoder<BufReader<Input>>>,
        waiting: Vec<u8>,
    },
}

/// A part of a file.
#[derive(Debug)]
pub(super) struct Block {
    bytes: Bytes,
    is_packed: bool,
    /// The positions of its start and end.
    ///
    /// They are positions in the file, or in the text of a file that cannot be read from its
    /// middle.
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Block {
    /// Returns the documents as one gzip member, and their unpacked length.
    ///
    /// Returns `None` if they are not packed, or longer than `max_bytes`.
    pub(super) fn packed(&self, max_bytes: usize) -> Option<(Bytes, usize)> {
        let plain_bytes = gzip_members::plain_bytes(&self.bytes).filter(|bytes| *bytes <= max_bytes)?;
        self.is_packed.then(|| (self.bytes.clone(), plain_bytes))
    }

    /// Returns the documents.
    pub(super) fn unpack(&self, file: &Path) -> Result<Bytes, Failure> {
        if !self.is_packed {
            return Ok(self.bytes.clone());
        }
        gzip_members::unpack(&self.bytes, gzip_members::PLAIN_MAX_BYTES)
            .map(Bytes::from)
            .map_err(|what| Failure::new(format!("{}, byte {}: {what}", file.display(), self.start)))
    }
}

impl DataFile {
    /// Opens a file at a position that was the end of a block.
    pub(super) fn open(files: &Files, path: &Path, position: u64) -> Result<Self, Failure> {
        let name = path.to_string_lossy();
        let velocypack = name.trim_end_matches(".gz").ends_with(".vpack");
        let failed = |error: std::io::Error| super::folder::failure(path, &error);
        let mut file = files.open(path).map_err(failed)?;
        let form = if !name.ends_with(".gz") {
            file.seek(SeekFrom::Start(position)).map_err(failed)?;
            Form::Plain(file)
        } else {
            let mut header = [0; gzip_members::HEADER_BYTES];
            let length = read_up_to(&mut file, &mut header).map_err(failed)?;
            let is_ours = gzip_members::member_bytes(header.get(..length).unwrap_or_default()).is_some();
            file.seek(SeekFrom::Start(if is_ours { position } else { 0 })).map_err(failed)?;
            match is_ours {
                true => Form::Members(file),
                false => Form::Stream {
                    decoder: Box::new(MultiGzDecoder::new(BufReader::with_capacity(READ_BYTES, file))),
                    waiting: Vec::new(),
                },
            }
        };
        let mut opened = DataFile {
            path: path.to_owned(),
            files: files.clone(),
            velocypack,
            form,
            position: 0,
            is_exhausted: false,
        };
        if let Form::Stream { .. } = opened.form {
            opened.skip_to(position)?;
        }
        opened.position = position;
        Ok(opened)
    }

    /// Unpacks and drops the text before a position.
    fn skip_to(&mut self, position: u64) -> Result<(), Failure> {
        let path = self.path.clone();
        let Form::Stream { decoder, .. } = &mut self.form else { return Ok(()) };
        let skipped = std::io::copy(&mut decoder.by_ref().take(position), &mut std::io::sink());
        skipped.map(drop).map_err(|error| damaged(&path, 0, &error))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_velocypack(&self) -> bool {
        self.velocypack
    }

    /// Returns true if positions are those of the file, so that they end at its length.
    pub(super) fn has_file_positions(&self) -> bool {
        !matches!(self.form, Form::Stream { .. })
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Returns true if the documents are wrapped, so that their order matters.
    ///
    /// The first document decides. The reader of the whole file and the server report damage.
    pub(super) fn has_envelopes(files: &Files, path: &Path) -> Result<bool, Failure> {
        let name = path.to_string_lossy();
        if name.trim_end_matches(".gz").ends_with(".vpack") {
            return Ok(false);
        }
        let file = files.open(path).map_err(|error| super::folder::failure(path, &error))?;
        let file = BufReader::new(file);
        let text: Box<dyn Read> =
            if name.ends_with(".gz") { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut text = BufReader::new(text.take(DOCUMENT_MAX_BYTES as u64));
        let mut first = Vec::new();
        while first.trim_ascii().is_empty() {
            first.clear();
            if text.read_until(b'\n', &mut first).is_ok_and(|length| length > 0) {
                continue;
            }
            return Ok(false);
        }
        let mut builder = Builder::new();
        if json::parse(&first, &Limits::default(), &mut builder).is_err() {
            return Ok(false);
        }
        let value = builder.as_slice();
        let kind = value.get("type").and_then(Slice::as_u64);
        Ok(value.is_object()
            && value.get("_key").is_none()
            && kind.is_some_and(|kind| ENVELOPES.contains(&kind)))
    }

    /// Returns the next block, `None` after the last: a gzip member, or about `bytes`.
    pub(super) fn next_block(&mut self, bytes: usize) -> Result<Option<Block>, Failure> {
        if self.is_exhausted {
            return Ok(None);
        }
        let start = self.position;
        let read = match &mut self.form {
            Form::Members(file) => {
                Some((read_member(file, &self.files, &self.path, start)?.unwrap_or_default(), true))
            }
            Form::Plain(file) => {
                let mut waiting = Vec::with_capacity(bytes + 1);
                let cut = read_whole(file, &mut waiting, bytes, self.velocypack)
                    .map_err(|error| damaged(&self.path, start, &error))?;
                // The next block reads the rest again.
                let back = i64::try_from(waiting.len() - cut).unwrap_or(0);
                file.seek(SeekFrom::Current(-back)).map_err(|error| damaged(&self.path, start, &error))?;
                waiting.truncate(cut);
                Some((waiting, false))
            }
            Form::Stream { decoder, waiting } => {
                let cut = read_whole(decoder, waiting, bytes, self.velocypack)
                    .map_err(|error| damaged(&self.path, start, &error))?;
                let rest = waiting.split_off(cut);
                Some((std::mem::replace(waiting, rest), false))
            }
        };
        let Some((bytes, is_packed)) = read.filter(|(bytes, _)| !bytes.is_empty()) else {
            self.is_exhausted = true;
            return Ok(None);
        };
        self.position += bytes.len() as u64;
        Ok(Some(Block { bytes: bytes.into(), is_packed, start, end: self.position }))
    }

    /// Returns the number, from 1, of the first line of a block that begins at `position`.
    ///
    /// It reads everything before the position.
    pub(super) fn line_at(files: &Files, path: &Path, position: u64) -> Result<u64, Failure> {
        let mut file = DataFile::open(files, path, 0)?;
        let mut line = 1;
        while file.position < position {
            let left = match file.form {
                // One member at a time, so that none after the position is read.
                Form::Members(_) => 1,
                _ => usize::try_from(position - file.position).unwrap_or(usize::MAX).min(1 << 20),
            };
            let before = file.position;
            let Some(block) = file.next_block(left)? else { break };
            let end = block.end;
            let text = block.unpack(path)?;
            // Blocks of text may end after the position.
            let inside = if file.has_file_positions() && end > position {
                usize::try_from(position - before).unwrap_or(text.len()).min(text.len())
            } else {
                text.len()
            };
            line += lines::count(text.get(..inside).unwrap_or_default());
        }
        Ok(line)
    }
}

/// Reads until there are `bytes` and a place to cut, or to the end. Returns the place to cut.
fn read_whole(
    source: &mut dyn Read,
    waiting: &mut Vec<u8>,
    bytes: usize,
    velocypack: bool,
) -> std::io::Result<usize> {
    let mut wanted = bytes;
    loop {
        let missing = wanted.saturating_sub(waiting.len());
        let read = source.take(missing as u64).read_to_end(waiting)?;
        let is_end = read < missing;
        let cut = if velocypack {
            cut_values(waiting, bytes)
        } else {
            lines::cut(waiting, bytes.max(waiting.len()))
        };
        match cut {
            Some(cut) if cut > 0 => return Ok(if is_end && !velocypack { waiting.len() } else { cut }),
            _ if is_end => return Ok(waiting.len()),
            _ if waiting.len() > DOCUMENT_MAX_BYTES => {
                let message =
                    format!("a document of more than {DOCUMENT_MAX_BYTES} bytes, or no line breaks");
                return Err(std::io::Error::other(message));
            }
            _ => wanted = (waiting.len() * 2).max(READ_BYTES),
        }
    }
}

/// Returns the end of the last whole value before `limit`, or of the first value.
fn cut_values(bytes: &[u8], limit: usize) -> Option<usize> {
    let mut end = 0;
    while let Some(length) = lines::value_bytes(bytes.get(end..)?).filter(|length| *length > 0) {
        let next = end.checked_add(usize::try_from(length).ok()?)?;
        if next > bytes.len() || (next > limit && end > 0) {
            break;
        }
        end = next;
    }
    (end > 0).then_some(end)
}

/// Returns the next member, if there is one.
///
/// It returns only one: the next may belong to another part of the collection, and documents of two
/// parts together load more slowly.
fn read_member(file: &mut Input, files: &Files, path: &Path, start: u64) -> Result<Option<Vec<u8>>, Failure> {
    let failed = |error: std::io::Error| damaged(path, start, &error);
    let mut member = vec![0; gzip_members::HEADER_BYTES];
    let length = read_up_to(file, &mut member).map_err(failed)?;
    if length == 0 {
        return Ok(None);
    }
    member.truncate(length);
    let whole =
        gzip_members::member_bytes(&member).filter(|bytes| *bytes <= gzip_members::PLAIN_MAX_BYTES as u64);
    let Some(whole) = whole.and_then(|bytes| usize::try_from(bytes).ok()) else {
        let what = if length < gzip_members::HEADER_BYTES { "is cut off" } else { "is damaged" };
        return Err(Failure::new(format!("{} {what} at byte {start}", path.display())));
    };
    member.resize(whole, 0);
    let rest = member.get_mut(gzip_members::HEADER_BYTES..).unwrap_or_default();
    let read = read_up_to(file, rest).map_err(failed)?;
    if gzip_members::HEADER_BYTES + read < whole {
        let line = DataFile::line_at(files, path, start).unwrap_or(0);
        let (end, path) = (start + (gzip_members::HEADER_BYTES + read) as u64, path.display());
        return Err(Failure::new(format!(
            "{path} is cut off at byte {end}, in the block that begins with line {line}"
        )));
    }
    Ok(Some(member))
}

/// Fills a buffer as far as the file goes.
fn read_up_to(file: &mut Input, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            count => done += count,
        }
    }
    Ok(done)
}

fn damaged(path: &Path, position: u64, error: &std::io::Error) -> Failure {
    let what = match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "is cut off: the packed data end too early".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Failure::new(format!("{} {what} (after byte {position})", path.display()))
}
