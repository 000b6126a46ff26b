//! The tokens that this server has signed for users.
//!
//! Each has an identifier and is bound to the credential that it was made from: a password, whose
//! hash changes with it, or an access token. The list of them is in memory, for people to look at.
//! Withdrawals are in the users' records.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use catalog::UserDefinition;
use database::Identity;
use errors::{Error, Result};
use storage::Catalog;

use super::known::{Credential, Known};
use super::token;

/// Maximum number of tokens in the list. Beyond it, the oldest one is left out.
const ISSUED_MAX: usize = 10_000;

/// Bytes of an identifier.
const ID_BYTES: usize = 16;

/// A token that this server has signed.
#[derive(Clone)]
pub(crate) struct IssuedSession {
    known: Known,
    /// The time of its beginning, in seconds since 1970.
    pub(crate) issued: u64,
    /// The address of the client that it was given to.
    pub(crate) address: Option<IpAddr>,
}

impl IssuedSession {
    /// Returns the identifier of the token.
    pub(crate) fn id(&self) -> &str {
        self.known.session.as_ref().map_or("", |(id, _)| id)
    }

    /// Returns the end of the token, in seconds since 1970.
    pub(crate) fn expires(&self) -> u64 {
        self.known.expires_seconds.map_or(u64::MAX, |expires| expires as u64)
    }
}

/// The list of tokens, the oldest first.
#[derive(Default)]
pub(super) struct IssuedSessions {
    all: Mutex<VecDeque<IssuedSession>>,
}

impl IssuedSessions {
    pub(super) fn add(&self, known: Known, issued: u64, address: Option<IpAddr>) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= ISSUED_MAX {
            all.retain(|session| session.expires() > issued);
        }
        if all.len() >= ISSUED_MAX {
            all.pop_front();
        }
        all.push_back(IssuedSession { known, issued, address });
    }

    /// Returns the valid ones of a user.
    pub(super) fn of(&self, catalog: &Catalog, user: &str, now_seconds: f64) -> Vec<IssuedSession> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|session| session.expires() as f64 > now_seconds);
        let is_of =
            |session: &&IssuedSession| session.known.identity.name().is_some_and(|name| **name == *user);
        all.iter().filter(is_of).filter(|session| session.known.is_good(catalog)).cloned().collect()
    }
}

/// Returns a new identifier.
pub(super) fn new_id() -> Result<String> {
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the result for a token with a session; `None` if it was withdrawn, or its password or
/// access token is not there any more.
pub(super) fn known(
    identity: Identity,
    user: &Arc<UserDefinition>,
    session: &token::Session,
    secrets: &[Vec<u8>],
) -> Option<Known> {
    let is_of = |text: &str| {
        let proof = |secret: &Vec<u8>| token::proof(&user.name, text, secret);
        secrets.iter().any(|secret| proof(secret).as_deref() == Some(&session.proof))
    };
    if user.sessions.generation() != session.generation || user.sessions.is_withdrawn(&session.id) {
        return None;
    }
    let (credential, expires_seconds) = match session.access_token {
        None => (is_of(&user.password_hash).then_some(Credential::Password)?, None),
        Some(id) => {
            let token = user.tokens.iter().find(|token| token.id == id && is_of(&token.digest))?;
            (Credential::AccessToken(token.digest.clone()), Some(token.valid_until as f64))
        }
    };
    let session = Some((session.id.as_str().into(), session.generation));
    Some(Known { expires_seconds, session, ..Known::new(identity, user, credential) })
}
