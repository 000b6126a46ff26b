//! The authorization code flow with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636).
//!
//! A page asks for the URL of the issuer ([`SignIns::start`]) and keeps the state. The issuer sends
//! the browser back to the page, whose address is fixed in the configuration, with a code and the
//! state. The page compares the state with its own, and hands both in ([`SignIns::take`],
//! [`SignIns::finish`]). So a link of somebody else cannot sign a browser in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use velocypack::Slice;

use crate::fetch::{Failure, post};
use crate::issuer::Issuer;
use crate::issuers::{Issuers, Refusal, Verified};
use crate::url::{encoded, form};

/// Time for a sign-in at the issuer.
const LIFETIME: Duration = Duration::from_secs(600);

/// Maximum number of sign-ins that have begun. Beyond it, the oldest one ends.
const PENDING_MAX: usize = 10_000;

/// Maximum number of exchanges of codes at the same time, each of which holds a thread.
const EXCHANGES_MAX: usize = 4;

/// Bytes of random texts.
const RANDOM_BYTES: usize = 32;

/// Longest code of an issuer.
const CODE_MAX_BYTES: usize = 4_096;

/// The sign-ins that have begun.
pub struct SignIns {
    issuers: Arc<Issuers>,
    /// By their states.
    pending: Mutex<HashMap<String, Pending>>,
    exchanges: AtomicUsize,
}

/// A sign-in that waits for its code.
pub struct Pending {
    issuer: Arc<Issuer>,
    verifier: String,
    nonce: String,
    begun: Instant,
}

/// A sign-in that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The address of the issuer's page.
    pub url: String,
    /// The state that comes back with the code.
    pub state: String,
}

/// Counts an exchange of a code.
struct Exchange<'a>(&'a AtomicUsize);

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SignIns {
    /// Returns no sign-ins at these issuers.
    pub fn new(issuers: Arc<Issuers>) -> Self {
        SignIns { issuers, pending: Mutex::default(), exchanges: AtomicUsize::new(0) }
    }

    /// Returns the issuers.
    pub fn issuers(&self) -> &Arc<Issuers> {
        &self.issuers
    }

    /// Begins a sign-in at an issuer; `None` if there is none with this id.
    pub fn start(&self, id: &str) -> Option<Result<Started, Refusal>> {
        self.issuers.sign_in_at(id).map(|issuer| self.start_at(issuer))
    }

    fn start_at(&self, issuer: &Arc<Issuer>) -> Result<Started, Refusal> {
        let options = &issuer.options;
        let metadata = issuer.metadata().map_err(|why| match why {
            Ok(fetch) => Refusal::Fetching(fetch),
            Err(reason) => Refusal::Unavailable(reason),
        })?;
        let unavailable =
            || Refusal::Unavailable(format!("the issuer {} has no authorization endpoint", options.issuer));
        let endpoint = metadata.authorization_endpoint.as_deref().ok_or_else(unavailable)?;
        let [state, nonce, verifier] = [random()?, random()?, random()?];
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        let query = form(&[
            ("response_type", "code"),
            ("client_id", options.client_id.as_deref().unwrap_or_default()),
            ("redirect_uri", options.redirect_uri.as_deref().unwrap_or_default()),
            ("scope", &options.scopes.join(" ")),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        let url = format!("{endpoint}{separator}{query}");
        let begun = Instant::now();
        self.keep(state.clone(), Pending { issuer: Arc::clone(issuer), verifier, nonce, begun });
        Ok(Started { url, state })
    }

    fn keep(&self, state: String, pending: Pending) {
        let mut all = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= PENDING_MAX {
            all.retain(|_, pending| pending.begun.elapsed() < LIFETIME);
        }
        if all.len() >= PENDING_MAX
            && let Some(oldest) = all.iter().min_by_key(|(_, pending)| pending.begun)
        {
            let oldest = oldest.0.clone();
            all.remove(&oldest);
        }
        all.insert(state, pending);
    }

    /// Takes the sign-in with a state. Each state is good for one call.
    pub fn take(&self, id: &str, state: &str) -> Result<Pending, Refusal> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(state);
        let is_good =
            |pending: &Pending| pending.begun.elapsed() < LIFETIME && pending.issuer.options.id == id;
        let unknown = "the sign-in is unknown, was finished already, or took too long";
        pending.filter(is_good).ok_or_else(|| Refusal::Invalid(unknown.to_owned()))
    }

    /// Exchanges a code for an ID token, and verifies it. Returns the token and what it says.
    ///
    /// It waits for the issuer, a few seconds at most.
    pub fn finish(
        &self,
        pending: &Pending,
        code: &str,
        now_seconds: impl Fn() -> f64,
    ) -> Result<(String, Verified), Refusal> {
        if code.is_empty() || code.len() > CODE_MAX_BYTES {
            return Err(Refusal::Invalid("the code of the issuer is empty or too long".to_owned()));
        }
        let _exchange = Exchange(&self.exchanges);
        if self.exchanges.fetch_add(1, Ordering::Relaxed) >= EXCHANGES_MAX {
            return Err(Refusal::Unavailable("too many sign-ins are in progress".to_owned()));
        }
        let token = exchanged(pending, code)?;
        let nonce = (&*pending.issuer, pending.nonce.as_str());
        match self.issuers.examine_sign_in(&token, now_seconds(), nonce) {
            // The issuer signed with a new key.
            Err(Refusal::Fetching(fetch)) => {
                let (sender, receiver) = std::sync::mpsc::channel();
                let waits = fetch.when_ended(move || {
                    let _ = sender.send(());
                });
                if waits {
                    let _ = receiver.recv_timeout(Duration::from_secs(20));
                }
                let verified = self.issuers.examine_sign_in(&token, now_seconds(), nonce)?;
                Ok((token, verified))
            }
            verified => verified.map(|verified| (token, verified)),
        }
    }
}

/// Returns the ID token for a code.
fn exchanged(pending: &Pending, code: &str) -> Result<String, Refusal> {
    let options = &pending.issuer.options;
    let unavailable =
        |reason: String| Refusal::Unavailable(format!("the sign-in at {} failed: {reason}", options.issuer));
    let metadata = pending.issuer.metadata().map_err(|_| unavailable("it is not available".to_owned()))?;
    let endpoint = metadata.token_endpoint.as_deref();
    let endpoint = endpoint.ok_or_else(|| unavailable("it has no token endpoint".to_owned()))?;
    let client = options.client_id.as_deref().unwrap_or_default();
    let secret = options.secret().map_err(unavailable)?;
    let mut pairs = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", options.redirect_uri.as_deref().unwrap_or_default()),
        ("code_verifier", &pending.verifier),
    ];
    let mut headers = Vec::new();
    match &secret {
        Some(secret) if !metadata.secret_in_body => {
            let credentials = format!("{}:{}", encoded(client), encoded(secret));
            headers.push(("authorization", format!("Basic {}", STANDARD.encode(credentials))));
        }
        Some(secret) => pairs.extend([("client_id", client), ("client_secret", secret)]),
        None => pairs.push(("client_id", client)),
    }
    let reply = post(options, endpoint, &headers, &form(&pairs)).map_err(|failure| match failure {
        Failure::Refused(reason) => {
            Refusal::Invalid(format!("the sign-in at {} failed: {reason}", options.issuer))
        }
        Failure::Unavailable(reason) => unavailable(reason),
    })?;
    let token = Slice::new(&reply).get("id_token").and_then(Slice::as_str);
    token.map(str::to_owned).ok_or_else(|| unavailable("its reply has no `id_token`".to_owned()))
}

fn random() -> Result<String, Refusal> {
    let mut bytes = [0; RANDOM_BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Refusal::Unavailable("there are no random numbers".to_owned()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
