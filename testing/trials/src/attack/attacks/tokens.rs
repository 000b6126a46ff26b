//! Tokens that are wrong, over, somebody else's, or revoked in the middle of a request.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use fastrand::Rng;
use harness::http1::{Connection, Request};
use harness::{PASSWORD, SECRET, wait_until};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::{TIMEOUT, Target};

/// A user with no rights.
const USER: &str = "anna";

/// A time that is far away, in seconds since 1970.
const FAR: u64 = 4_000_000_000;

/// Connections that send random tokens, and time for which they do.
const FLOOD: (usize, Duration) = (50, Duration::from_secs(4));

/// A request with a password may take this many times its time at rest, and five floors.
const SLOWER_MAX: u32 = 5;

/// See the module.
pub(crate) struct Tokens;

impl Attack for Tokens {
    fn name(&self) -> &'static str {
        "tokens"
    }

    fn summary(&self) -> &'static str {
        "tokens that are wrong, expired, somebody else's, long or revoked"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        let user = json!({"user": USER, "passwd": PASSWORD});
        target.call("POST", "/_api/user", &user.to_string()).map(|_| ())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = vec![
            Case::new("a good JWT", |target, _| {
                expect(target, &bearer(&jwt("HS256", SECRET, &claims("root"))), 200)
            }),
            Case::new("an access token", |target, _| access_token(target)),
            Case::new("an expired access token", |target, _| expired(target)),
            Case::new("an access token revoked in a request", |target, _| revoked(target)),
            Case::new("thousands of access tokens", |target, _| thousands(target)),
            Case::new("a flood of random tokens", flood),
        ];
        for (name, authorization) in wrong_headers(rng) {
            cases.push(Case::new(name, move |target, _| expect(target, &authorization, 401)));
        }
        run_cases(target, rng, cases)
    }
}

fn bearer(token: &str) -> String {
    format!("bearer {token}")
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

fn claims(user: &str) -> Value {
    json!({"iss": "arangodb", "preferred_username": user, "exp": FAR})
}

/// Returns a JSON Web Token (RFC 7519).
fn jwt(algorithm: &str, secret: &str, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&json!({"alg": algorithm, "typ": "JWT"})), part(claims));
    let signature = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map(|mut mac| {
        mac.update(signed.as_bytes());
        mac.finalize().into_bytes().to_vec()
    });
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.unwrap_or_default()))
}

/// Returns headers that must be refused.
fn wrong_headers(rng: &mut Rng) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut add = |name: &str, header: String| headers.push((name.to_owned(), header));
    let good = jwt("HS256", SECRET, &claims("root"));
    let unsigned = jwt("none", SECRET, &claims("root"));
    let (head, _) = unsigned.rsplit_once('.').unwrap_or_default();
    add("algorithm none with a signature", bearer(&unsigned));
    add("algorithm none without a signature", bearer(&format!("{head}.")));
    add("algorithm HS512", bearer(&jwt("HS512", SECRET, &claims("root"))));
    add("another secret", bearer(&jwt("HS256", "another", &claims("root"))));
    add("no secret", bearer(&jwt("HS256", "", &claims("root"))));
    add("an unknown user", bearer(&jwt("HS256", SECRET, &claims("nobody"))));
    add("a name of 20 kB", bearer(&jwt("HS256", SECRET, &claims(&"a".repeat(20_000)))));
    add("a token of 60 kB", bearer(&"a.".repeat(30_000)));
    add("a password of 30 kB", basic("root", &"a".repeat(30_000)));
    let signed_with = |name: &str, value: Value| {
        let mut claims = claims("root");
        claims[name] = value;
        bearer(&jwt("HS256", SECRET, &claims))
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    add("an expired token", signed_with("exp", json!(now - 1)));
    add("an expiry of text", signed_with("exp", json!("never")));
    add("an expiry before all", signed_with("exp", json!(-1e300)));
    add("another issuer", signed_with("iss", json!("attack")));
    add("a name that is null", signed_with("preferred_username", Value::Null));
    add("a name that is a list", signed_with("preferred_username", json!(["root"])));
    add("paths that are others", signed_with("allowed_paths", json!(["/_api/none"])));
    add("nested claims", signed_with("exp", nested(1_000)));
    for number in 0..20 {
        let mut bytes = good.clone().into_bytes();
        let place = rng.usize(..bytes.len() - 2);
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        add(&format!("a changed token {number}"), bearer(&String::from_utf8_lossy(&bytes)));
    }
    headers
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

/// Asks with a header. Errors: another status.
fn expect(target: &Target, authorization: &str, status: u16) -> Result<(), String> {
    let request = Request::new("GET", "/_api/collection").header("authorization", authorization);
    match target.ask(&request) {
        Ok(reply) if reply.status == status || (status == 401 && reply.status == 431) => Ok(()),
        Ok(reply) => Err(format!("{} instead of {status}", reply.status)),
        Err(error) => Err(error.to_string()),
    }
}

/// Makes an access token. Returns its number and text.
fn make(target: &Target, user: &str, name: &str, until: u64) -> Result<(u64, String), String> {
    let body = json!({"name": name, "valid_until": until}).to_string();
    let reply = target.call("POST", &format!("/_api/token/{user}"), &body)?.json();
    let text = reply["token"].as_str().ok_or("a new access token has no text")?;
    Ok((reply["id"].as_u64().unwrap_or(0), text.to_owned()))
}

fn remove(target: &Target, user: &str, id: u64) -> Result<(), String> {
    target.call("DELETE", &format!("/_api/token/{user}/{id}"), "").map(|_| ())
}

/// An access token is its user's, and no longer good when it is removed.
fn access_token(target: &Target) -> Result<(), String> {
    let (id, token) = make(target, "root", "good", FAR)?;
    expect(target, &basic("root", &token), 200)?;
    expect(target, &basic(USER, &token), 401)?;
    expect(target, &basic("root", &token[..token.len() - 2]), 401)?;
    expect(target, &basic("root", &format!("{token}00")), 401)?;
    remove(target, "root", id)?;
    expect(target, &basic("root", &token), 401)
}

fn expired(target: &Target) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (id, token) = make(target, "root", "short", now + 2)?;
    expect(target, &basic("root", &token), 200)?;
    // The token expires at a time, not on a condition.
    std::thread::sleep(Duration::from_secs(3));
    let after = expect(target, &basic("root", &token), 401);
    remove(target, "root", id)?;
    after
}

/// A request that has begun may end, the next one on its connection is refused.
fn revoked(target: &Target) -> Result<(), String> {
    let (id, token) = make(target, "root", "revoked", FAR)?;
    let authorization = basic("root", &token);
    let mut connection = target.connect().map_err(|error| error.to_string())?;
    let query = Request::new("POST", "/_api/cursor").header("authorization", &authorization);
    connection.send(&query.body("{\"query\":\"RETURN SLEEP(3)\"}")).map_err(|error| error.to_string())?;
    let running = || target.call("GET", "/_api/query/current", "").map(|reply| reply.text());
    wait_until("the query does not begin", || running().is_ok_and(|text| text.contains("SLEEP(3)")))?;
    remove(target, "root", id)?;
    connection.receive().map_err(|error| format!("a request that had begun: {error}"))?;
    let again = Request::new("GET", "/_api/collection").header("authorization", &authorization);
    match connection.ask(&again) {
        Ok(reply) if reply.status == 401 => Ok(()),
        Ok(reply) => Err(format!("{} after the token was removed", reply.status)),
        Err(error) => Err(error.to_string()),
    }
}

/// Makes more tokens than a user may have. Errors: there is no bound.
fn thousands(target: &Target) -> Result<(), String> {
    let mut ids = Vec::new();
    for number in 0..1_100 {
        match make(target, USER, &format!("{number}"), FAR) {
            Ok((id, _)) => ids.push(id),
            Err(_) => break,
        }
    }
    let are_bounded = ids.len() < 1_100;
    ids.into_iter().try_for_each(|id| remove(target, USER, id))?;
    if are_bounded { Ok(()) } else { Err("a user may have 1,100 tokens".to_owned()) }
}

/// Sends random tokens. Errors: a concurrent user whose password is known has to wait.
fn flood(target: &Target, rng: &mut Rng) -> Result<(), String> {
    let authorization = basic("root", PASSWORD);
    expect(target, &authorization, 200)?;
    let at_rest = slowest(target, &authorization, Duration::from_millis(500))?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..FLOOD.0 {
            let mut rng = rng.fork();
            scope.spawn(move || {
                let Ok(mut connection) = Connection::open(target.address(), TIMEOUT) else { return };
                while start.elapsed() < FLOOD.1 {
                    target.count(1);
                    let token = jwt("HS256", "wrong", &json!(rng.u64(..)));
                    let request =
                        Request::new("GET", "/_api/version").header("authorization", &bearer(&token));
                    if connection.ask(&request).is_err() {
                        return;
                    }
                }
            });
        }
        let slowest = slowest(target, &authorization, FLOOD.1)?;
        let bound = at_rest * SLOWER_MAX + target.limits().floor * 5;
        if slowest > bound {
            return Err(format!(
                "a request with a password took {slowest:.1?}, {at_rest:.1?} at rest, the bound is {bound:.1?}"
            ));
        }
        Ok(())
    })
}

/// Asks again and again for some time, and returns the time of the slowest request.
fn slowest(target: &Target, authorization: &str, time: Duration) -> Result<Duration, String> {
    let start = Instant::now();
    let mut slowest = Duration::ZERO;
    while start.elapsed() < time {
        let begin = Instant::now();
        expect(target, authorization, 200)?;
        slowest = slowest.max(begin.elapsed());
        // An honest user does not ask all the time.
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(slowest)
}
