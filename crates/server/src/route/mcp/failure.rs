//! Errors of tools as results that a model can repair.

use errors::{Error, ErrorCode};
use mcp::{ArgumentError, Object, Outcome};

/// The reason why a call of a tool failed.
#[derive(Debug)]
pub(super) enum ToolError {
    /// An argument is missing or wrong.
    Argument(String),
    /// The database refused, with the query that failed if there is one.
    Database { error: Error, aql: Option<String>, hint: Option<String> },
}

/// The result of a call: a JSON object.
pub(super) type ToolResult = Result<Vec<u8>, ToolError>;

impl From<ArgumentError> for ToolError {
    fn from(error: ArgumentError) -> Self {
        ToolError::Argument(error.0)
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        ToolError::Database { error, aql: None, hint: None }
    }
}

impl ToolError {
    /// Returns the error of a query.
    pub(super) fn of_query(error: Error, aql: &str) -> Self {
        ToolError::Database { error, aql: Some(aql.to_owned()), hint: None }
    }

    /// Returns the error with a hint that the tool knows better than a general one.
    pub(super) fn with_hint(self, text: impl Into<String>) -> Self {
        match self {
            ToolError::Database { error, aql, .. } => {
                ToolError::Database { error, aql, hint: Some(text.into()) }
            }
            argument @ ToolError::Argument(_) => argument,
        }
    }

    /// Returns ArangoDB's number of the error.
    pub(super) fn number(&self) -> u32 {
        match self {
            ToolError::Argument(_) => Error::of(ErrorCode::BadParameter).number(),
            ToolError::Database { error, .. } => error.number(),
        }
    }

    /// Returns the result that tells the model about the error.
    pub(super) fn outcome(&self) -> Outcome {
        let json = Object::whole(|object| {
            object.child("error", |object| self.print(object));
        });
        Outcome { json, is_error: true }
    }

    fn print(&self, object: &mut Object<'_>) {
        object.number("errorNum", self.number());
        match self {
            ToolError::Argument(message) => {
                object.text("message", message);
            }
            ToolError::Database { error, aql, hint } => {
                object.text("message", error.message());
                if let Some(position) = error.position() {
                    object.number("line", position.line).number("column", position.column);
                    let near = aql.as_deref().and_then(|aql| near(aql, position.line, position.column));
                    near.into_iter().for_each(|near| {
                        object.text("near", near);
                    });
                }
                let known = || mcp::hint(aql.as_deref(), error.number(), error.message());
                if let Some(hint) = hint.as_deref().or_else(known) {
                    object.text("hint", hint);
                }
                if error.is_retryable() {
                    object.bool("retryable", true);
                }
            }
        }
    }
}

/// Returns the text of a query from a place on.
fn near(aql: &str, line: u32, column: u32) -> Option<&str> {
    /// Bytes of the text that is shown.
    const MAX_BYTES: usize = 80;
    let line = aql.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
    let column = usize::try_from(column).ok()?.checked_sub(1)?;
    let rest = line.get(line.floor_char_boundary(column)..)?;
    rest.get(..rest.floor_char_boundary(MAX_BYTES)).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_mistake_is_shown() {
        assert_eq!(near("FOR d\nIN x FILTR", 2, 6), Some("FILTR"));
        assert_eq!(near("é x", 1, 2), Some("é x"));
        assert_eq!(near("a", 5, 1), None);
        assert_eq!(near("a", 1, 9), None);
    }
}
