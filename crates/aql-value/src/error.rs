//! The error of every AQL stage: ArangoDB's error number and a message in ArangoDB's form.

use std::borrow::Cow;
use std::fmt;

/// Result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What ended a query, as the client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// ArangoDB's `errorNum`.
    pub number: u32,
    /// The text for `errorMessage`.
    pub message: String,
    /// The stage of a query in which ArangoDB finds the mistake, as its messages name it ("instantiating plan"), where
    /// it is found in another stage here.
    pub stage: Option<&'static str>,
}

/// ArangoDB's error numbers that evaluation and execution use.
pub mod error_number {
    /// Internal error: a promise between two parts of the server was broken.
    pub const INTERNAL: u32 = 4;
    /// The feature is known but not available.
    pub const NOT_IMPLEMENTED: u32 = 9;
    /// A parameter has the wrong type or value.
    pub const BAD_PARAMETER: u32 = 10;
    /// A resource limit, such as the memory limit of a query, was exceeded.
    pub const RESOURCE_LIMIT: u32 = 32;
    /// Write-write conflict, or a revision that does not match.
    pub const CONFLICT: u32 = 1200;
    /// No document with the given key.
    pub const DOCUMENT_NOT_FOUND: u32 = 1202;
    /// No collection or View with the given name.
    pub const DATA_SOURCE_NOT_FOUND: u32 = 1203;
    /// A document identifier that is not `collection/key`.
    pub const DOCUMENT_HANDLE_BAD: u32 = 1205;
    /// Unique constraint violated.
    pub const UNIQUE_CONSTRAINT_VIOLATED: u32 = 1210;
    /// A document key with illegal characters or length.
    pub const DOCUMENT_KEY_BAD: u32 = 1221;
    /// The value to write is not an object.
    pub const DOCUMENT_TYPE_INVALID: u32 = 1227;
    /// The query was killed or ran longer than its `maxRuntime`.
    pub const QUERY_KILLED: u32 = 1500;
    /// A number is too large or too small.
    pub const NUMBER_OUT_OF_RANGE: u32 = 1504;
    /// Too much nesting or too many objects.
    pub const TOO_MUCH_NESTING: u32 = 1524;
    /// Unknown or invalid attribute in OPTIONS.
    pub const INVALID_OPTIONS_ATTRIBUTE: u32 = 1539;
    /// Unknown function.
    pub const FUNCTION_NAME_UNKNOWN: u32 = 1540;
    /// Wrong number of arguments.
    pub const FUNCTION_ARGUMENT_NUMBER_MISMATCH: u32 = 1541;
    /// Wrong type of an argument.
    pub const FUNCTION_ARGUMENT_TYPE_MISMATCH: u32 = 1542;
    /// Invalid regular expression.
    pub const INVALID_REGEX: u32 = 1543;
    /// Invalid operand of an arithmetic operation or aggregate.
    pub const INVALID_ARITHMETIC_VALUE: u32 = 1561;
    /// Division or modulo by zero.
    pub const DIVISION_BY_ZERO: u32 = 1562;
    /// An array was expected.
    pub const ARRAY_EXPECTED: u32 = 1563;
    /// `FAIL()` was called.
    pub const FAIL_CALLED: u32 = 1569;
    /// Invalid date value.
    pub const INVALID_DATE_VALUE: u32 = 1572;
    /// A forced index hint cannot be used.
    pub const FORCED_INDEX_HINT_UNUSABLE: u32 = 1577;
    /// `ASSERT()` failed.
    pub const USER_ASSERT: u32 = 1593;
    /// `WARN()` was called.
    pub const USER_WARN: u32 = 1594;
    /// The weight of an edge is negative.
    pub const GRAPH_NEGATIVE_EDGE_WEIGHT: u32 = 1948;
}

impl Error {
    /// Number and message as given.
    pub fn new(number: u32, message: impl Into<String>) -> Self {
        Self { number, message: message.into(), stage: None }
    }

    /// The same with the stage that the message names.
    #[must_use]
    pub fn in_stage(self, stage: &'static str) -> Self {
        Self { stage: Some(stage), ..self }
    }

    /// The query was killed, or ran longer than its `maxRuntime`.
    pub fn killed() -> Self {
        Self::new(error_number::QUERY_KILLED, "query killed")
    }

    /// A promise between two parts of the server was broken; `what` names it.
    pub fn internal(what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(error_number::INTERNAL, format!("internal error: {}", what.into()))
    }

    /// `what` is part of AQL but cannot be run by this server.
    pub fn not_implemented(what: impl fmt::Display) -> Self {
        Self::new(error_number::NOT_IMPLEMENTED, format!("not implemented: {what}"))
    }

    /// The expression asks the server something, so it has no value before the query runs. Never reaches a client:
    /// constant folding takes it as "leave this expression as it is".
    pub fn not_constant() -> Self {
        Self::new(Self::NOT_CONSTANT, "expression is not constant")
    }

    /// Whether this is [`Error::not_constant`].
    pub fn is_not_constant(&self) -> bool {
        self.number == Self::NOT_CONSTANT
    }

    /// A number outside of ArangoDB's list (its numbers fit in 16 bits).
    const NOT_CONSTANT: u32 = u32::MAX;
}

impl From<velocypack::Error> for Error {
    /// Why a value could not be built: too deep (1524), too large (32), or a mistake of the caller (4).
    fn from(error: velocypack::Error) -> Self {
        match error {
            velocypack::Error::TooDeep { .. } => Self::new(error_number::TOO_MUCH_NESTING, error.to_string()),
            velocypack::Error::TooLarge { .. } => Self::new(error_number::RESOURCE_LIMIT, error.to_string()),
            _ => Self::internal(error.to_string()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error number {})", self.message, self.number)
    }
}

impl std::error::Error for Error {}
