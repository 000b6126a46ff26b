//! Users whom issuers of OpenID Connect identify.
//!
//! A token is verified on the connection's task, which takes a tenth of a millisecond at most. Only
//! the fetch of keys takes longer. It has a thread of its own, and requests wait for it without
//! one: 64 for each issuer, the others are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use catalog::{AccessLevel, Rights};
use database::{ExternalIdentity, Identity};
use errors::{Error, ErrorCode, Result};
use hyper::header::HeaderMap;
use openid::{Grants, IssuerOptions, Issuers, KeyFetch, Level, Pace, Refusal, SignIns};
use storage::Catalog;
use tokio::sync::oneshot;

use super::known::{Known, Lenders, active};
use super::{Look, not_authorized, now_seconds};
use crate::http::waits::Readiness;

/// Longest time that a request waits for the keys of an issuer.
const KEYS_TIMEOUT: Duration = Duration::from_secs(15);

/// Longest time for which the result of a token is used again, in seconds. Then its key must still
/// be one of the issuer's.
const CACHED_SECONDS: f64 = 300.0;

/// The issuers whose tokens are accepted.
pub(crate) struct TrustedIssuers {
    sign_ins: Arc<SignIns>,
    /// The second in which the log had the last entry about a token that is not valid.
    last_entry: AtomicU64,
}

impl TrustedIssuers {
    pub(super) fn start(options: Vec<IssuerOptions>, pace: Pace) -> Self {
        let sign_ins = Arc::new(SignIns::new(Issuers::start(options, pace)));
        TrustedIssuers { sign_ins, last_entry: AtomicU64::new(0) }
    }

    /// Returns the sign-ins of the web interface.
    pub(crate) fn sign_ins(&self) -> &Arc<SignIns> {
        &self.sign_ins
    }

    /// Verifies a token, and finds out what its owner may do.
    pub(super) fn examine(
        &self,
        token: &str,
        catalog: &Catalog,
        now_seconds: f64,
    ) -> std::result::Result<Known, Refusal> {
        let examined = self.sign_ins.issuers().examine(token, now_seconds);
        let examined = examined.and_then(|verified| {
            let (rights, lenders) = rights(&verified.grants, catalog);
            if catalog.user(&verified.user).is_some() {
                let message = format!("'{}' is the name of a user of this server", verified.user);
                return Err(Refusal::NoRights(message));
            }
            let identity = ExternalIdentity {
                name: verified.user.into(),
                issuer: verified.issuer,
                rights,
                roles: verified.grants.roles,
            };
            Ok(Known {
                expires_seconds: Some(verified.expires_seconds.min(now_seconds + CACHED_SECONDS)),
                lenders,
                ..Known::of(Identity::External(Arc::new(identity)))
            })
        });
        if let Err(refusal) = &examined {
            self.log(refusal, now_seconds as u64);
        }
        examined
    }

    /// Logs why a sign-in failed, and returns the error for its page.
    pub(crate) fn refuse_sign_in(&self, refusal: &Refusal) -> Error {
        self.log(refusal, now_seconds() as u64);
        match refusal {
            Refusal::Invalid(_) => {
                let message = "the sign-in was not accepted; begin it again";
                Error::new(ErrorCode::HttpUnauthorized, message)
            }
            Refusal::NoRights(_) => no_rights(),
            Refusal::Unavailable(_) | Refusal::Fetching(_) => keys_unavailable(),
        }
    }

    /// Logs why a token is not accepted, at most once a second: strangers can send any.
    fn log(&self, refusal: &Refusal, second: u64) {
        let is_new = self.last_entry.swap(second, Ordering::Relaxed) != second;
        match refusal {
            Refusal::NoRights(_) | Refusal::Invalid(_) | Refusal::Unavailable(_) if is_new => {
                tracing::warn!(target: "authentication", "a token of an issuer is refused: {refusal}");
            }
            _ => tracing::debug!(target: "authentication", "a token of an issuer is refused: {refusal}"),
        }
    }
}

/// Returns the rights of grants in a catalog, and the local users from whom some of them are.
fn rights(grants: &Grants, catalog: &Catalog) -> (Rights, Lenders) {
    let mut rights = Rights::default();
    let level = |level: Level| match level {
        Level::None => AccessLevel::None,
        Level::ReadOnly => AccessLevel::ReadOnly,
        Level::ReadWrite => AccessLevel::ReadWrite,
    };
    for (name, grant) in &grants.databases {
        if let Some(of_database) = grant.level {
            rights.grant_database(name, level(of_database));
        }
        for (collection, of_collection) in &grant.collections {
            rights.grant_collection(name, collection, level(*of_collection));
        }
    }
    let lender = |name: &String| (name.clone(), active(catalog, name).cloned());
    let lenders: Lenders = grants.users.iter().map(lender).collect();
    lenders.iter().filter_map(|(_, user)| user.as_ref()).for_each(|user| rights.add(&user.rights));
    (rights, lenders)
}

/// Returns the reply to a token that is not accepted, or the fetch that it waits for.
///
/// Errors: 401; 403 if the token is valid and gives no rights; 503 while its issuer does not
/// answer.
pub(super) fn refused(refusal: Refusal, headers: &HeaderMap) -> Result<Look> {
    match refusal {
        Refusal::Fetching(fetch) => Ok(Look::AfterKeys(fetch)),
        Refusal::Invalid(_) => Err(not_authorized(headers)),
        Refusal::NoRights(_) => Err(no_rights()),
        Refusal::Unavailable(_) => Err(keys_unavailable()),
    }
}

/// Returns the error of a valid token that gives no rights.
fn no_rights() -> Error {
    Error::new(ErrorCode::Forbidden, "forbidden: the token of the issuer gives no rights on this server")
}

/// Returns the error of a token that cannot be verified at present.
pub(crate) fn keys_unavailable() -> Error {
    let message = "the issuer of the token is not available; try again later";
    Error::new(ErrorCode::HttpServiceUnavailable, message)
}

/// Completes once a fetch has ended, or immediately if too many wait for it.
pub(crate) fn keys_fetched(fetch: &KeyFetch) -> Readiness {
    let (sender, receiver) = oneshot::channel();
    let waits = fetch.when_ended(move || {
        let _ = sender.send(());
    });
    Box::pin(async move {
        if waits {
            let _ = tokio::time::timeout(KEYS_TIMEOUT, receiver).await;
        }
    })
}
