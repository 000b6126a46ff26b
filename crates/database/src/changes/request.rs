//! A client's request for a feed.

use errors::{Error, Result};

use super::{ChangeForm, Token};

/// The place at which a feed begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Behind all commits so far.
    Now,
    /// At the oldest entry that is left.
    Earliest,
    /// Behind a position.
    Token(Token),
}

impl Since {
    /// Reads `now`, `earliest` or a token.
    ///
    /// Errors: 10 for another text.
    pub fn parse(text: &str) -> Result<Since> {
        match text {
            "now" => Ok(Since::Now),
            "earliest" => Ok(Since::Earliest),
            token => Token::parse(token).map(Since::Token),
        }
    }
}

/// A client's request for a feed.
#[derive(Clone, Debug)]
pub struct FeedRequest {
    /// The beginning.
    pub since: Since,
    /// The collections whose changes are wanted; `None` for all that the user may read, with
    /// changes of definitions.
    pub collections: Option<Vec<String>>,
    /// An AQL expression over `operation`, `collection`, `document` and `before`.
    pub filter: Option<String>,
    /// The values of the filter's bind parameters, a VelocyPack object.
    pub bind_vars: Vec<u8>,
    /// The changes after which the feed ends; `None` for no end.
    pub limit: Option<u64>,
    /// First the present documents, then their changes.
    pub initial: bool,
    /// The changes of all databases and users. Only administrators may see them.
    pub global: bool,
    /// The form of entries.
    pub form: ChangeForm,
}

/// Maximum number of collections that a feed may name.
pub(super) const COLLECTIONS_MAX: usize = 1_000;

impl FeedRequest {
    /// Reads a list of collections, separated by commas.
    ///
    /// Errors: 10 for an empty name, or too many.
    pub fn parse_collections(text: &str) -> Result<Vec<String>> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.len() > COLLECTIONS_MAX {
            return Err(Error::bad_parameter(format!("at most {COLLECTIONS_MAX} collections are accepted")));
        }
        if names.iter().any(String::is_empty) {
            return Err(Error::bad_parameter("'collections' must be names, separated by commas"));
        }
        Ok(names)
    }
}
