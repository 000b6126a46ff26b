//! The results of parsing besides a tree: an error with its place, or a warning.

use errors::{Error, ErrorCode};

use crate::position::{Position, Span, position};

/// Bytes of the query that a message quotes.
const EXCERPT_BYTES: usize = 32;

/// The reason why a text is not a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The kind of the error.
    pub code: ErrorCode,
    /// The message in ArangoDB's form.
    ///
    /// An example is `syntax error, unexpected identifier near 'x y' at position 1:5`. The query
    /// layer adds `AQL: ` before it and ` (while parsing)` after it.
    pub message: String,
    /// The place of the error.
    pub position: Position,
}

impl ParseError {
    /// Creates an error about a part of a query's text.
    ///
    /// It adds to the message the text that starts there, cut short, and its line and column, as
    /// ArangoDB does: `... near 'x y' at position 1:5`. The binder uses it too, for errors such as
    /// a variable that is declared twice.
    #[cold]
    pub fn new(code: ErrorCode, message: &str, text: &str, span: Span) -> ParseError {
        let position = position(text, span.start);
        let near = excerpt(text, span.start);
        let (line, column) = (position.line, position.column);
        let message = format!("{message} near '{near}' at position {line}:{column}");
        ParseError { code, message, position }
    }
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        let position = errors::Position { line: error.position.line, column: error.position.column };
        let converted = Error::new(error.code, error.message);
        match error.code {
            // The watch ended parsing, which says nothing about a place in the text.
            ErrorCode::QueryKilled | ErrorCode::ResourceLimit => converted,
            _ => converted.with_position(position),
        }
    }
}

/// Returns the text from `start`, cut short.
fn excerpt(text: &str, start: u32) -> String {
    let rest = text.get(start as usize..).unwrap_or_default();
    if rest.len() <= EXCERPT_BYTES {
        return rest.to_owned();
    }
    let end = rest.floor_char_boundary(EXCERPT_BYTES);
    format!("{}...", rest.get(..end).unwrap_or_default())
}

/// A warning about text that does not keep a query from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseWarning {
    /// The code of the warning.
    pub code: ErrorCode,
    /// The message.
    pub message: String,
    /// The text that the warning is about.
    pub span: Span,
}
