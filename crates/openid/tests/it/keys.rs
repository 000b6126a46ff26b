//! When keys are fetched, and which are used.

use std::time::Duration;

use mock_issuer::{MockIssuer, SigningKey};
use openid::{Pace, Refusal};

use crate::support::{NOW, claims, examine, fast, issuers, refusal, slow};

#[test]
fn an_unknown_key_is_looked_up() {
    let mock = MockIssuer::start().unwrap();
    let issuers = issuers(&mock, "", fast());
    let good = claims(&mock, "", "");
    let old = SigningKey::rsa("first").sign(&good);
    assert!(examine(&issuers, &old).is_ok());
    mock.set_keys(&[SigningKey::second_rsa("new")]);
    assert!(examine(&issuers, &old).is_ok(), "known keys are used until the next fetch");
    assert!(examine(&issuers, &SigningKey::second_rsa("new").sign(&good)).is_ok());
    assert!(issuers.examine(&old, NOW).is_err(), "the issuer has withdrawn the key");
}

#[test]
fn strangers_cause_one_fetch_at_most() {
    let mock = MockIssuer::start().unwrap();
    let issuers = issuers(&mock, "", slow());
    let good = claims(&mock, "", "");
    let key = SigningKey::rsa("first");
    assert!(examine(&issuers, &key.sign(&good)).is_ok());
    for number in 0..200 {
        let header = format!(r#"{{"alg": "RS256", "kid": "{number}"}}"#);
        assert!(refusal(&issuers, &key.sign_with(&header, &good)).starts_with("the issuer has no such key"));
    }
    assert_eq!(mock.discoveries(), 1);
    // Nothing is fetched for tokens that are worthless anyway.
    let mock = MockIssuer::start().unwrap();
    let issuers = crate::support::issuers(&mock, "", fast());
    assert!(examine(&issuers, &key.sign(&claims(&mock, "", ""))).is_ok());
    let before = mock.discoveries();
    let header = r#"{"alg": "RS256", "kid": "x"}"#;
    refusal(&issuers, &key.sign_with(header, &claims(&mock, "aud", r#""aud": "y""#)));
    assert_eq!(mock.discoveries(), before);
}

#[test]
fn an_issuer_may_come_later() {
    let mock = MockIssuer::start().unwrap();
    mock.set_down(true);
    let issuers = issuers(&mock, "", slow());
    let token = SigningKey::rsa("first").sign(&claims(&mock, "", ""));
    let refused = examine(&issuers, &token).unwrap_err();
    assert!(matches!(&refused, Refusal::Unavailable(reason) if reason.contains("503")), "{refused}");
    let issuers = crate::support::issuers(&mock, "", fast());
    let limit = std::time::Instant::now() + Duration::from_secs(60);
    mock.set_down(false);
    while examine(&issuers, &token).is_err() {
        assert!(std::time::Instant::now() < limit);
    }
}

#[test]
fn old_keys_outlive_an_outage_until_their_end() {
    let mock = MockIssuer::start().unwrap();
    let pace = Pace { refresh: Duration::ZERO, ..fast() };
    let kept = issuers(&mock, "", pace);
    let token = SigningKey::rsa("first").sign(&claims(&mock, "", ""));
    assert!(examine(&kept, &token).is_ok());
    mock.set_down(true);
    for _ in 0..20 {
        assert!(examine(&kept, &token).is_ok());
        std::thread::yield_now();
    }
    mock.set_down(false);
    let ended = issuers(&mock, "", Pace { end: Duration::ZERO, ..slow() });
    assert!(matches!(examine(&ended, &token), Err(Refusal::Unavailable(_))));
}

#[test]
fn keys_that_do_not_fit_are_left_out() {
    let mock = MockIssuer::start().unwrap();
    let key = SigningKey::rsa("good");
    let public = key.public();
    mock.set_keys(&[]);
    let foreign = |from: &str, to: &str| public.replace(from, to);
    mock.add_foreign_keys(&[
        foreign(r#""use": "sig""#, r#""use": "enc""#),
        foreign("RS256", "RS512"),
        foreign(r#""kid": "good""#, r#""kid": 1"#),
        foreign(r#""kty": "RSA""#, r#""kty": "EC""#),
        foreign(r#""use": "sig""#, r#""key_ops": ["encrypt"]"#),
        // 1,024 bits.
        format!(r#"{{"kty": "RSA", "kid": "good", "e": "AQAB", "n": "{}"}}"#, "x0Iq".repeat(42) + "x0I"),
        r#"{"kty": "oct", "kid": "good", "k": "c2VjcmV0"}"#.to_owned(),
        "7".to_owned(),
    ]);
    let issuers = issuers(&mock, "", slow());
    let token = key.sign(&claims(&mock, "", ""));
    assert!(refusal(&issuers, &token).contains("has no key for RS256 or ES256"));
    mock.add_foreign_keys(&vec![public; 100]);
    let issuers = crate::support::issuers(&mock, "", slow());
    assert!(refusal(&issuers, &token).contains("at most 100 are read"));
}

#[test]
fn a_document_of_another_issuer_is_refused() {
    let mock = MockIssuer::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuers.json");
    let url = mock.url().replace("127.0.0.1", "localhost");
    let text = format!(
        r#"{{"issuer": "{url}", "audience": "persea", "rules": [{{"everyone": true, "roles": "a"}}]}}"#
    );
    std::fs::write(&file, text).unwrap();
    let issuers = openid::Issuers::start(openid::read_issuers(&file).unwrap(), slow());
    let token = SigningKey::rsa("first").sign(&claims(&mock, "iss", &format!(r#""iss": "{url}""#)));
    assert!(refusal(&issuers, &token).contains("it must be"));
}

#[test]
fn few_wait_for_keys() {
    let mock = MockIssuer::start().unwrap();
    mock.set_delay(Duration::from_secs(1));
    let issuers = issuers(&mock, "", slow());
    let token = SigningKey::rsa("first").sign(&claims(&mock, "", ""));
    let Err(Refusal::Fetching(fetch)) = issuers.examine(&token, NOW) else { panic!("keys cannot be there") };
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let admitted = (0..1_000).filter(|_| {
        let sender = sender.clone();
        fetch.when_ended(move || drop(sender))
    });
    assert_eq!(admitted.count(), 64);
    drop(sender);
    // All of them are called.
    let end = receiver.recv_timeout(Duration::from_secs(60));
    assert_eq!(end, Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
    assert!(examine(&issuers, &token).is_ok());
}
