//! The error type: a code, a message, and details.

use std::borrow::Cow;
use std::fmt;

use crate::ErrorCode;

/// The result of an operation that a client can cause to fail.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why an operation failed.
///
/// It is one pointer wide, so that a `Result` stays small where documents are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: ErrorCode,
    message: Cow<'static, str>,
    document: Option<ConflictingDocument>,
    position: Option<Position>,
    stage: Option<&'static str>,
    status: Option<u16>,
    number: Option<u32>,
    has_challenge: bool,
    is_retryable: bool,
}

/// The stored document that conflicts with a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictingDocument {
    /// The name of its collection.
    pub collection: String,
    /// Its `_key`.
    pub key: String,
    /// Its `_rev`, if it is known.
    pub revision: Option<String>,
}

impl ConflictingDocument {
    /// Returns its `_id`: `collection/key`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.collection, self.key)
    }
}

/// A position in the text of a query. Line and column count from 1, columns in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Error {
    /// Returns an error with a message that says what was wrong, where, and what would be right.
    #[cold]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        let inner = Inner {
            code,
            message: message.into(),
            document: None,
            position: None,
            stage: None,
            status: None,
            number: None,
            has_challenge: false,
            is_retryable: false,
        };
        Error { inner: Box::new(inner) }
    }

    /// Returns an error with the message of its code.
    pub fn of(code: ErrorCode) -> Self {
        Error::new(code, code.message())
    }

    /// Returns the code, by which callers decide.
    pub fn code(&self) -> ErrorCode {
        self.inner.code
    }

    /// Returns the number for replies, `errorNum`: that of the code, or one that a script chose.
    pub fn number(&self) -> u32 {
        self.inner.number.unwrap_or(self.inner.code.number())
    }

    /// Returns the text for `errorMessage`.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Returns the HTTP status of a request that failed with this error.
    pub fn status(&self) -> u16 {
        self.inner.status.unwrap_or(self.inner.code.status())
    }

    /// Returns true if the reply tells the client how to log in (header `WWW-Authenticate`).
    pub fn has_challenge(&self) -> bool {
        self.inner.has_challenge
    }

    /// Returns the conflicting document, if it is known.
    ///
    /// Only conflicts and violated unique constraints have one.
    pub fn document(&self) -> Option<&ConflictingDocument> {
        self.inner.document.as_ref()
    }

    /// Returns the position of the error in the query's text, if it is known.
    pub fn position(&self) -> Option<Position> {
        self.inner.position
    }

    /// Returns the query stage in which ArangoDB detects the error ("instantiating plan"), if its
    /// messages name one.
    pub fn stage(&self) -> Option<&'static str> {
        self.inner.stage
    }

    /// Returns true if a retry of the whole request, or more patience, may succeed.
    pub fn is_retryable(&self) -> bool {
        self.inner.is_retryable
    }

    /// Returns the same error with another message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.inner.message = message.into();
        self
    }

    /// Returns the same error with an HTTP status other than its code's.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.inner.status = Some(status);
        self
    }

    /// Returns the error for an exception of a script: the code with the exception's number.
    ///
    /// An exception whose number is no code's has the code `otherwise` and keeps its number. One
    /// without a number, or with one that `errorNum` cannot hold, has the number of `otherwise`.
    pub fn of_exception(
        number: Option<f64>,
        otherwise: ErrorCode,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let code = number.and_then(ErrorCode::of_number);
        let mut error = Error::new(code.unwrap_or(otherwise), message);
        let own = number.filter(|number| code.is_none() && (1.0..=f64::from(u32::MAX)).contains(number));
        error.inner.number = own.map(|number| number as u32);
        error
    }

    /// Returns the same error, whose reply tells the client how to log in.
    #[must_use]
    pub fn with_challenge(mut self) -> Self {
        self.inner.has_challenge = true;
        self
    }

    /// Returns the same error about a stored document.
    #[must_use]
    pub fn with_document(mut self, document: ConflictingDocument) -> Self {
        self.inner.document = Some(document);
        self
    }

    /// Returns the same error at a position in the query's text.
    #[must_use]
    pub fn with_position(mut self, position: Position) -> Self {
        self.inner.position = Some(position);
        self
    }

    /// Returns the same error, found in this stage of a query.
    #[must_use]
    pub fn in_stage(mut self, stage: &'static str) -> Self {
        self.inner.stage = Some(stage);
        self
    }

    /// Returns the same error, of a request whose retry may succeed.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.inner.is_retryable = true;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error {}, {})", self.message(), self.number(), self.code().name())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }

    #[test]
    fn the_status_is_that_of_the_code_unless_it_has_its_own() {
        let error = Error::of(ErrorCode::Forbidden);
        assert_eq!((error.status(), error.with_status(401).status()), (403, 401));
    }

    #[test]
    fn an_exception_keeps_a_number_that_fits() {
        let number_of = |number| {
            let error = Error::of_exception(number, ErrorCode::ModuleFailure, "thrown");
            (error.code(), error.number())
        };
        assert_eq!(number_of(Some(1202.0)), (ErrorCode::DocumentNotFound, 1202));
        assert_eq!(number_of(Some(60_001.0)), (ErrorCode::ModuleFailure, 60_001));
        for number in [None, Some(0.0), Some(-1.0), Some(f64::NAN), Some(1e10)] {
            assert_eq!(number_of(number), (ErrorCode::ModuleFailure, 3103));
        }
    }

    #[test]
    fn details_stay_with_the_error() {
        let document =
            ConflictingDocument { collection: "c".to_owned(), key: "k".to_owned(), revision: None };
        let error = Error::of(ErrorCode::Conflict).with_document(document).retryable().with_message("busy");
        assert_eq!(error.document().map(ConflictingDocument::id).as_deref(), Some("c/k"));
        assert!(error.is_retryable());
        assert_eq!(error.to_string(), "busy (error 1200, ARANGO_CONFLICT)");
    }
}
