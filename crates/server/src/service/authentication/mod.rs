//! Authentication: the identity of a client, by Basic authentication, or by tokens of this server
//! and of issuers of OpenID Connect.
//!
//! Hashing a password is slow on purpose. To avoid this cost in every request, the result of an
//! `authorization` header is cached under a keyed digest of the header. It is discarded when the
//! user changes.

pub(crate) mod access_token;
pub mod password;
mod root;
mod secrets;
mod token;
mod credentials;
mod known;
mod issuers;
mod sessions;
mod elsewhere;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use catalog::UserDefinition;
use database::Identity;
use errors::{Error, ErrorCode, Result};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName};
use openid::{IssuerOptions, KeyFetch, Pace};
use sha2::{Digest, Sha256};
use storage::Catalog;

use crate::http::foreign_page;
use credentials::{Credentials, credentials};
use known::{Known, access_token};
use sessions::IssuedSessions;
use token::Subject;

pub(crate) use issuers::{TrustedIssuers, keys_fetched, keys_unavailable};
pub(crate) use known::Credential;
pub use root::{SECRET_BYTES, create_root, persistent_secret, root_is_open};
pub use secrets::SecretFiles;
pub(crate) use sessions::IssuedSession;

/// The user that a new server has.
pub const ROOT: &str = "root";

/// Maximum number of cached headers. Beyond them, all are discarded.
const CACHE_ENTRIES: usize = 10_000;

/// Longest `authorization` header.
const HEADER_MAX_BYTES: usize = 32 << 10;

/// The header of a client that does not want the browser's login dialog.
const OMIT_DIALOG: HeaderName = HeaderName::from_static("x-omit-www-authenticate");

/// The options of authentication, from the configuration.
#[derive(Clone, Debug)]
pub struct AuthenticationOptions {
    /// True if requests must authenticate.
    pub enabled: bool,
    /// The secrets that may sign tokens; the first one signs the server's own.
    pub secrets: Vec<Vec<u8>>,
    /// The files of the secrets, if they come from files, so that they can be reloaded.
    pub secret_files: Option<SecretFiles>,
    /// Seconds for which the server's own tokens are valid.
    pub session_timeout_seconds: u64,
    /// The issuers of OpenID Connect whose tokens are accepted.
    pub issuers: Vec<IssuerOptions>,
    /// The times that bound the fetches of the issuers' keys.
    pub issuers_pace: Pace,
}

impl Default for AuthenticationOptions {
    /// Returns the options with authentication off.
    fn default() -> Self {
        AuthenticationOptions {
            enabled: false,
            secrets: Vec::new(),
            secret_files: None,
            session_timeout_seconds: 3_600,
            issuers: Vec::new(),
            issuers_pace: Pace::default(),
        }
    }
}

/// The authentication of requests.
pub struct Authentication {
    options: AuthenticationOptions,
    /// The present secrets; at first those of the options.
    secrets: RwLock<Secrets>,
    /// A random key. It makes digests useless to an attacker who reads the process's memory or
    /// searches for collisions.
    digest_key: [u8; 32],
    /// The issuers of OpenID Connect, if there are any.
    issuers: Option<TrustedIssuers>,
    issued: IssuedSessions,
    known: RwLock<HashMap<[u8; 32], Known>>,
}

/// Secrets that may sign tokens; the first one signs the server's own.
type Secrets = Arc<[Vec<u8>]>;

/// The result of examining a request's headers.
pub(crate) enum Look {
    /// The identity of the client.
    Known(Identity),
    /// A token whose issuer's keys are being fetched. It must be examined again then.
    AfterKeys(KeyFetch),
    /// A name and a password to be checked, which takes a while.
    Password(Credentials),
}

/// Returns the time in seconds since 1970.
pub(crate) fn now_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

impl Authentication {
    /// Returns the authentication with a fresh random key for the cache.
    pub fn new(options: AuthenticationOptions) -> Result<Self> {
        let mut digest_key = [0; 32];
        getrandom::fill(&mut digest_key).map_err(Error::internal)?;
        let secrets = RwLock::new(options.secrets.as_slice().into());
        let issuers = (options.enabled && !options.issuers.is_empty())
            .then(|| TrustedIssuers::start(options.issuers.clone(), options.issuers_pace));
        let (issued, known) = (IssuedSessions::default(), RwLock::default());
        Ok(Authentication { options, secrets, digest_key, issuers, issued, known })
    }

    /// Returns true if requests must authenticate.
    pub fn is_enabled(&self) -> bool {
        self.options.enabled
    }

    /// Returns the secrets that may sign tokens; the first one signs the server's own.
    pub fn secrets(&self) -> Secrets {
        Arc::clone(&self.secrets.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reloads the secrets, if they come from files. An error changes nothing.
    pub(crate) fn reload_secrets(&self) -> Result<()> {
        let Some(files) = &self.options.secret_files else { return Ok(()) };
        let secrets = files.read().map_err(Error::internal)?;
        *self.secrets.write().unwrap_or_else(PoisonError::into_inner) = secrets.into();
        // Tokens that a removed secret signed are no longer valid.
        self.known.write().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Returns the seconds for which a new token is valid.
    pub fn session_timeout_seconds(&self) -> u64 {
        self.options.session_timeout_seconds
    }

    /// Returns the issuers of OpenID Connect, if there are any.
    pub(crate) fn issuers(&self) -> Option<&TrustedIssuers> {
        self.issuers.as_ref()
    }

    /// Identifies the client of a request, as far as that is quick. Errors: 401 if it cannot be
    /// identified.
    pub(crate) fn look(&self, catalog: &Catalog, headers: &HeaderMap, path: &str) -> Result<Look> {
        if !self.options.enabled {
            return Ok(Look::Known(Identity::Superuser));
        }
        let Some(header) = headers.get(AUTHORIZATION).filter(|header| header.len() <= HEADER_MAX_BYTES)
        else {
            return Err(not_authorized(headers));
        };
        let digest = self.digest(header.as_bytes());
        if let Some(known) = self.remembered(&digest, catalog) {
            return known.allows(path).map(Look::Known).ok_or_else(|| not_authorized(headers));
        }
        let (scheme, value) =
            header.to_str().ok().and_then(|header| header.split_once(' ')).unwrap_or_default();
        if scheme.eq_ignore_ascii_case("bearer") {
            let value = value.trim();
            if let Some(issuers) = &self.issuers
                && openid::is_signed_by_an_issuer(value)
            {
                return match issuers.examine(value, catalog, now_seconds()) {
                    Ok(known) => {
                        let identity = known.identity.clone();
                        self.remember(digest, known);
                        Ok(Look::Known(identity))
                    }
                    Err(refusal) => issuers::refused(refusal, headers),
                };
            }
            // Clients that know no names have an access token only.
            let known = self.token(value, catalog).or_else(|| access_token(catalog, "", value));
            let known = known.ok_or_else(|| not_authorized(headers))?;
            let identity = known.allows(path).ok_or_else(|| not_authorized(headers))?;
            self.remember(digest, known);
            return Ok(Look::Known(identity));
        }
        if scheme.eq_ignore_ascii_case("basic") {
            let credentials = credentials(value.trim(), digest).ok_or_else(|| not_authorized(headers))?;
            let Some(known) = access_token(catalog, &credentials.user, &credentials.password) else {
                return Ok(Look::Password(credentials));
            };
            let identity = known.identity.clone();
            self.remember(digest, known);
            return Ok(Look::Known(identity));
        }
        Err(not_authorized(headers))
    }

    /// Returns the name in a request's headers while authentication is off, which nothing proves.
    pub(crate) fn claimed_name(&self, headers: &HeaderMap) -> Option<Arc<str>> {
        let header = headers.get(AUTHORIZATION).filter(|header| header.len() <= HEADER_MAX_BYTES)?;
        let (scheme, value) = header.to_str().ok()?.split_once(' ')?;
        if self.options.enabled || !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let credentials = credentials(value.trim(), [0; 32])?;
        (!credentials.user.is_empty()).then(|| credentials.user.into())
    }

    /// Checks a password, slowly. Returns `None` if it is wrong.
    pub(crate) fn check(&self, catalog: &Catalog, credentials: &Credentials) -> Option<Identity> {
        let user = password::log_in(catalog, &credentials.user, &credentials.password)?;
        let identity = Identity::User(user.name.as_str().into());
        self.remember(credentials.digest, Known::new(identity.clone(), &user, Credential::Password));
        Some(identity)
    }

    /// Returns the active user of a valid access token, and its digest. If a name is given, the
    /// token must be that user's.
    pub(crate) fn log_in_by_token(
        &self,
        catalog: &Catalog,
        name: &str,
        token: &str,
    ) -> Option<(Arc<UserDefinition>, Credential)> {
        let known = access_token(catalog, name, token)?;
        let user = catalog.user(known.identity.name()?)?;
        Some((Arc::clone(user), Credential::AccessToken(known.access_token?)))
    }

    /// Returns the active user of a name that was proven otherwise.
    ///
    /// `None` while requests need no user: they have all rights then.
    pub(crate) fn identify_by_name(&self, catalog: &Catalog, name: &str) -> Option<Identity> {
        let user = catalog.user(name).filter(|user| user.active && self.options.enabled)?;
        Some(Identity::User(user.name.as_str().into()))
    }

    /// Returns the tokens that this server has signed for a user and that are valid, the oldest
    /// first.
    pub(crate) fn issued_to(&self, catalog: &Catalog, user: &str) -> Vec<IssuedSession> {
        self.issued.of(catalog, user, now_seconds())
    }

    /// Creates a token for a user who has shown a credential.
    pub(crate) fn sign(
        &self,
        user: &Arc<UserDefinition>,
        credential: Credential,
        address: Option<IpAddr>,
    ) -> Result<String> {
        let secrets = self.secrets();
        let secret = secrets.first().map(Vec::as_slice);
        let secret = secret.ok_or_else(|| Error::internal("the server has no secret to sign tokens with"))?;
        let gone = || Error::new(ErrorCode::HttpUnauthorized, "the access token was removed");
        let mut ends = u64::MAX;
        let (access_token, text) = match &credential {
            Credential::Password => (None, &user.password_hash),
            Credential::AccessToken(digest) => {
                let token = user.tokens.by_digest(digest).ok_or_else(gone)?;
                ends = token.valid_until;
                (Some(token.id), digest)
            }
        };
        let proof = token::proof(&user.name, text, secret);
        let session = token::Session {
            id: sessions::new_id()?,
            generation: user.sessions.generation(),
            access_token,
            proof: proof.ok_or_else(|| Error::internal("the secret cannot sign"))?,
        };
        let now = now_seconds() as u64;
        let lifetime_seconds = self.options.session_timeout_seconds.min(ends.saturating_sub(now));
        let token = token::sign(&user.name, Some(&session), now, lifetime_seconds, secret)?;
        let identity = Identity::User(user.name.as_str().into());
        let known = Known {
            expires_seconds: Some(now.saturating_add(lifetime_seconds) as f64),
            session: Some((session.id.as_str().into(), session.generation)),
            ..Known::new(identity, user, credential)
        };
        self.issued.add(known, now, address);
        Ok(token)
    }

    /// Creates a new token for a user whose request has a good one, or another login that is known.
    ///
    /// The new one ends with the same password or access token. Errors: 401, also for a token that
    /// is for some paths only.
    pub(crate) fn renew(
        &self,
        catalog: &Catalog,
        headers: &HeaderMap,
        path: &str,
        address: Option<IpAddr>,
    ) -> Result<String> {
        let refused = || not_authorized(headers);
        let Look::Known(Identity::User(name)) = self.look(catalog, headers, path)? else {
            return Err(refused());
        };
        let digest = headers.get(AUTHORIZATION).map(|header| self.digest(header.as_bytes()));
        let known = digest.and_then(|digest| self.remembered(&digest, catalog));
        let known = known.filter(|known| known.allowed_paths.is_none()).ok_or_else(refused)?;
        let user = catalog.user(&name).ok_or_else(refused)?;
        let credential = match known.access_token {
            Some(digest) => Credential::AccessToken(digest),
            None => Credential::Password,
        };
        self.sign(user, credential, address)
    }

    /// Returns true unless the token of a request is for other paths only.
    pub(crate) fn allows(&self, catalog: &Catalog, headers: &HeaderMap, path: &str) -> bool {
        let header = headers.get(AUTHORIZATION).filter(|_| self.options.enabled);
        let Some(header) = header else { return true };
        let known = self.remembered(&self.digest(header.as_bytes()), catalog).or_else(|| {
            let (scheme, value) = header.to_str().ok()?.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| self.token(value.trim(), catalog))?
        });
        known.is_none_or(|known| known.allows(path).is_some())
    }

    fn token(&self, token: &str, catalog: &Catalog) -> Option<Known> {
        let secrets = self.secrets();
        let claims = token::verify(token, now_seconds(), &secrets)?;
        let known = match (&claims.subject, &claims.session) {
            (Subject::Server, _) => Known::of(Identity::Superuser),
            (Subject::Services(database), _) => Known::of(Identity::of_services(database)),
            (Subject::User(name), session) => {
                let user = catalog.user(name).filter(|user| user.active)?;
                let identity = Identity::User(name.as_str().into());
                match session {
                    // An owner of the secret has signed it.
                    None => Known::of(identity),
                    Some(session) => sessions::known(identity, user, session, &secrets)?,
                }
            }
        };
        let ends = [claims.expires_seconds, known.expires_seconds].into_iter().flatten().reduce(f64::min);
        let allowed_paths = claims.allowed_paths.map(Arc::from);
        Some(Known { expires_seconds: ends, allowed_paths, ..known })
    }

    fn digest(&self, header: &[u8]) -> [u8; 32] {
        Sha256::new().chain_update(self.digest_key).chain_update(header).finalize().into()
    }

    fn remembered(&self, digest: &[u8; 32], catalog: &Catalog) -> Option<Known> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).get(digest)?.clone();
        known.is_good(catalog).then_some(known)
    }

    fn remember(&self, digest: [u8; 32], entry: Known) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CACHE_ENTRIES {
            known.clear();
        }
        known.insert(digest, entry);
    }
}

/// Returns the error 401 with the supported authentication schemes.
///
/// A page's script does not learn them, because the browser would then show a dialog of its own and
/// remember the login.
pub(crate) fn not_authorized(headers: &HeaderMap) -> Error {
    let error = Error::new(ErrorCode::Forbidden, "not authorized to execute this request").with_status(401);
    let omits = headers.contains_key(OMIT_DIALOG) || foreign_page::is_from_script(headers);
    if omits { error } else { error.with_challenge() }
}
