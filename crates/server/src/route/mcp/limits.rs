//! The bounds of what a call of a tool may return and take. The answers state them.

use std::time::Duration;

use mcp::{ArgumentError, Arguments, Object};

/// Rows of an answer, unless the call asks for another number.
const DEFAULT_ROWS: u64 = 100;

/// Rows of the answer of a search, unless the call asks for another number.
const SEARCH_ROWS: u64 = 10;

/// The most rows of an answer.
const ROWS_MAX: u64 = 1_000;

/// Bytes of the rows of an answer, unless the call asks for another number: about 16,000 tokens.
const DEFAULT_BYTES: u64 = 64 << 10;

/// The most bytes of the rows of an answer.
const BYTES_MAX: u64 = 1 << 20;

/// Seconds that a call may take, unless it asks for another number.
const DEFAULT_SECONDS: f64 = 30.0;

/// The most seconds that a call may take.
const SECONDS_MAX: f64 = 300.0;

/// Bytes of a token, on average, of JSON in English.
pub(super) const TOKEN_BYTES: u64 = 4;

/// The bounds of one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { rows: DEFAULT_ROWS, bytes: DEFAULT_BYTES, seconds: DEFAULT_SECONDS }
    }
}

impl Limits {
    /// Returns the bounds that a call asks for: `limit`, `max_bytes` and `timeout`.
    pub(super) fn of(arguments: &Arguments<'_>) -> Result<Self, ArgumentError> {
        Ok(Limits {
            rows: arguments.count("limit", DEFAULT_ROWS, 1..=ROWS_MAX)?,
            bytes: arguments.count("max_bytes", DEFAULT_BYTES, 1_000..=BYTES_MAX)?,
            seconds: arguments.number("timeout", DEFAULT_SECONDS, 0.001..=SECONDS_MAX)?,
        })
    }

    /// Returns the bounds of a search, which returns few rows unless the call asks for more.
    pub(super) fn of_search(arguments: &Arguments<'_>) -> Result<Self, ArgumentError> {
        Ok(Limits { rows: arguments.count("limit", SEARCH_ROWS, 1..=ROWS_MAX)?, ..Limits::default() })
    }

    /// Returns the LIMIT of a query that shows if there are more rows than the answer has.
    pub(super) fn row_to_see_more(&self) -> u64 {
        self.rows.saturating_add(1)
    }

    /// Returns the time that the call may take.
    pub(super) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Writes the bounds into an answer.
    pub(super) fn print(&self, object: &mut Object<'_>) {
        object.child("limits", |object| {
            object.number("rows", self.rows).number("bytes", self.bytes).double("seconds", self.seconds);
        });
    }
}
