//! The text of access tokens: `v1.` and a JSON object in hexadecimal digits, with the user's name
//! and a random secret.
//!
//! The secret has as many bits as a digest, so the store keeps a plain digest of the text. The text
//! cannot be guessed from it, and a check is fast.

use errors::{Error, Result};
use velocypack::{Builder, Limits, Slice, json};

use crate::http::Fields;

const VERSION: &str = "v1";

/// Longest text that is examined.
const MAX_BYTES: usize = 8 << 10;

/// Bytes of the secret.
const SECRET_BYTES: usize = 32;

/// The number of last hexadecimal digits that are shown.
const SHOWN_DIGITS: usize = 6;

/// Creates a token for a user.
pub(crate) fn make(user: &str, valid_until: u64) -> Result<String> {
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(Error::internal)?;
    let object = Fields::object(|fields| {
        fields.number("e", valid_until).text("u", user).text("s", &hexadecimal(&secret));
    })?;
    let text = json::to_json_string(Slice::new(&object), None);
    Ok(format!("{VERSION}.{}", hexadecimal(text.as_bytes())))
}

/// Returns true if a password has the form of a token.
pub(crate) fn is_one(password: &str) -> bool {
    digits(password).is_some()
}

/// Returns the user that a token names, without checking the token.
pub(crate) fn user_of(token: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = digits(token)?
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    let mut builder = Builder::new();
    json::parse(&bytes?, &Limits { max_depth: 2, max_bytes: MAX_BYTES }, &mut builder).ok()?;
    Some(Slice::new(&builder.into_vec()).get("u")?.as_str()?.to_owned())
}

/// Returns the part of a token that may be shown.
pub(crate) fn fingerprint(token: &str) -> String {
    let end = token.len().saturating_sub(SHOWN_DIGITS);
    format!("{VERSION}...{}", token.get(end..).unwrap_or_default())
}

fn digits(token: &str) -> Option<&str> {
    let digits = token.strip_prefix(VERSION)?.strip_prefix('.')?;
    let is_hexadecimal = digits.len() % 2 == 0 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hexadecimal && token.len() <= MAX_BYTES).then_some(digits)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_user() {
        let token = make("anna \"b\"", 1_800_000_000).unwrap();
        assert!(is_one(&token) && token.starts_with("v1.7b22"), "{token}");
        assert_eq!(user_of(&token).as_deref(), Some("anna \"b\""));
        assert_eq!(fingerprint(&token), format!("v1...{}", &token[token.len() - 6..]));
        assert_ne!(token, make("anna \"b\"", 1_800_000_000).unwrap());
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "v1", "v1.", "v1.7b2", "v1.zz", "v1.7b7d", "v2.7b7d", "secret", "v1.äö"] {
            assert_eq!(user_of(text), None, "{text}");
        }
        assert!(!is_one("v1.7b2") && !is_one("v1.zz") && !is_one(&format!("v1.{}", "7b".repeat(5_000))));
    }
}
