//! Who makes a request: Basic authentication and tokens.
//!
//! A password is hashed slowly on purpose. So that this is not paid with every request, what an `authorization` header
//! stood for is remembered under a keyed digest of the header, and forgotten when the user changes.

pub(crate) mod access_token;
pub mod password;
mod root;
mod secrets;
mod token;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use catalog::UserDefinition;
use errors::{Error, ErrorCode, Result};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName};
use sha2::{Digest, Sha256};
use storage::Catalog;

use crate::http::tls;
use database::Identity;

pub use root::{SECRET_BYTES, create_root, persistent_secret};
pub use secrets::SecretFiles;
use token::Subject;

/// The user that a new server has.
pub const ROOT: &str = "root";

/// Most headers that are remembered; then all are forgotten.
const CACHE_ENTRIES: usize = 10_000;

/// Longest `authorization` header.
const HEADER_MAX_BYTES: usize = 32 << 10;

/// A client that sends this wants no browser's dialog.
const OMIT_DIALOG: HeaderName = HeaderName::from_static("x-omit-www-authenticate");

/// What the configuration sets.
#[derive(Clone, Debug)]
pub struct AuthenticationOptions {
    /// Whether requests must say who makes them.
    pub enabled: bool,
    /// The secrets that tokens may be signed with; the first one signs ours.
    pub secrets: Vec<Vec<u8>>,
    /// The files that they were read from, if they were, to be read again.
    pub secret_files: Option<SecretFiles>,
    /// How long our tokens are good for.
    pub session_timeout_seconds: u64,
}

impl Default for AuthenticationOptions {
    /// Off.
    fn default() -> Self {
        AuthenticationOptions {
            enabled: false,
            secrets: Vec::new(),
            secret_files: None,
            session_timeout_seconds: 3_600,
        }
    }
}

/// How requests say who makes them.
pub struct Authentication {
    options: AuthenticationOptions,
    /// At first those of the options.
    secrets: RwLock<Secrets>,
    /// Random, so that digests tell nothing to those who read the process's memory or guess at collisions.
    digest_key: [u8; 32],
    known: RwLock<HashMap<[u8; 32], Known>>,
}

/// Secrets that tokens may be signed with; the first one signs ours.
type Secrets = Arc<[Vec<u8>]>;

/// What a header stood for.
#[derive(Clone)]
struct Known {
    identity: Identity,
    /// The user whose password was right; a token needs only an active user.
    checked: Option<Arc<UserDefinition>>,
    /// Digest of the access token that the user must still have.
    access_token: Option<String>,
    expires_seconds: Option<f64>,
    allowed_paths: Option<Arc<[String]>>,
}

/// The result of a look at a request's headers.
pub(crate) enum Look {
    /// Who makes it.
    Known(Identity),
    /// A name and a password that have to be checked, which takes a while.
    Password(Credentials),
}

/// A name and a password.
pub(crate) struct Credentials {
    user: String,
    password: String,
    digest: [u8; 32],
}

fn now_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

impl Authentication {
    /// With a fresh random key for what is remembered.
    pub fn new(options: AuthenticationOptions) -> Result<Self> {
        let mut digest_key = [0; 32];
        getrandom::fill(&mut digest_key).map_err(Error::internal)?;
        let secrets = RwLock::new(options.secrets.as_slice().into());
        Ok(Authentication { options, secrets, digest_key, known: RwLock::default() })
    }

    /// Whether requests must say who makes them.
    pub fn is_enabled(&self) -> bool {
        self.options.enabled
    }

    /// The secrets that tokens may be signed with; the first one signs ours.
    pub fn secrets(&self) -> Secrets {
        Arc::clone(&self.secrets.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the files of the secrets again, if they came from files. On errors everything stays as it is.
    pub(crate) fn reload_secrets(&self) -> Result<()> {
        let Some(files) = &self.options.secret_files else { return Ok(()) };
        let secrets = files.read().map_err(Error::internal)?;
        *self.secrets.write().unwrap_or_else(PoisonError::into_inner) = secrets.into();
        // Tokens that a secret signed which is gone are not good any more.
        self.known.write().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Seconds for which a new token is good.
    pub fn session_timeout_seconds(&self) -> u64 {
        self.options.session_timeout_seconds
    }

    /// Who makes a request, as far as that is found out quickly. Error 401 when nobody does.
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
            let known = self.token(value.trim(), catalog).ok_or_else(|| not_authorized(headers))?;
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

    /// Checks a password, slowly. Answers none when it is wrong.
    pub(crate) fn check(&self, catalog: &Catalog, credentials: &Credentials) -> Option<Identity> {
        let user = self.log_in(catalog, &credentials.user, &credentials.password)?;
        let identity = Identity::User(user.name.as_str().into());
        let known = Known {
            identity: identity.clone(),
            checked: Some(user),
            access_token: None,
            expires_seconds: None,
            allowed_paths: None,
        };
        self.remember(credentials.digest, known);
        Some(identity)
    }

    /// The active user of a name, if the password is right. Slow, also for names that nobody has, so that the time does
    /// not tell which there are.
    pub(crate) fn log_in(
        &self,
        catalog: &Catalog,
        name: &str,
        password: &str,
    ) -> Option<Arc<UserDefinition>> {
        /// The hash of a random password.
        const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$\
                              pXnWzSBF2cAMKfM/O9uPgM1Yl8bYlQ9WAjHFlx2tpgQ";
        let user = catalog.user(name).filter(|user| user.active);
        let hash = user.map_or(NOBODY, |user| user.password_hash.as_str());
        let is_right = password::verify(password, hash);
        user.filter(|_| is_right).cloned()
    }

    /// The active user of an access token that is good, if it is that of the name, where one is given.
    pub(crate) fn log_in_by_token(&self, catalog: &Catalog, name: &str, token: &str) -> Option<Identity> {
        access_token(catalog, name, token).map(|known| known.identity)
    }

    /// A new token for a user.
    pub(crate) fn sign(&self, user: &str) -> Result<String> {
        let secrets = self.secrets();
        let secret = secrets.first().map(Vec::as_slice);
        let secret = secret.ok_or_else(|| Error::internal("the server has no secret to sign tokens with"))?;
        token::sign(user, now_seconds() as u64, self.options.session_timeout_seconds, secret)
    }

    fn token(&self, token: &str, catalog: &Catalog) -> Option<Known> {
        let claims = token::verify(token, now_seconds(), &self.secrets())?;
        let identity = match &claims.subject {
            Subject::Server => Identity::Superuser,
            Subject::User(name) => {
                catalog.user(name).filter(|user| user.active)?;
                Identity::User(name.as_str().into())
            }
        };
        Some(Known {
            identity,
            checked: None,
            access_token: None,
            expires_seconds: claims.expires_seconds,
            allowed_paths: claims.allowed_paths.map(Arc::from),
        })
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

impl Known {
    /// Whether nothing has changed since.
    fn is_good(&self, catalog: &Catalog) -> bool {
        if self.expires_seconds.is_some_and(|expires| expires <= now_seconds()) {
            return false;
        }
        let Identity::User(name) = &self.identity else { return true };
        catalog.user(name).is_some_and(|user| {
            let same = |checked: &Arc<UserDefinition>| {
                Arc::ptr_eq(checked, user) || checked.password_hash == user.password_hash
            };
            let has = |digest: &String| user.tokens.by_digest(digest).is_some();
            user.active
                && self.checked.as_ref().is_none_or(same)
                && self.access_token.as_ref().is_none_or(has)
        })
    }

    fn allows(&self, path: &str) -> Option<Identity> {
        let allowed =
            self.allowed_paths.as_ref().is_none_or(|paths| paths.iter().any(|allowed| allowed == path));
        allowed.then(|| self.identity.clone())
    }
}

/// Whom an access token stands for, if it is that of the name, where one is given.
fn access_token(catalog: &Catalog, name: &str, token: &str) -> Option<Known> {
    let owner = access_token::user_of(token).filter(|owner| name.is_empty() || name == owner)?;
    let user = catalog.user(&owner).filter(|user| user.active)?;
    let digest = tls::digest(token.as_bytes());
    let expires_seconds = user.tokens.by_digest(&digest)?.valid_until as f64;
    (expires_seconds > now_seconds()).then(|| Known {
        identity: Identity::User(owner.as_str().into()),
        checked: None,
        access_token: Some(digest),
        expires_seconds: Some(expires_seconds),
        allowed_paths: None,
    })
}

fn credentials(encoded: &str, digest: [u8; 32]) -> Option<Credentials> {
    let decoded = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    Some(Credentials { user: user.to_owned(), password: password.to_owned(), digest })
}

/// 401, and how to log in.
pub(crate) fn not_authorized(headers: &HeaderMap) -> Error {
    let error = Error::new(ErrorCode::Forbidden, "not authorized to execute this request").with_status(401);
    if headers.contains_key(OMIT_DIALOG) { error } else { error.with_challenge() }
}
