//! Which tokens are accepted.

use mock_issuer::{MockIssuer, SigningKey};
use openid::{Level, is_signed_by_an_issuer};

use crate::support::{claims, examine, fast, issuers, refusal, slow};

#[test]
fn tokens_of_both_algorithms_are_verified() {
    let mock = MockIssuer::start().unwrap();
    let keys = [SigningKey::rsa("r"), SigningKey::p256("e")];
    mock.set_keys(&keys);
    let issuers = issuers(&mock, "", fast());
    for key in &keys {
        let verified = examine(&issuers, &key.sign(&claims(&mock, "", ""))).unwrap();
        assert_eq!(verified.user, "127.0.0.1:ann");
        assert_eq!(verified.issuer, mock.url());
        assert_eq!(verified.grants.databases["shop"].level, Some(Level::ReadOnly));
        assert_eq!(verified.expires_seconds, 1_700_000_660.0, "the clocks may differ by a minute");
    }
    let token = keys[0].sign(&claims(&mock, "", ""));
    let changed = format!("{}A{}", &token[..token.len() - 20], &token[token.len() - 19..]);
    assert_eq!(refusal(&issuers, &changed), "the signature is wrong");
    let other = SigningKey::second_rsa("r").sign(&claims(&mock, "", ""));
    assert_eq!(refusal(&issuers, &other), "the signature is wrong");
}

#[test]
fn claims_must_be_for_us_and_for_now() {
    let mock = MockIssuer::start().unwrap();
    let issuers = issuers(&mock, r#""authorizedParties": "app","#, fast());
    let key = SigningKey::rsa("first");
    for (without, with, reason) in [
        ("iss", r#""iss": "https://evil.example""#, "the issuer (`iss`) of the token is not configured"),
        ("iss", "", "the issuer (`iss`) of the token is not configured"),
        ("aud", "", "the token has no audience (`aud`)"),
        ("aud", r#""aud": "elsewhere""#, "the token is for another audience"),
        ("aud", r#""aud": ["elsewhere"]"#, "the token is for another audience"),
        ("aud", r#""aud": ["persea", "elsewhere"]"#, "the token has several audiences and no authorized"),
        ("aud", r#""aud": ["persea", "x"], "azp": "x""#, "the authorized party (`azp`) of the token is not"),
        ("exp", "", "the token has no end (`exp`)"),
        ("exp", r#""exp": "never""#, "a time in the token is not a number"),
        ("exp", r#""exp": 1699999940"#, "the token has expired"),
        ("", r#""nbf": 1700000061"#, "the token is not valid yet"),
        ("iat", r#""iat": 1700000061"#, "the token is not valid yet"),
        ("sub", "", "the token has no claim with the user's name"),
        ("sub", r#""sub": " ""#, "the token has no claim with the user's name"),
        ("sub", r#""sub": "a\nb""#, "the user's name is too long, or has a control"),
    ] {
        let found = refusal(&issuers, &key.sign(&claims(&mock, without, with)));
        assert!(found.starts_with(reason), "{with}: {found}");
    }
    for (without, with) in [
        ("aud", r#""aud": ["other"]"#),
        ("aud", r#""aud": ["x", "persea"], "azp": "app""#),
        ("exp", r#""exp": 1699999941"#),
        ("", r#""nbf": 1700000059"#),
        ("iat", ""),
    ] {
        assert!(examine(&issuers, &key.sign(&claims(&mock, without, with))).is_ok(), "{with}");
    }
}

#[test]
fn names_may_come_from_another_claim() {
    let mock = MockIssuer::start().unwrap();
    let issuers = issuers(&mock, r#""userClaim": "email", "userPrefix": "x-","#, fast());
    let key = SigningKey::rsa("first");
    let sign = |members: &str| key.sign(&claims(&mock, "", members));
    let verified = examine(&issuers, &sign(r#""email": "a@b.example", "email_verified": true"#)).unwrap();
    assert_eq!(verified.user, "x-a@b.example");
    for members in [r#""email": "a@b""#, r#""email": "a@b", "email_verified": "true""#] {
        assert_eq!(refusal(&issuers, &sign(members)), "the issuer has not verified the user's email");
    }
}

#[test]
fn headers_cannot_choose_another_kind_of_check() {
    let mock = MockIssuer::start().unwrap();
    let rsa = SigningKey::rsa("first");
    let elliptic = SigningKey::p256("second");
    mock.set_keys(&[rsa.clone(), elliptic]);
    let issuers = issuers(&mock, "", slow());
    let good = claims(&mock, "", "");
    // The public key as the secret of an HMAC, and no signature at all.
    for header in [r#"{"alg": "HS256", "kid": "first"}"#, r#"{"alg": "none"}"#, r#"{"alg": "RS512"}"#] {
        for secret in [rsa.modulus(), rsa.public().into_bytes(), Vec::new()] {
            let token = SigningKey::forge(&secret, header, &good);
            assert!(!is_signed_by_an_issuer(&token));
            assert_eq!(refusal(&issuers, &token), "the algorithm is neither RS256 nor ES256");
        }
    }
    for (header, reason) in [
        (r#"{"alg": "ES256", "kid": "first"}"#, "the issuer has no such key"),
        (r#"{"alg": "RS256", "kid": "second"}"#, "the issuer has no such key"),
        (r#"{"alg": "RS256", "kid": "first", "crit": ["b64"]}"#, "the header has critical extensions"),
        (r#"{"alg": "RS256", "kid": "first", "typ": "logout+jwt"}"#, "the type (`typ`) is neither"),
        (r#"{"alg": "RS256", "kid": 1}"#, "the identifier of the key"),
        (r#"{"alg": "RS256", "alg": "RS256"}"#, "the header is not a JSON object"),
    ] {
        let found = refusal(&issuers, &rsa.sign_with(header, &good));
        assert!(found.starts_with(reason), "{header}: {found}");
    }
    for header in [r#"{"alg": "RS256", "kid": "first", "typ": "at+JWT"}"#, r#"{"alg": "RS256"}"#] {
        assert!(examine(&issuers, &rsa.sign_with(header, &good)).is_ok(), "{header}");
    }
    mock.set_keys(&[rsa.clone(), SigningKey::second_rsa("third")]);
    let issuers = crate::support::issuers(&mock, "", slow());
    let found = refusal(&issuers, &rsa.sign_with(r#"{"alg": "RS256"}"#, &good));
    assert!(found.starts_with("the issuer has no such key"), "two keys fit: {found}");
}

#[test]
fn broken_tokens_are_refused() {
    let mock = MockIssuer::start().unwrap();
    let issuers = issuers(&mock, "", fast());
    let token = SigningKey::rsa("first").sign(&claims(&mock, "", ""));
    assert!(is_signed_by_an_issuer(&token));
    for broken in ["", ".", "..", "a.b.c", &token[1..], &token[..40], &"a".repeat(20_000), "é.é.é"] {
        assert!(examine(&issuers, broken).is_err(), "{broken}");
    }
    assert!(refusal(&issuers, &format!("{token}=")).starts_with("the signature is not base64url"));
}
