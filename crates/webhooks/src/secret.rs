//! Signatures of deliveries.
//!
//! Source: the specification "Standard Webhooks" 1.0, scheme `v1`: HMAC with SHA-256 over
//! identifier, time and body.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Bytes that the specification recommends for a key.
const KEY_MIN_BYTES: usize = 24;
const KEY_MAX_BYTES: usize = 64;
const PREFIX: &str = "whsec_";

/// The key with which deliveries are signed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    key: Vec<u8>,
}

impl fmt::Debug for Secret {
    /// Formats a secret without its key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

impl Secret {
    /// Reads a secret: Base64 of 24 to 64 bytes, with or without the prefix `whsec_`.
    ///
    /// Errors: the form that would be right.
    pub fn parse(text: &str) -> Result<Secret, String> {
        let key = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).ok();
        let key = key.filter(|key| (KEY_MIN_BYTES..=KEY_MAX_BYTES).contains(&key.len()));
        key.map(|key| Secret { key }).ok_or_else(|| {
            format!("'secret' must be {PREFIX} and {KEY_MIN_BYTES} to {KEY_MAX_BYTES} bytes in Base64")
        })
    }

    /// Returns the text that [`Secret::parse`] reads.
    pub fn text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.key))
    }

    /// Returns the header `webhook-signature`. `timestamp` is in seconds since 1970.
    pub(crate) fn sign(&self, id: &str, timestamp: u64, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_has_its_signature() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature =
            secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signature.as_deref(), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert_eq!(Secret::parse(&secret.text()), Ok(secret));
    }

    #[test]
    fn short_and_malformed_secrets_are_refused_and_none_is_shown() {
        for wrong in ["", "whsec_", "whsec_x", "secret", "whsec_AAAA", &STANDARD.encode([1; 65])] {
            Secret::parse(wrong).unwrap_err();
        }
        let secret = Secret::parse(&STANDARD.encode([1; 24])).unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
