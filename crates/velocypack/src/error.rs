//! Errors of values and of building them.

use errors::ErrorCode;

/// The result of building or reading a value.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a value was refused. `offset` counts bytes from the start of the input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value was added to an object before its attribute name.
    #[error("a value in an object needs an attribute name before it")]
    NameMissing,
    /// An attribute name was given outside an object, or twice in a row.
    #[error("an attribute name is allowed only in an object, once before each value")]
    NameUnexpected,
    /// An object was closed after an attribute name.
    #[error("the last attribute name has no value")]
    ValueMissing,
    /// `close` without an open array or object.
    #[error("there is no open array or object to close")]
    NothingOpen,
    /// An attribute occurs twice in one object.
    #[error("duplicate attribute name '{name}'")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Arrays and objects are nested deeper than allowed.
    #[error("nested deeper than {max_depth} levels")]
    TooDeep {
        /// The limit that was exceeded.
        max_depth: usize,
    },
    /// A value is longer than allowed.
    #[error("the value is longer than {max_bytes} bytes")]
    TooLarge {
        /// The limit that was exceeded.
        max_bytes: usize,
    },
    /// The value to copy is not well-formed, or there is none.
    #[error("the value to add is not well-formed VelocyPack")]
    Malformed,
    /// The caller has ended the work.
    #[error("the work was ended")]
    Interrupted,
    /// A document or patch is not an object.
    #[error("expected an object, found {found}")]
    ObjectExpected {
        /// The kind that was found.
        found: &'static str,
    },
    /// Bytes from outside break the format's rules.
    #[error("invalid VelocyPack at byte {offset}: {reason}")]
    Invalid {
        /// Offset in bytes from the start of the input.
        offset: usize,
        /// The broken rule.
        reason: &'static str,
    },
}

/// A value that could not be built: too deep, too large, or misused by the caller.
impl From<Error> for errors::Error {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::TooDeep { .. } => ErrorCode::QueryTooMuchNesting,
            Error::TooLarge { .. } => ErrorCode::ResourceLimit,
            _ => return errors::Error::internal(error),
        };
        errors::Error::new(code, error.to_string())
    }
}
