//! The authorization code flow.

use std::sync::Arc;

use mock_issuer::MockIssuer;
use openid::{Issuers, Refusal, SignIns, Started};

use crate::support::{NOW, examine, fast, issuers};

const MEMBERS: &str = r#""id": "mock", "clientId": "persea-web", "redirectUri": "https://db.example/x","#;

fn started(sign_ins: &SignIns) -> Started {
    // The first fetch is in progress.
    loop {
        match sign_ins.start("mock").unwrap() {
            Ok(started) => return started,
            Err(Refusal::Fetching(_)) => std::thread::yield_now(),
            Err(other) => panic!("{other}"),
        }
    }
}

fn with(mock: &MockIssuer, members: &str) -> (SignIns, Arc<Issuers>) {
    mock.set_claims(r#""sub": "ann""#);
    let issuers = issuers(mock, &format!("{MEMBERS}{members}"), fast());
    (SignIns::new(Arc::clone(&issuers)), issuers)
}

fn finish(
    sign_ins: &SignIns,
    id: &str,
    state: &str,
    code: &str,
) -> Result<(String, openid::Verified), Refusal> {
    sign_ins.finish(&sign_ins.take(id, state)?, code, || NOW)
}

#[test]
fn a_code_becomes_a_token_once() {
    let mock = MockIssuer::start().unwrap();
    let (sign_ins, issuers) = with(&mock, "");
    assert!(sign_ins.start("other").is_none());
    let Started { url, state } = started(&sign_ins);
    assert!(url.contains("redirect_uri=https%3A%2F%2Fdb.example%2Fx"), "{url}");
    let (code, returned) = mock.authorize(&url).unwrap();
    assert_eq!(returned, state);
    let (token, verified) = finish(&sign_ins, "mock", &state, &code).unwrap();
    assert_eq!(verified.user, "127.0.0.1:ann");
    assert_eq!(examine(&issuers, &token).unwrap(), verified, "the token is good for requests");
    let again = finish(&sign_ins, "mock", &state, &code).unwrap_err();
    assert!(again.to_string().contains("finished already"), "{again}");
}

#[test]
fn states_codes_and_nonces_belong_together() {
    let mock = MockIssuer::start().unwrap();
    let (sign_ins, _) = with(&mock, "");
    let [first, second] = [started(&sign_ins), started(&sign_ins)];
    assert_ne!(first.state, second.state);
    let (code, _) = mock.authorize(&first.url).unwrap();
    // The verifier is another one, so the issuer refuses.
    let mixed = finish(&sign_ins, "mock", &second.state, &code).unwrap_err();
    assert!(matches!(&mixed, Refusal::Invalid(reason) if reason.contains("invalid_grant")), "{mixed}");
    let third = started(&sign_ins);
    let foreign = third.url.replace("nonce=", "nonce=x");
    let (code, state) = mock.authorize(&foreign).unwrap();
    let wrong = finish(&sign_ins, "mock", &state, &code).unwrap_err();
    assert!(wrong.to_string().starts_with("the nonce"), "{wrong}");
    assert!(finish(&sign_ins, "mock", "", "x").is_err());
    let fourth = started(&sign_ins);
    assert!(finish(&sign_ins, "elsewhere", &fourth.state, "x").is_err());
}

#[test]
fn a_client_may_have_a_secret() {
    let mock = MockIssuer::start().unwrap();
    mock.require_secret("s3cret:&");
    let (sign_ins, _) = with(&mock, "");
    let Started { url, .. } = started(&sign_ins);
    let (code, state) = mock.authorize(&url).unwrap();
    assert!(finish(&sign_ins, "mock", &state, &code).is_err(), "the client has no secret");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    mock.require_secret("plain-secret");
    std::fs::write(&file, "plain-secret\n").unwrap();
    let (sign_ins, _) = with(&mock, &format!(r#""clientSecretFile": "{}","#, file.display()));
    let Started { url, .. } = started(&sign_ins);
    let (code, state) = mock.authorize(&url).unwrap();
    assert!(finish(&sign_ins, "mock", &state, &code).is_ok());
}

#[test]
fn sign_ins_are_bounded() {
    let mock = MockIssuer::start().unwrap();
    let (sign_ins, _) = with(&mock, "");
    let oldest = started(&sign_ins);
    let next = started(&sign_ins);
    for _ in 0..9_999 {
        started(&sign_ins);
    }
    let (code, state) = mock.authorize(&oldest.url).unwrap();
    assert!(finish(&sign_ins, "mock", &state, &code).is_err(), "the oldest one has ended");
    let (code, state) = mock.authorize(&next.url).unwrap();
    assert!(finish(&sign_ins, "mock", &state, &code).is_ok());
}
