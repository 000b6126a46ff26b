//! All issuers, and the verification of tokens.

use std::sync::Arc;

use velocypack::Slice;

use crate::claims;
use crate::grants::Grants;
use crate::issuer::{Issuer, KeyFetch, KeyState, Pace};
use crate::options::IssuerOptions;
use crate::rule::Rule;
use crate::token::Token;

/// A token that an issuer has signed, that is for us and valid now.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The user's name, with the prefix of the issuer.
    pub user: String,
    /// The URL of the issuer.
    pub issuer: String,
    /// The grants of all rules that fit.
    pub grants: Grants,
    /// The time at which the token expires, in seconds since 1970, with the clock skew.
    pub expires_seconds: f64,
}

/// The reason why a token is not accepted.
#[derive(Debug)]
pub enum Refusal {
    /// It is no valid token, for a reason that the log may tell.
    Invalid(String),
    /// It is valid, but its owner has no rights here.
    NoRights(String),
    /// The keys of its issuer are being fetched; then it can be examined again.
    Fetching(KeyFetch),
    /// The keys of its issuer cannot be fetched at present.
    Unavailable(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Invalid(reason) | Refusal::NoRights(reason) | Refusal::Unavailable(reason) => {
                formatter.write_str(reason)
            }
            Refusal::Fetching(_) => formatter.write_str("the keys of the issuer are being fetched"),
        }
    }
}

/// The configured issuers.
pub struct Issuers {
    issuers: Vec<Arc<Issuer>>,
}

impl std::fmt::Debug for Issuers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.issuers.iter().map(|issuer| &issuer.options.issuer)).finish()
    }
}

impl Issuers {
    /// Returns the issuers, and begins to fetch their keys. An issuer that does not answer is asked
    /// again when a token needs its keys.
    pub fn start(options: Vec<IssuerOptions>, pace: Pace) -> Arc<Self> {
        let issuers: Vec<_> = options.into_iter().map(|options| Issuer::new(options, pace)).collect();
        issuers.iter().for_each(Issuer::prepare);
        Arc::new(Issuers { issuers })
    }

    /// Returns the issuers at which the web interface can sign in.
    pub fn for_sign_in(&self) -> impl Iterator<Item = &IssuerOptions> {
        self.issuers.iter().map(|issuer| &issuer.options).filter(|options| options.client_id.is_some())
    }

    pub(crate) fn sign_in_at(&self, id: &str) -> Option<&Arc<Issuer>> {
        self.issuers.iter().find(|issuer| issuer.options.id == id && issuer.options.client_id.is_some())
    }

    /// Verifies a token, and finds the rights of its owner. It never waits.
    pub fn examine(&self, token: &str, now_seconds: f64) -> Result<Verified, Refusal> {
        self.examine_with(token, now_seconds, |_| Ok(()))
    }

    /// Verifies the ID token of a sign-in, which must have the nonce of its start.
    pub(crate) fn examine_sign_in(
        &self,
        token: &str,
        now_seconds: f64,
        (issuer, nonce): (&Issuer, &str),
    ) -> Result<Verified, Refusal> {
        self.examine_with(token, now_seconds, |claims| {
            let text = |name: &str| claims.get(name).and_then(Slice::as_str);
            if text("iss") != Some(&issuer.options.issuer) {
                return Err("the ID token is of another issuer than the sign-in");
            }
            match text("nonce") == Some(nonce) {
                true => Ok(()),
                false => Err("the nonce of the ID token is not that of the sign-in"),
            }
        })
    }

    fn examine_with(
        &self,
        token: &str,
        now_seconds: f64,
        check: impl FnOnce(Slice<'_>) -> Result<(), &'static str>,
    ) -> Result<Verified, Refusal> {
        let invalid = |reason: &'static str| Refusal::Invalid(reason.to_owned());
        let token = Token::read(token).map_err(invalid)?;
        let named = token.claims().get("iss").and_then(Slice::as_str).unwrap_or_default();
        let issuer = self.issuers.iter().find(|issuer| issuer.options.issuer == named);
        let issuer = issuer.ok_or_else(|| invalid("the issuer (`iss`) of the token is not configured"))?;
        // These come first: nothing is fetched for a token that is worthless anyway.
        let claims = token.claims();
        let expires_seconds = claims::check(&issuer.options, claims, now_seconds).map_err(invalid)?;
        check(claims).map_err(invalid)?;
        let user = claims::user(&issuer.options, claims).map_err(invalid)?;
        let key = match issuer.key(token.key_id.as_deref(), token.algorithm) {
            KeyState::Known(key) => key,
            KeyState::Fetching => return Err(Refusal::Fetching(KeyFetch::of(issuer))),
            KeyState::Missing => return Err(invalid("the issuer has no such key (`kid`, `alg`)")),
            KeyState::Unavailable(reason) => return Err(Refusal::Unavailable(reason)),
        };
        if !token.is_signed_by(&key) {
            return Err(invalid("the signature is wrong"));
        }
        let Some(grants) = Rule::grants(&issuer.options.rules, claims) else {
            return Err(Refusal::NoRights(format!("no rule of the issuer {named} fits the user {user}")));
        };
        Ok(Verified { user, issuer: named.to_owned(), grants, expires_seconds })
    }
}
