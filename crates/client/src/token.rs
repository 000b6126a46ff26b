//! The header `authorization`.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use hyper::header::HeaderValue;
use sha2::Sha256;

use crate::error::{Error, Result};
use crate::options::Credentials;

/// Returns the header, if there are credentials.
pub(crate) fn authorization(credentials: &Credentials) -> Result<Option<HeaderValue>> {
    let text = match credentials {
        Credentials::None => return Ok(None),
        Credentials::Basic { user, password } => {
            format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
        }
        Credentials::Token(token) => format!("Bearer {token}"),
        Credentials::JwtSecret(secret) => format!("Bearer {}", superuser_token(secret)?),
    };
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| Error::Options("the token has characters that HTTP cannot carry".to_owned()))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// Returns a token of the server's own, signed with HS256, without an expiry.
fn superuser_token(secret: &[u8]) -> Result<String> {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let claims = URL_SAFE_NO_PAD.encode(r#"{"iss":"arangodb","server_id":"persea"}"#);
    let signed = format!("{header}.{claims}");
    let mut mac = Hmac::<Sha256>::new_from_slice(secret)
        .map_err(|_| Error::Options("the length of the secret for tokens is not supported".to_owned()))?;
    mac.update(signed.as_bytes());
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())))
}
