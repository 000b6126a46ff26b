//! The results of parsing besides a tree: an error with its place, or a warning.

use crate::position::{Position, Span, position};

/// Bytes of the query that a message quotes.
const EXCERPT_BYTES: usize = 32;

/// ArangoDB's error numbers that parsing uses.
pub mod number {
    /// `ERROR_QUERY_PARSE`: the text is not a query.
    pub const QUERY_PARSE: u32 = 1501;
    /// `ERROR_QUERY_EMPTY`: the text holds nothing but blanks and comments.
    pub const QUERY_EMPTY: u32 = 1502;
    /// `ERROR_QUERY_NUMBER_OUT_OF_RANGE`: a number is too large for a double.
    pub const QUERY_NUMBER_OUT_OF_RANGE: u32 = 1504;
    /// `ERROR_QUERY_TOO_MUCH_NESTING`: a limit of depth or length is exceeded.
    pub const QUERY_TOO_MUCH_NESTING: u32 = 1524;
    /// `ERROR_QUERY_INVALID_AGGREGATE_EXPRESSION`: no aggregate function stands after `AGGREGATE`.
    pub const QUERY_INVALID_AGGREGATE_EXPRESSION: u32 = 1574;
}

/// The reason why a text is not a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// ArangoDB's error number, one of [`number`].
    pub number: u32,
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
    pub fn new(number: u32, message: &str, text: &str, span: Span) -> ParseError {
        let position = position(text, span.start);
        let near = excerpt(text, span.start);
        let (line, column) = (position.line, position.column);
        let message = format!("{message} near '{near}' at position {line}:{column}");
        ParseError { number, message, position }
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

/// The reason why parsing stops, independent of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// ArangoDB's error number.
    pub number: u32,
    /// The message.
    pub message: String,
}

/// A warning about text that does not keep a query from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseWarning {
    /// ArangoDB's error number, one of [`number`].
    pub number: u32,
    /// The message.
    pub message: String,
    /// The text that the warning is about.
    pub span: Span,
}
