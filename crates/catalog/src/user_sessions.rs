//! The withdrawal of tokens that the server has signed for a user.
//!
//! A token names the generation of its user's sessions and has an identifier. Withdrawing all of
//! them begins the next generation. A single one is in a list until its end.

use std::collections::BTreeMap;

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::properties::{Printer, Properties};

/// The maximum number of withdrawn tokens of one user that have not ended.
pub const WITHDRAWN_MAX: usize = 1_000;

/// Longest identifier of a token in bytes.
pub const SESSION_ID_MAX_BYTES: usize = 64;

/// The state of a user's tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSessions {
    generation: u64,
    /// The ends of withdrawn tokens in seconds since 1970, by their identifiers.
    withdrawn: BTreeMap<String, u64>,
}

impl UserSessions {
    /// Returns the generation of new tokens.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns true if the token with an identifier was withdrawn.
    pub fn is_withdrawn(&self, id: &str) -> bool {
        self.withdrawn.contains_key(id)
    }

    /// Returns true if nothing was ever withdrawn.
    pub(crate) fn is_untouched(&self) -> bool {
        *self == UserSessions::default()
    }

    /// Withdraws one token that ends at `ends` seconds since 1970.
    ///
    /// Errors: 10 for an identifier that is empty or too long, 32 if there are too many.
    pub fn withdraw(&mut self, id: &str, ends: u64, now: u64) -> Result<()> {
        if id.is_empty() || id.len() > SESSION_ID_MAX_BYTES {
            let message = format!("the identifier of a session must have 1 to {SESSION_ID_MAX_BYTES} bytes");
            return Err(Error::bad_parameter(message));
        }
        self.withdrawn.retain(|_, ends| *ends > now);
        if self.withdrawn.len() >= WITHDRAWN_MAX && !self.is_withdrawn(id) {
            let message = format!(
                "resource limit exceeded: at most {WITHDRAWN_MAX} sessions of a user can be withdrawn \
                 one by one; withdraw all of them"
            );
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        self.withdrawn.insert(id.to_owned(), ends);
        Ok(())
    }

    /// Withdraws all tokens that were made before.
    pub fn withdraw_all(&mut self) {
        self.generation += 1;
        self.withdrawn.clear();
    }

    /// Takes the later state of two: that of a restored user and the present one.
    ///
    /// A user from an older dump does not bring withdrawn tokens back.
    pub fn keep_withdrawn(&mut self, present: &UserSessions) {
        if present.generation > self.generation {
            self.generation = present.generation;
        }
        for (id, ends) in present.withdrawn.iter().take(WITHDRAWN_MAX) {
            self.withdrawn.insert(id.clone(), *ends);
        }
    }

    /// Prints the state into an object that is open in `builder`, for [`UserSessions::read`].
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| self.print_onto(printer))
    }

    pub(crate) fn print_onto(&self, printer: &mut Printer<'_>) {
        printer.unsigned("generation", self.generation);
        printer.object("withdrawn", |printer| {
            for (id, ends) in &self.withdrawn {
                printer.unsigned(id, *ends);
            }
        });
    }

    /// Reads a state that [`UserSessions::print`] printed.
    ///
    /// Errors: 10.
    pub fn read(printed: Slice<'_>) -> Result<Self> {
        let printed = Properties::of(printed, "sessions")?;
        let generation = printed.unsigned("generation")?.unwrap_or_default();
        let mut withdrawn = BTreeMap::new();
        for (id, ends) in printed.value("withdrawn").into_iter().flat_map(Slice::entries).take(WITHDRAWN_MAX)
        {
            let ends = ends.as_u64().filter(|_| id.len() <= SESSION_ID_MAX_BYTES);
            let ends = ends.ok_or_else(|| Error::bad_parameter("the end of a session must be a number"))?;
            withdrawn.insert(id.to_owned(), ends);
        }
        Ok(UserSessions { generation, withdrawn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withdrawn_tokens_are_kept_until_their_ends() {
        let mut sessions = UserSessions::default();
        assert!(sessions.is_untouched());
        sessions.withdraw("a", 100, 50).unwrap();
        sessions.withdraw("b", 200, 100).unwrap();
        assert!(!sessions.is_withdrawn("a") && sessions.is_withdrawn("b"));
        for number in 1..WITHDRAWN_MAX {
            sessions.withdraw(&number.to_string(), 200, 100).unwrap();
        }
        assert_eq!(sessions.withdraw("more", 200, 100).unwrap_err().code(), ErrorCode::ResourceLimit);
        assert_eq!(sessions.withdraw("", 200, 100).unwrap_err().code(), ErrorCode::BadParameter);
        sessions.withdraw("b", 300, 100).unwrap();
        sessions.withdraw_all();
        assert_eq!((sessions.generation(), sessions.is_withdrawn("b")), (1, false));
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let mut sessions = UserSessions::default();
        sessions.withdraw_all();
        sessions.withdraw("a", 100, 50).unwrap();
        let mut builder = Builder::new();
        builder.open_object().unwrap();
        sessions.print(&mut builder).unwrap();
        builder.close().unwrap();
        assert_eq!(UserSessions::read(builder.as_slice()), Ok(sessions));
        assert_eq!(UserSessions::read(Slice::EMPTY_OBJECT), Ok(UserSessions::default()));
    }

    #[test]
    fn an_older_dump_brings_nothing_back() {
        let (mut dumped, mut present) = (UserSessions::default(), UserSessions::default());
        present.withdraw_all();
        present.withdraw("a", 100, 50).unwrap();
        dumped.keep_withdrawn(&present);
        assert!(dumped.generation() == 1 && dumped.is_withdrawn("a"));
    }
}
