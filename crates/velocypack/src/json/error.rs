//! The position and the reason of a syntax error in JSON.

/// The reason why a text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub struct JsonError {
    /// Bytes from the start of the input.
    pub offset: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Bytes from the start of the line, counted from 1.
    pub column: usize,
    /// A description of the error.
    pub message: String,
}

impl JsonError {
    /// Creates an error at `offset` of `input` and counts the lines before it.
    #[cold]
    pub(crate) fn new(input: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = input.get(..offset).unwrap_or(input);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        JsonError { offset, line, column: before.len() - line_start + 1, message: message.into() }
    }
}
