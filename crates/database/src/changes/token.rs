//! Positions in a change log, as clients keep them.

use std::fmt;

use errors::{Error, ErrorCode, Result};
use storage::{LogStart, Store};
use velocypack::json;

/// A position in one change log: `v1.LOG.POSITION`, the first hexadecimal, the second decimal.
///
/// Clients pass it back as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The identity of the log.
    pub log: u64,
    /// The position of the last entry that the client has.
    pub position: u64,
}

impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v1.{:x}.{}", self.log, self.position)
    }
}

impl Token {
    /// Appends the token as text, without the cost of formatting: feeds write one for each change.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"v1.");
        let digits = (u64::BITS - self.log.leading_zeros()).div_ceil(4).max(1);
        for place in (0..digits).rev() {
            let digit = (self.log >> (place * 4)) & 0xf;
            out.push(char::from_digit(digit as u32, 16).map_or(b'0', |digit| digit as u8));
        }
        out.push(b'.');
        json::write_u64(self.position, out);
    }

    /// Reads a token.
    ///
    /// Errors: 10 for text that is no token.
    pub fn parse(text: &str) -> Result<Token> {
        let read = || {
            let (log, position) = text.strip_prefix("v1.")?.split_once('.')?;
            let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !is_plain(log) || !is_plain(position) {
                return None;
            }
            Some(Token { log: u64::from_str_radix(log, 16).ok()?, position: position.parse().ok()? })
        };
        read().ok_or_else(|| {
            Error::bad_parameter(format!(
                "'{text}' is no token: expecting 'now', 'earliest' or a token of a change"
            ))
        })
    }

    /// Checks that a log has all entries behind the token, and those before it that its reader has.
    ///
    /// Errors: 1414 with the oldest token if the entries were removed or lost, or if the token is
    /// of another log.
    pub(crate) fn check(self, store: &Store, start: LogStart, first: u64) -> Result<()> {
        self.check_range(start, first)?;
        if !store.has_lost_changes(self.position) {
            return Ok(());
        }
        let oldest = Token { log: start.id, position: first.saturating_sub(1) };
        Err(gone(format!(
            "the last changes before the token were lost when the machine of this server stopped; read the \
             documents again, or begin with the oldest token, {oldest}"
        )))
    }

    /// Checks that the token is of a log, and not older than its first position.
    fn check_range(self, start: LogStart, first: u64) -> Result<()> {
        let oldest = Token { log: start.id, position: first.saturating_sub(1) };
        if self.log != start.id {
            let message = format!(
                "the token is of another change log: this one began later, or was restored; read the documents \
                 again, or begin with the oldest token, {oldest}"
            );
            return Err(gone(message));
        }
        if self.position < oldest.position {
            let message = format!(
                "the changes after the token were removed; read the documents again, or begin with the oldest \
                 token, {oldest}"
            );
            return Err(gone(message));
        }
        Ok(())
    }
}

/// Returns the error for entries that are not there any more: HTTP status 410.
fn gone(message: String) -> Error {
    const GONE: u16 = 410;
    Error::new(ErrorCode::ReplicationStartTickNotPresent, message).with_status(GONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: LogStart = LogStart { id: 0xab, first: 100 };

    #[test]
    fn a_token_is_read_as_it_is_printed() {
        let token = Token { log: u64::MAX, position: 12 };
        assert_eq!(token.to_string(), "v1.ffffffffffffffff.12");
        assert_eq!(Token::parse(&token.to_string()).unwrap(), token);
        for log in [0, 1, 0xf, 0x10, 0xab_cdef, u64::MAX] {
            let (token, mut text) = (Token { log, position: 7 }, Vec::new());
            token.write(&mut text);
            assert_eq!(text, token.to_string().into_bytes());
        }
        for text in
            ["", "v1", "v1.", "v1.1", "v1.1.", "v1..1", "v1.+1.1", "v1.1.-1", "v2.1.1", "v1.1.1.1", "v1.g.1"]
        {
            assert_eq!(Token::parse(text).unwrap_err().number(), 10, "{text}");
        }
    }

    #[test]
    fn a_token_that_is_too_old_or_foreign_names_the_oldest() {
        let token = |log, position| Token { log, position };
        token(0xab, 99).check_range(START, 100).unwrap();
        for wrong in [token(0xab, 98), token(0xcd, 200)] {
            let error = wrong.check_range(START, 100).unwrap_err();
            assert_eq!(error.number(), 1414);
            assert!(error.message().contains("v1.ab.99"), "{}", error.message());
        }
    }
}
