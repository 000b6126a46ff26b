//! An OpenID Connect issuer in memory, for tests.
//!
//! It answers discovery, its keys and the code flow with PKCE. Its keys change on demand, it signs
//! any claims, and it can be out of order. Its RSA keys are fixed, and used nowhere else.

mod key;

use std::collections::HashMap;
use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mock_http::{Reply, Request};
use ring::digest::{SHA256, digest};

pub use key::SigningKey;

/// The identifier of its client.
pub const CLIENT: &str = "persea-web";

/// An issuer that runs until the process ends.
#[derive(Clone)]
pub struct MockIssuer {
    state: Arc<Mutex<State>>,
    url: String,
}

#[derive(Default)]
struct State {
    keys: Vec<SigningKey>,
    /// Further members of the key set, as JSON.
    foreign_keys: Vec<String>,
    is_down: bool,
    delay: Duration,
    discoveries: usize,
    /// The claims of the next ID tokens beside `iss`, `aud`, `nonce` and times, as JSON members.
    claims: String,
    secret: Option<String>,
    codes: HashMap<String, Code>,
}

/// A code that was given to a browser.
struct Code {
    nonce: String,
    challenge: String,
    redirect_uri: String,
}

impl MockIssuer {
    /// Starts an issuer with one RSA key on a free port of this machine.
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let url = format!("http://{}", listener.local_addr()?);
        let issuer = MockIssuer { state: Arc::default(), url };
        issuer.lock().keys.push(SigningKey::rsa("first"));
        let served = issuer.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let issuer = served.clone();
                std::thread::spawn(move || issuer.serve(stream));
            }
        });
        Ok(issuer)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its URL, which is `iss` of its tokens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Replaces its keys.
    pub fn set_keys(&self, keys: &[SigningKey]) {
        self.lock().keys = keys.to_vec();
    }

    /// Adds members to its key set, as JSON.
    pub fn add_foreign_keys(&self, keys: &[String]) {
        self.lock().foreign_keys.extend_from_slice(keys);
    }

    /// Makes all of its replies an error, or ends that.
    pub fn set_down(&self, is_down: bool) {
        self.lock().is_down = is_down;
    }

    /// Makes it wait before its replies.
    pub fn set_delay(&self, delay: Duration) {
        self.lock().delay = delay;
    }

    /// Sets the secret that its client must have.
    pub fn require_secret(&self, secret: &str) {
        self.lock().secret = Some(secret.to_owned());
    }

    /// Sets claims of ID tokens: members of a JSON object, such as `"sub": "ann"`.
    pub fn set_claims(&self, members: &str) {
        self.lock().claims = members.to_owned();
    }

    /// Returns how often its discovery document was asked for.
    pub fn discoveries(&self) -> usize {
        self.lock().discoveries
    }

    /// Plays a browser whose user signs in: returns the code for the address of a sign-in, and its
    /// state. `None` if the address is not one.
    pub fn authorize(&self, address: &str) -> Option<(String, String)> {
        let target = address.strip_prefix(&self.url)?.to_owned();
        let request = Request { target, ..Request::default() };
        let parameter = |name: &str| request.parameter(name);
        let is_good = request.path() == "/authorize"
            && parameter("response_type")? == "code"
            && parameter("client_id")? == CLIENT
            && parameter("scope")?.split(' ').any(|scope| scope == "openid")
            && parameter("code_challenge_method")? == "S256";
        if !is_good {
            return None;
        }
        let code = Code {
            nonce: parameter("nonce")?,
            challenge: parameter("code_challenge")?,
            redirect_uri: parameter("redirect_uri")?,
        };
        let mut state = self.lock();
        let name = format!("code-{}", state.codes.len());
        state.codes.insert(name.clone(), code);
        Some((name, parameter("state")?))
    }

    fn serve(&self, stream: TcpStream) {
        let Ok(mut writer) = stream.try_clone() else { return };
        let mut reader = BufReader::new(stream);
        while let Some(request) = mock_http::read(&mut reader) {
            if !self.answer(&request).write(&mut writer) {
                return;
            }
        }
    }

    fn answer(&self, request: &Request) -> Reply {
        let delay = self.lock().delay;
        std::thread::sleep(delay);
        let mut state = self.lock();
        let json = |status, body: String| Reply {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.into_bytes(),
            ..Reply::default()
        };
        let path = request.path();
        if path == "/.well-known/openid-configuration" {
            state.discoveries += 1;
        }
        if state.is_down {
            return json(503, "{}".to_owned());
        }
        let url = &self.url;
        match path.as_str() {
            "/.well-known/openid-configuration" => json(
                200,
                format!(
                    r#"{{"issuer": "{url}", "jwks_uri": "{url}/keys", "token_endpoint": "{url}/token",
                        "authorization_endpoint": "{url}/authorize"}}"#
                ),
            ),
            "/keys" => {
                let keys = state.keys.iter().map(SigningKey::public).chain(state.foreign_keys.clone());
                json(200, format!(r#"{{"keys": [{}]}}"#, keys.collect::<Vec<_>>().join(",")))
            }
            "/token" => match self.exchange(&mut state, request) {
                Some(token) => json(200, format!(r#"{{"token_type": "Bearer", "id_token": "{token}"}}"#)),
                None => json(400, r#"{"error": "invalid_grant", "error_description": "no"}"#.to_owned()),
            },
            _ => json(404, "{}".to_owned()),
        }
    }

    fn exchange(&self, state: &mut State, request: &Request) -> Option<String> {
        let form = String::from_utf8(request.body.clone()).ok()?;
        let form = Request { target: format!("/?{form}"), ..Request::default() };
        let code = state.codes.remove(&form.parameter("code")?)?;
        let challenge = digest(&SHA256, form.parameter("code_verifier")?.as_bytes());
        let is_authorized = match &state.secret {
            None => form.parameter("client_id")? == CLIENT,
            Some(secret) => {
                let credentials =
                    base64::engine::general_purpose::STANDARD.encode(format!("{CLIENT}:{secret}"));
                request.header("authorization") == Some(&format!("Basic {credentials}"))
            }
        };
        let is_good = is_authorized
            && request.method == "POST"
            && form.parameter("grant_type")? == "authorization_code"
            && form.parameter("redirect_uri")? == code.redirect_uri
            && URL_SAFE_NO_PAD.encode(challenge) == code.challenge;
        let key = state.keys.first().filter(|_| is_good)?;
        let (url, claims, nonce) = (&self.url, &state.claims, &code.nonce);
        Some(key.sign(&format!(
            r#"{{"iss": "{url}", "aud": "{CLIENT}", "nonce": "{nonce}", "exp": 4000000000, {claims}}}"#
        )))
    }
}
