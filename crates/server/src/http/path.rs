//! The path of a request: the database, and the decoded segments.

use std::borrow::Cow;
use std::ops::Range;

use hyper::Uri;
use smallvec::SmallVec;

use super::percent::{self, DecodeError};

/// Maximum number of segments of a path; ArangoDB's longest route has seven.
pub const MAX_SEGMENTS: usize = 64;

/// The database of a path without `/_db/{name}`.
pub const DEFAULT_DATABASE: &str = "_system";

/// A parsed path. Empty segments are skipped, so `/_api/tasks/` is `/_api/tasks`.
#[derive(Clone, Debug)]
pub struct Path {
    text: Text,
    /// The positions of the segments after the database.
    segments: SmallVec<[Range<u32>; 6]>,
    database: Option<Range<u32>>,
}

/// Returns the path of an address as it was sent, without the database that it may name.
pub(crate) fn path_in_database(uri: &Uri) -> &str {
    match uri.path().strip_prefix("/_db/") {
        Some(name) => name.find('/').and_then(|at| name.get(at..)).unwrap_or("/"),
        None => uri.path(),
    }
}

/// The text of the segments. Nearly all paths need no decoding and share the request's own text.
#[derive(Clone, Debug)]
enum Text {
    Raw(Uri),
    Decoded(Box<str>),
}

/// The reason why a path was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathError {
    /// It does not begin with a slash, has a malformed percent-encoding, or decodes to invalid
    /// UTF-8.
    Malformed,
    /// It has more than [`MAX_SEGMENTS`] segments.
    TooLong,
}

impl Path {
    /// Parses the path of an address.
    pub fn parse(uri: Uri) -> Result<Self, PathError> {
        let raw = uri.path();
        let mut segments = SmallVec::new();
        if !raw.as_bytes().contains(&b'%') {
            split(raw, |part| push(&mut segments, part))?;
            return Ok(Self::assemble(Text::Raw(uri), segments));
        }
        let mut text = String::with_capacity(raw.len());
        split(raw, |part| {
            let start = text.len();
            let encoded = raw.get(part).unwrap_or_default();
            text.push_str(&percent::decode(encoded).map_err(|DecodeError| PathError::Malformed)?);
            push(&mut segments, start..text.len())
        })?;
        Ok(Self::assemble(Text::Decoded(text.into()), segments))
    }

    fn assemble(text: Text, segments: SmallVec<[Range<u32>; 6]>) -> Self {
        let mut path = Path { text, segments, database: None };
        if path.segments.len() >= 2 && path.segment(0) == Some("_db") {
            path.database = path.segments.get(1).cloned();
            path.segments.drain(..2);
        }
        path
    }

    fn text(&self) -> &str {
        match &self.text {
            Text::Raw(uri) => uri.path(),
            Text::Decoded(text) => text,
        }
    }

    fn slice(&self, range: &Range<u32>) -> &str {
        self.text().get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Returns the database's name, or `_system` if the path names none.
    pub fn database(&self) -> &str {
        self.database.as_ref().map_or(DEFAULT_DATABASE, |range| self.slice(range))
    }

    /// Returns the segment with this index after the database.
    pub fn segment(&self, index: usize) -> Option<&str> {
        self.segments.get(index).map(|range| self.slice(range))
    }

    /// Returns the number of segments after the database.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns true if there is no segment after the database.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Returns the segments after the database, each after a slash. A slash within one is encoded.
    pub fn without_database(&self) -> Cow<'_, str> {
        let Some((first, last)) = self.segments.first().zip(self.segments.last()) else { return "/".into() };
        let follow_each_other = self.segments.windows(2).all(|pair| match pair {
            [left, right] => left.end + 1 == right.start,
            _ => false,
        });
        if let Text::Raw(_) = self.text
            && follow_each_other
        {
            return self.slice(&(first.start.saturating_sub(1)..last.end)).into();
        }
        self.segments().flat_map(|segment| ["/".into(), segment.replace('/', "%2F")]).collect()
    }

    /// Returns all segments after the database.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().map(|range| self.slice(range))
    }
}

/// Prints the decoded path without the database.
impl std::fmt::Display for Path {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            return formatter.write_str("/");
        }
        self.segments().try_for_each(|segment| write!(formatter, "/{segment}"))
    }
}

/// Calls `each` with the position of every segment that is not empty.
fn split(path: &str, mut each: impl FnMut(Range<usize>) -> Result<(), PathError>) -> Result<(), PathError> {
    let mut start = 1;
    let rest = path.strip_prefix('/').ok_or(PathError::Malformed)?;
    for part in rest.split('/') {
        let end = start + part.len();
        if !part.is_empty() {
            each(start..end)?;
        }
        start = end + 1;
    }
    Ok(())
}

fn push(segments: &mut SmallVec<[Range<u32>; 6]>, part: Range<usize>) -> Result<(), PathError> {
    if segments.len() >= MAX_SEGMENTS {
        return Err(PathError::TooLong);
    }
    let place = |at: usize| u32::try_from(at).map_err(|_| PathError::TooLong);
    segments.push(place(part.start)?..place(part.end)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str) -> Result<Path, PathError> {
        Path::parse(path.parse().unwrap())
    }

    fn parts(path: &str) -> (String, Vec<String>) {
        let path = parse(path).unwrap();
        (path.database().to_owned(), path.segments().map(str::to_owned).collect())
    }

    #[test]
    fn the_database_is_apart_from_the_parts() {
        assert_eq!(parts("/_api/version"), ("_system".into(), vec!["_api".into(), "version".into()]));
        assert_eq!(parts("/_db/shop/_api/version"), ("shop".into(), vec!["_api".into(), "version".into()]));
        assert_eq!(parts("/_db/shop"), ("shop".into(), vec![]));
        assert_eq!(parts("/_db"), ("_system".into(), vec!["_db".into()]));
        assert_eq!(parts("/"), ("_system".into(), vec![]));
    }

    #[test]
    fn parts_are_decoded_one_by_one() {
        let (database, segments) = parts("/_db/%E4%BE%8B/_api/document/a%2Fb/x%20y");
        assert_eq!(database, "例");
        assert_eq!(segments, ["_api", "document", "a/b", "x y"]);
    }

    #[test]
    fn empty_parts_are_left_out() {
        assert_eq!(parts("//_api//tasks/").1, ["_api", "tasks"]);
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        assert_eq!(parse("/_api/%zz").unwrap_err(), PathError::Malformed);
        assert_eq!(parse("/_api/%2").unwrap_err(), PathError::Malformed);
        assert_eq!(parse("/_api/%ff").unwrap_err(), PathError::Malformed);
        assert_eq!(parse("*").unwrap_err(), PathError::Malformed);
        assert_eq!(parse(&"/a".repeat(MAX_SEGMENTS + 1)).unwrap_err(), PathError::TooLong);
    }

    #[test]
    fn a_path_prints_as_it_was_meant() {
        assert_eq!(parse("/_db/x/_api/a%20b/").unwrap().to_string(), "/_api/a b");
        assert_eq!(parse("/").unwrap().to_string(), "/");
    }
}
