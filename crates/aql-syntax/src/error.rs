//! What parsing can answer besides a tree: an error with its place, or a warning.

use crate::ast::Span;
use crate::position::Position;

/// ArangoDB's error numbers that parsing uses.
pub mod number {
    /// `ERROR_QUERY_PARSE`: the text is not a query.
    pub const QUERY_PARSE: u32 = 1501;
    /// `ERROR_QUERY_EMPTY`: the text holds nothing but blanks and comments.
    pub const QUERY_EMPTY: u32 = 1502;
    /// `ERROR_QUERY_NUMBER_OUT_OF_RANGE`: a number is too big for a double.
    pub const QUERY_NUMBER_OUT_OF_RANGE: u32 = 1504;
    /// `ERROR_QUERY_TOO_MUCH_NESTING`: a limit of depth or length is exceeded.
    pub const QUERY_TOO_MUCH_NESTING: u32 = 1524;
    /// `ERROR_QUERY_INVALID_AGGREGATE_EXPRESSION`: something that does not aggregate stands behind `AGGREGATE`.
    pub const QUERY_INVALID_AGGREGATE_EXPRESSION: u32 = 1574;
}

/// Why a text is not a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// ArangoDB's error number, one of [`number`].
    pub number: u32,
    /// The message in ArangoDB's form, such as
    /// `syntax error, unexpected identifier near 'x y' at position 1:5`; without `AQL: ` before it and
    /// ` (while parsing)` behind it, which the query layer adds.
    pub message: String,
    /// Where it is.
    pub position: Position,
}

/// Something odd that does not keep a query from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseWarning {
    /// ArangoDB's error number, one of [`number`].
    pub number: u32,
    /// The message.
    pub message: String,
    /// The text it is about.
    pub span: Span,
}
