//! Multipart bodies (RFC 2046, section 5.1) in memory. The parts are found in one pass and not
//! copied. Line breaks may lack their carriage return, as in ArangoDB.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use memchr::memmem::Finder;

#[cfg(test)]
mod tests;

/// Maximum number of parts of a body.
pub(crate) const PARTS_MAX: usize = 100_000;
/// Maximum size in bytes of a boundary; the RFC allows 70.
const BOUNDARY_MAX_BYTES: usize = 256;
/// Maximum number of lines before a part's or a request's body.
const HEAD_LINES_MAX: usize = 128;

/// The reason why a body is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MultipartError {
    /// Neither the content type nor the body's first line names a boundary.
    NoBoundary,
    /// The boundary is too long.
    LongBoundary,
    /// The boundary is not in the body.
    NoPart,
    /// The last boundary, with `--` after it, is missing.
    NotClosed,
    /// There are too many parts.
    ManyParts,
    /// The head of the part with this number (from 1) is not followed by an empty line, or has a
    /// line without a colon.
    Head(usize),
}

impl fmt::Display for MultipartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBoundary => formatter.write_str("invalid content-type or boundary value received"),
            Self::LongBoundary => write!(formatter, "the boundary is longer than {BOUNDARY_MAX_BYTES} bytes"),
            Self::NoPart => formatter.write_str("invalid multipart message: the boundary is not in the body"),
            Self::NotClosed => formatter
                .write_str("invalid multipart message: the body does not end with a boundary and '--'"),
            Self::ManyParts => write!(formatter, "the body has more than {PARTS_MAX} parts"),
            Self::Head(part) => {
                write!(formatter, "invalid multipart message: the head of part {part} is not well-formed")
            }
        }
    }
}

/// One part.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    head: Head,
    /// The bytes after the empty line.
    pub(crate) body: Bytes,
}

impl Part {
    /// Returns the value of a header; its name is compared without regard to case.
    pub(crate) fn header(&self, name: &str) -> Option<Bytes> {
        self.head.header(name)
    }
}

/// Returns the boundary: that of the content type, or the text after the two dashes at the
/// beginning of the body.
pub(crate) fn boundary(content_type: Option<&str>, body: &[u8]) -> Result<Vec<u8>, MultipartError> {
    let is_multipart = content_type
        .is_some_and(|value| value.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("multipart/")));
    let named = content_type.filter(|_| is_multipart).and_then(|value| {
        let mut parameters = value.split(';').skip(1).map(str::trim);
        parameters.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
        })
    });
    let boundary = match named {
        Some(boundary) => boundary.as_bytes(),
        None => {
            let line = body.split(|&byte| byte == b'\n').next().unwrap_or_default();
            line.strip_prefix(b"--").ok_or(MultipartError::NoBoundary)?.trim_ascii_end()
        }
    };
    match boundary.len() {
        0 => Err(MultipartError::NoBoundary),
        length if length > BOUNDARY_MAX_BYTES => Err(MultipartError::LongBoundary),
        _ => Ok(boundary.to_vec()),
    }
}

/// Returns the parts of a body, in order.
pub(crate) fn split(body: &Bytes, boundary: &[u8]) -> Result<Vec<Part>, MultipartError> {
    let delimiter = [b"--", boundary].concat();
    let finder = Finder::new(&delimiter);
    let mut parts = Vec::new();
    let mut begin = None;
    let mut position = 0;
    loop {
        let rest = body.get(position..).unwrap_or_default();
        let Some(at) = finder.find(rest).map(|at| position + at) else {
            return Err(if begin.is_none() { MultipartError::NoPart } else { MultipartError::NotClosed });
        };
        position = at + delimiter.len();
        let Some((next, is_last)) = after_delimiter(body, at, position) else { continue };
        if let Some(begin) = begin {
            if parts.len() >= PARTS_MAX {
                return Err(MultipartError::ManyParts);
            }
            let content = body.slice(begin..end_of_part(body, begin, at));
            let (head, body) = Head::read(&content).ok_or(MultipartError::Head(parts.len() + 1))?;
            parts.push(Part { head, body: body.ok_or(MultipartError::Head(parts.len() + 1))? });
        }
        if is_last {
            return Ok(parts);
        }
        begin = Some(next);
        position = next;
    }
}

/// Returns the end of a delimiter's line, and whether it is the last delimiter. Returns `None` if
/// the delimiter has no line of its own.
fn after_delimiter(body: &[u8], at: usize, end: usize) -> Option<(usize, bool)> {
    if at > 0 && body.get(at - 1) != Some(&b'\n') {
        return None;
    }
    let rest = body.get(end..)?;
    if rest.starts_with(b"--") {
        return Some((end + 2, true));
    }
    let padding = rest.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    match rest.get(padding..)? {
        [b'\r', b'\n', ..] => Some((end + padding + 2, false)),
        [b'\n', ..] => Some((end + padding + 1, false)),
        _ => None,
    }
}

/// Returns the end of a part. The line break before a delimiter belongs to the delimiter.
fn end_of_part(body: &[u8], begin: usize, delimiter: usize) -> usize {
    let end = delimiter.saturating_sub(1).max(begin);
    if end > begin && body.get(end - 1) == Some(&b'\r') { end - 1 } else { end }
}

/// The lines before a body, of a part or of a request in it.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    bytes: Bytes,
    /// The positions of names and values.
    lines: Vec<(Range<usize>, Range<usize>)>,
}

impl Head {
    /// Reads header lines up to the first empty line.
    ///
    /// Returns them with the body after that line, or without a body if there is no such line.
    /// Returns `None` if a line has no colon, or there are too many lines.
    pub(crate) fn read(content: &Bytes) -> Option<(Head, Option<Bytes>)> {
        let mut lines = Vec::new();
        let mut position = 0;
        while position < content.len() {
            let (line, next) = line_at(content, position);
            position = next;
            if line.is_empty() {
                return Some((Head { bytes: content.clone(), lines }, Some(content.slice(next..))));
            }
            let text = content.get(line.clone())?;
            let colon = line.start + memchr::memchr(b':', text)?;
            if lines.len() >= HEAD_LINES_MAX {
                return None;
            }
            lines.push((trimmed(content, line.start..colon), trimmed(content, colon + 1..line.end)));
        }
        Some((Head { bytes: content.clone(), lines }, None))
    }

    /// Returns the value of a header; its name is compared without regard to case.
    fn header(&self, name: &str) -> Option<Bytes> {
        self.iter().find(|(found, _)| found.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// Returns the names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Bytes, Bytes)> {
        let slice = |range: &Range<usize>| self.bytes.slice(range.clone());
        self.lines.iter().map(move |(name, value)| (slice(name), slice(value)))
    }
}

/// Returns the line that begins at `position`, without its break, and the position of the next
/// line.
pub(crate) fn line_at(bytes: &[u8], position: usize) -> (Range<usize>, usize) {
    let rest = bytes.get(position..).unwrap_or_default();
    let (end, next) = match memchr::memchr(b'\n', rest) {
        Some(at) => (position + at, position + at + 1),
        None => (bytes.len(), bytes.len()),
    };
    let has_return = end > position && bytes.get(end - 1) == Some(&b'\r');
    (position..end - usize::from(has_return), next)
}

fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = bytes.get(range.clone()).unwrap_or_default();
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    start..start + text.trim_ascii().len()
}
