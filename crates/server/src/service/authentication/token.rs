//! JSON Web Tokens (RFC 7519), signed with HMAC-SHA-256, with ArangoDB's claims.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use errors::Result;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use velocypack::{Builder, Limits, Slice, json};

use crate::http::Fields;

/// The maximum length in bytes of a token that is verified.
const TOKEN_MAX_BYTES: usize = 16 << 10;

/// The issuer of our tokens, and of those that clients sign themselves.
const ISSUER: &str = "arangodb";

/// The name under which servers sign in at each other.
const SERVER: &str = "persea";

/// The claim of a token for the services of a database, by which servers pass requests on.
const SERVICES: &str = "persea_services";

/// The claim of the server's own tokens with their session.
const SESSION: &str = "persea_session";

/// The beginning of texts that are proofs, which no token has.
const PROOF: &str = "persea session";

/// Bytes of a proof.
const PROOF_BYTES: usize = 16;

/// The seconds by which the clock of the machine that signed a token may be ahead.
const CLOCK_SKEW_SECONDS: f64 = 5.0;

/// The claims of a valid token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claims {
    /// The subject of the token.
    pub(crate) subject: Subject,
    /// The time at which the token expires, in seconds since 1970; `None` if it never does.
    pub(crate) expires_seconds: Option<f64>,
    /// The only paths for which the token is valid; `None` for all.
    pub(crate) allowed_paths: Option<Vec<String>>,
    /// The session of a token that a server has signed for a user.
    pub(crate) session: Option<Session>,
}

/// The claims by which a token ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// The identifier of the token.
    pub(crate) id: String,
    /// The generation of the user's sessions.
    pub(crate) generation: u64,
    /// The number of the access token that the token was made from; `None` for a password.
    pub(crate) access_token: Option<u64>,
    /// The [`proof`] of the password's hash, or of the access token's digest.
    pub(crate) proof: String,
}

/// The subject of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A server of the deployment, or any owner of the secret, who may do everything.
    Server,
    /// A user.
    User(String),
    /// The services of the database with this name.
    Services(String),
}

fn signature_of(signed: &str, secret: &[u8]) -> Option<Hmac<Sha256>> {
    // A key of any length is accepted.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}

/// Returns a text that changes with a user's password or access token, and tells nothing about it.
pub(crate) fn proof(user: &str, credential: &str, secret: &[u8]) -> Option<String> {
    let mac = signature_of(&format!("{PROOF}\0{user}\0{credential}"), secret)?;
    mac.finalize().into_bytes().get(..PROOF_BYTES).map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns a signed token for a user.
pub(crate) fn sign(
    user: &str,
    session: Option<&Session>,
    now_seconds: u64,
    lifetime_seconds: u64,
    secret: &[u8],
) -> Result<String> {
    sign_as(("preferred_username", user), session, now_seconds, lifetime_seconds, secret)
}

/// Returns a signed token of a server, for others that have its secret.
pub(crate) fn sign_server(now_seconds: u64, lifetime_seconds: u64, secret: &[u8]) -> Result<String> {
    sign_as(("server_id", SERVER), None, now_seconds, lifetime_seconds, secret)
}

/// Returns a signed token for the services of a database.
pub(crate) fn sign_services(
    database: &str,
    now_seconds: u64,
    lifetime_seconds: u64,
    secret: &[u8],
) -> Result<String> {
    sign_as((SERVICES, database), None, now_seconds, lifetime_seconds, secret)
}

fn sign_as(
    subject: (&str, &str),
    session: Option<&Session>,
    now_seconds: u64,
    lifetime_seconds: u64,
    secret: &[u8],
) -> Result<String> {
    let header = json::to_json_string(
        Slice::new(&Fields::object(|fields| {
            fields.text("alg", "HS256").text("typ", "JWT");
        })?),
        None,
    );
    let claims = json::to_json_string(
        Slice::new(&Fields::object(|fields| {
            fields.text(subject.0, subject.1).text("iss", ISSUER);
            fields.number("iat", now_seconds).number("exp", now_seconds.saturating_add(lifetime_seconds));
            if let Some(session) = session {
                fields.text("jti", &session.id).child(SESSION, |fields| {
                    fields.number("generation", session.generation).text("proof", &session.proof);
                    if let Some(id) = session.access_token {
                        fields.number("accessToken", id);
                    }
                });
            }
        })?),
        None,
    );
    let mut token = URL_SAFE_NO_PAD.encode(header);
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(claims, &mut token);
    let signature = signature_of(&token, secret).map(|mac| mac.finalize().into_bytes());
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(signature.unwrap_or_default(), &mut token);
    Ok(token)
}

/// Returns a token's claims, if one of the secrets signed it, it has begun and has not expired.
pub(crate) fn verify(token: &str, now_seconds: f64, secrets: &[Vec<u8>]) -> Option<Claims> {
    if token.len() > TOKEN_MAX_BYTES {
        return None;
    }
    let (signed, signature) = token.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let signature = URL_SAFE_NO_PAD.decode(signature.trim_end_matches('=')).ok()?;
    // `verify_slice` takes the same time for every wrong signature.
    secrets.iter().find(|secret| {
        signature_of(signed, secret).is_some_and(|mac| mac.verify_slice(&signature).is_ok())
    })?;
    let header = decode(header)?;
    let header = Slice::new(&header);
    if header.get("alg")?.as_str()? != "HS256" {
        return None;
    }
    let claims = decode(claims)?;
    if !has_begun(Slice::new(&claims), now_seconds)? {
        return None;
    }
    let claims = read_claims(Slice::new(&claims))?;
    let is_over = claims.expires_seconds.is_some_and(|expires| expires <= now_seconds);
    (!is_over).then_some(claims)
}

fn decode(part: &str) -> Option<Vec<u8>> {
    let text = URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()?;
    let mut builder = Builder::new();
    json::parse(&text, &Limits { max_depth: 8, max_bytes: TOKEN_MAX_BYTES }, &mut builder).ok()?;
    Some(builder.into_vec())
}

/// Returns true if a token is valid already; `None` if it says so wrongly.
fn has_begun(claims: Slice<'_>, now_seconds: f64) -> Option<bool> {
    match claims.get("nbf") {
        None => Some(true),
        Some(begins) => Some(begins.as_f64()? <= now_seconds + CLOCK_SKEW_SECONDS),
    }
}

fn read_claims(claims: Slice<'_>) -> Option<Claims> {
    if claims.get("iss")?.as_str()? != ISSUER {
        return None;
    }
    let expires_seconds = match claims.get("exp") {
        None => None,
        Some(expires) => Some(expires.as_f64()?),
    };
    let allowed_paths = match claims.get("allowed_paths") {
        None => None,
        Some(paths) if paths.is_array() => {
            Some(paths.elements().map(|path| path.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()?)
        }
        Some(_) => return None,
    };
    let subject = match (claims.get("preferred_username"), claims.get("server_id")) {
        (Some(user), _) => Subject::User(user.as_str().filter(|user| !user.is_empty())?.to_owned()),
        (None, Some(server)) => server.as_str().map(|_| Subject::Server)?,
        (None, None) => Subject::Services(claims.get(SERVICES)?.as_str()?.to_owned()),
    };
    let session = match claims.get(SESSION) {
        None => None,
        Some(session) => Some(read_session(claims, session)?),
    };
    Some(Claims { subject, expires_seconds, allowed_paths, session })
}

fn read_session(claims: Slice<'_>, session: Slice<'_>) -> Option<Session> {
    let access_token = match session.get("accessToken") {
        None => None,
        Some(id) => Some(id.as_u64()?),
    };
    Some(Session {
        id: claims.get("jti")?.as_str()?.to_owned(),
        generation: session.get("generation")?.as_u64()?,
        access_token,
        proof: session.get("proof")?.as_str()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Vec<Vec<u8>> {
        vec![b"old".to_vec(), b"secret".to_vec()]
    }

    /// Signs any text, as a client with the secret may.
    fn forge(header: &str, claims: &str, secret: &[u8]) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = signature_of(&signed, secret).unwrap().finalize().into_bytes();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    const HEADER: &str = r#"{"typ":"JWT","alg":"HS256"}"#;

    #[test]
    fn a_token_is_good_until_it_expires() {
        let token = sign("root", None, 1_000, 60, b"secret").unwrap();
        let claims = verify(&token, 1_059.0, &secrets()).unwrap();
        assert_eq!(claims.subject, Subject::User("root".to_owned()));
        assert_eq!(claims.expires_seconds, Some(1_060.0));
        assert_eq!(verify(&token, 1_060.0, &secrets()), None);
        assert_eq!(verify(&token, 1_000.0, &[b"other".to_vec()]), None);
    }

    #[test]
    fn a_token_may_name_servers_and_services() {
        let subject = |token: Result<String>| verify(&token.unwrap(), 1_000.0, &secrets()).unwrap().subject;
        assert_eq!(subject(sign_server(1_000, 60, b"secret")), Subject::Server);
        let services = subject(sign_services("shop", 1_000, 60, b"secret"));
        assert_eq!(services, Subject::Services("shop".to_owned()));
        for claims in [r#"{"iss":"arangodb"}"#, r#"{"iss":"arangodb","persea_services":1}"#] {
            assert_eq!(verify(&forge(HEADER, claims, b"secret"), 0.0, &secrets()), None);
        }
    }

    #[test]
    fn a_token_keeps_its_session() {
        for access_token in [None, Some(7)] {
            let proof = proof("root", "hash", b"secret").unwrap();
            let session = Session { id: "x".to_owned(), generation: 3, access_token, proof };
            let token = sign("root", Some(&session), 1_000, 60, b"secret").unwrap();
            assert_eq!(verify(&token, 1_000.0, &secrets()).unwrap().session, Some(session));
        }
        let claims = r#"{"iss":"arangodb","preferred_username":"root","persea_session":{"generation":0}}"#;
        assert_eq!(verify(&forge(HEADER, claims, b"secret"), 0.0, &secrets()), None);
        let differs = |user, credential, secret: &[u8]| {
            proof("root", "hash", b"secret") != proof(user, credential, secret)
        };
        assert!(differs("x", "hash", b"secret") && differs("root", "x", b"secret"));
        assert!(differs("root", "hash", b"x") && !differs("root", "hash", b"secret"));
    }

    #[test]
    fn a_token_is_worthless_before_it_begins() {
        let claims = r#"{"iss":"arangodb","preferred_username":"root","nbf":1100.5}"#;
        let token = forge(HEADER, claims, b"secret");
        assert_eq!(verify(&token, 1_000.0, &secrets()), None);
        assert!(verify(&token, 1_099.0, &secrets()).is_some(), "clocks of two machines differ");
        assert!(verify(&token, 1_101.0, &secrets()).is_some());
        let wrong = r#"{"iss":"arangodb","preferred_username":"root","nbf":"soon"}"#;
        assert_eq!(verify(&forge(HEADER, wrong, b"secret"), 1_000.0, &secrets()), None);
    }

    #[test]
    fn a_changed_token_is_worthless() {
        let token = sign("root", None, 1_000, 60, b"secret").unwrap();
        let other = sign("reader", None, 1_000, 60, b"other").unwrap();
        let (claims, _) = other.rsplit_once('.').unwrap();
        let (_, signature) = token.rsplit_once('.').unwrap();
        assert_eq!(verify(&format!("{claims}.{signature}"), 1_000.0, &secrets()), None);
        for broken in ["", ".", "..", "a.b.c", &token[1..], token.trim_end_matches(char::is_alphanumeric)] {
            assert_eq!(verify(broken, 1_000.0, &secrets()), None, "{broken}");
        }
    }

    #[test]
    fn the_parts_of_a_token_may_be_padded() {
        let encode = |text: &str| base64::engine::general_purpose::URL_SAFE.encode(text);
        let signed = format!("{}.{}", encode(HEADER), encode(r#"{"iss":"arangodb","server_id":"a"}"#));
        assert!(signed.contains('='));
        let signature = signature_of(&signed, b"secret").unwrap().finalize().into_bytes();
        let token = format!("{signed}.{}=", URL_SAFE_NO_PAD.encode(signature));
        assert_eq!(verify(&token, 0.0, &secrets()).unwrap().subject, Subject::Server);
    }

    #[test]
    fn servers_sign_in_at_each_other() {
        let token = sign_server(1_000, 60, b"secret").unwrap();
        assert_eq!(verify(&token, 1_059.0, &secrets()).unwrap().subject, Subject::Server);
        assert_eq!(verify(&token, 1_060.0, &secrets()), None);
        assert_eq!(verify(&token, 1_000.0, &[b"other".to_vec()]), None);
    }

    #[test]
    fn a_server_token_needs_no_user_and_no_end() {
        let token = forge(HEADER, r#"{"iss":"arangodb","server_id":"test"}"#, b"secret");
        let claims = verify(&token, 1e12, &secrets()).unwrap();
        assert_eq!(
            claims,
            Claims { subject: Subject::Server, expires_seconds: None, allowed_paths: None, session: None }
        );
    }

    #[test]
    fn other_algorithms_and_issuers_are_refused() {
        let good = r#"{"iss":"arangodb","server_id":"test"}"#;
        for header in [r#"{"alg":"none"}"#, r#"{"alg":"HS512"}"#, "{}", "x"] {
            assert_eq!(verify(&forge(header, good, b"secret"), 0.0, &secrets()), None, "{header}");
        }
        for claims in [r#"{"iss":"x","server_id":"t"}"#, r#"{"server_id":"t"}"#, r#"{"iss":"arangodb"}"#] {
            assert_eq!(verify(&forge(HEADER, claims, b"secret"), 0.0, &secrets()), None, "{claims}");
        }
    }

    #[test]
    fn a_token_may_be_good_for_some_paths() {
        let claims = r#"{"iss":"arangodb","server_id":"t","allowed_paths":["/_api/version"]}"#;
        let claims = verify(&forge(HEADER, claims, b"secret"), 0.0, &secrets()).unwrap();
        assert_eq!(claims.allowed_paths.unwrap(), ["/_api/version"]);
    }
}
