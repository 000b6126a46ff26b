//! Access tokens: additional credentials, each with one purpose and an expiry.
//!
//! The layer above makes and checks tokens. This module defines what the catalog stores of them.

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::properties::{Printer, Properties};

/// The maximum number of tokens of one user; more is a mistake or an attack.
pub const ACCESS_TOKENS_MAX: usize = 1_000;
/// The maximum length of a token's name, in bytes.
pub const ACCESS_TOKEN_NAME_MAX_BYTES: usize = 1_024;

/// A token, without its secret text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessToken {
    /// A number that no other token of the user has had.
    pub id: u64,
    /// The name, unique among the user's tokens.
    pub name: String,
    /// The time of creation, in seconds since 1970.
    pub created_at: u64,
    /// The time of expiry, in seconds since 1970.
    pub valid_until: u64,
    /// The part of the secret text that may be shown.
    pub fingerprint: String,
    /// The digest of the secret text.
    pub digest: String,
}

/// The tokens of one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessTokens {
    last_id: u64,
    tokens: Vec<AccessToken>,
}

impl AccessTokens {
    /// Returns all tokens, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &AccessToken> {
        self.tokens.iter()
    }

    /// Returns the token with a digest.
    pub fn by_digest(&self, digest: &str) -> Option<&AccessToken> {
        self.tokens.iter().find(|token| token.digest == digest)
    }

    /// Returns true if the user has never had a token.
    pub(crate) fn is_untouched(&self) -> bool {
        self.last_id == 0
    }

    /// Adds a token under a new `id`, which it returns.
    ///
    /// Errors: 1207 if the name is taken, 10 if it is too long, 32 if there are too many tokens.
    pub fn add(&mut self, token: AccessToken) -> Result<u64> {
        check_name(&token.name)?;
        if self.tokens.iter().any(|other| other.name == token.name) {
            let message = "duplicate name: an access token with this name already exists";
            return Err(Error::new(ErrorCode::DuplicateName, message));
        }
        if self.tokens.len() >= ACCESS_TOKENS_MAX {
            let message =
                format!("resource limit exceeded: a user can have at most {ACCESS_TOKENS_MAX} access tokens");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        self.last_id += 1;
        self.tokens.push(AccessToken { id: self.last_id, ..token });
        Ok(self.last_id)
    }

    /// Removes the token with a number, if there is one.
    pub fn remove(&mut self, id: u64) {
        self.tokens.retain(|token| token.id != id);
    }

    /// Prints the tokens into an object that is open in `builder`, for [`AccessTokens::read`].
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| self.print_onto(printer))
    }

    pub(crate) fn print_onto(&self, printer: &mut Printer<'_>) {
        printer.unsigned("lastId", self.last_id);
        printer.objects("tokens", &self.tokens, |token, printer| {
            printer.unsigned("id", token.id);
            printer.text("name", &token.name);
            printer.unsigned("createdAt", token.created_at);
            printer.unsigned("validUntil", token.valid_until);
            printer.text("fingerprint", &token.fingerprint);
            printer.text("digest", &token.digest);
        });
    }

    /// Reads tokens that [`AccessTokens::print`] printed.
    ///
    /// Errors: 10.
    pub fn read(printed: Slice<'_>) -> Result<Self> {
        let missing = || Error::bad_parameter("access tokens lack an attribute");
        let printed = Properties::of(printed, "access tokens")?;
        let last_id = printed.unsigned("lastId")?.ok_or_else(missing)?;
        let mut tokens = Vec::new();
        for token in printed.array("tokens")?.ok_or_else(missing)?.elements().take(ACCESS_TOKENS_MAX) {
            let token = Properties::of(token, "an access token")?;
            let text = |name| token.text(name)?.map(str::to_owned).ok_or_else(missing);
            let number = |name| token.unsigned(name)?.ok_or_else(missing);
            let token = AccessToken {
                id: number("id")?,
                name: text("name")?,
                created_at: number("createdAt")?,
                valid_until: number("validUntil")?,
                fingerprint: text("fingerprint")?,
                digest: text("digest")?,
            };
            check_name(&token.name)?;
            tokens.push(token);
        }
        let last_id = tokens.iter().map(|token| token.id).fold(last_id, u64::max);
        Ok(AccessTokens { last_id, tokens })
    }
}

fn check_name(name: &str) -> Result<()> {
    if name.len() <= ACCESS_TOKEN_NAME_MAX_BYTES {
        return Ok(());
    }
    let message =
        format!("the name of an access token must not be longer than {ACCESS_TOKEN_NAME_MAX_BYTES} bytes");
    Err(Error::bad_parameter(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str) -> AccessToken {
        AccessToken {
            id: 0,
            name: name.to_owned(),
            created_at: 1_700_000_000,
            valid_until: 1_800_000_000,
            fingerprint: "v1...227d7d".to_owned(),
            digest: format!("digest of {name}"),
        }
    }

    #[test]
    fn numbers_are_not_given_twice_and_names_are_unique() {
        let mut tokens = AccessTokens::default();
        assert_eq!(tokens.add(token("a")), Ok(1));
        assert_eq!(tokens.add(token("b")), Ok(2));
        assert_eq!(tokens.add(token("a")).unwrap_err().code(), ErrorCode::DuplicateName);
        tokens.remove(2);
        tokens.remove(7);
        assert_eq!(tokens.add(token("b")), Ok(3));
        assert_eq!(tokens.by_digest("digest of b").map(|token| token.id), Some(3));
        assert_eq!(tokens.by_digest("digest of c"), None);
        let long = "x".repeat(ACCESS_TOKEN_NAME_MAX_BYTES + 1);
        assert_eq!(tokens.add(token(&long)).unwrap_err().code(), ErrorCode::BadParameter);
        for number in tokens.iter().count()..ACCESS_TOKENS_MAX {
            tokens.add(token(&number.to_string())).unwrap();
        }
        assert_eq!(tokens.add(token("one more")).unwrap_err().code(), ErrorCode::ResourceLimit);
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let mut tokens = AccessTokens::default();
        tokens.add(token("a")).unwrap();
        tokens.add(token("b")).unwrap();
        tokens.remove(2);
        let mut builder = Builder::new();
        builder.open_object().unwrap();
        tokens.print(&mut builder).unwrap();
        builder.close().unwrap();
        assert_eq!(AccessTokens::read(Slice::new(&builder.into_vec())), Ok(tokens));
        assert!(AccessTokens::read(Slice::EMPTY_OBJECT).is_err());
    }
}
