//! Signatures of requests: AWS Signature Version 4, in the header `authorization`.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

use crate::options::Credentials;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The characters that a signed query string leaves as they are.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The characters that a signed path leaves as they are.
const PATH: &AsciiSet = &QUERY.remove(b'/');

/// A request as it is signed.
#[derive(Debug)]
pub(crate) struct Unsigned<'a> {
    pub(crate) method: &'a str,
    /// The path, not encoded.
    pub(crate) path: &'a str,
    /// The names and values of the query string, not encoded.
    pub(crate) query: &'a [(&'a str, &'a str)],
    /// The names, in lower case, and values of all headers.
    pub(crate) headers: &'a [(String, String)],
    /// The SHA-256 of the body in hexadecimal digits.
    pub(crate) body_sha256: &'a str,
}

/// The scope in which a signature is valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
    pub(crate) time: Timestamp,
}

impl Scope<'_> {
    fn date(&self) -> String {
        self.time.strftime("%Y%m%d").to_string()
    }

    /// Returns the time as the header `x-amz-date` has it.
    pub(crate) fn stamp(&self) -> String {
        self.time.strftime("%Y%m%dT%H%M%SZ").to_string()
    }

    fn text(&self) -> String {
        format!("{}/{}/{}/aws4_request", self.date(), self.region, self.service)
    }

    /// Derives the key of this scope from the secret.
    fn key(&self, secret: &str) -> [u8; 32] {
        let date = mac(format!("AWS4{secret}").as_bytes(), &self.date());
        let region = mac(&date, self.region);
        let service = mac(&region, self.service);
        mac(&service, "aws4_request")
    }
}

/// Returns the value of the header `authorization`.
pub(crate) fn authorization(credentials: &Credentials, scope: &Scope<'_>, request: &Unsigned<'_>) -> String {
    let mut headers: Vec<&(String, String)> = request.headers.iter().collect();
    headers.sort();
    let signed: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
    let signed = signed.join(";");
    let lines: String = headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let canonical = format!(
        "{}\n{}\n{}\n{lines}\n{signed}\n{}",
        request.method,
        encoded_path(request.path),
        query_string(request.query),
        request.body_sha256
    );
    let text = format!(
        "{ALGORITHM}\n{}\n{}\n{}",
        scope.stamp(),
        scope.text(),
        hexadecimal(&Sha256::digest(canonical.as_bytes()))
    );
    let signature = hexadecimal(&mac(&scope.key(&credentials.secret_key), &text));
    format!(
        "{ALGORITHM} Credential={}/{}, SignedHeaders={signed}, Signature={signature}",
        credentials.access_key,
        scope.text()
    )
}

/// Returns a path with its special characters encoded.
pub(crate) fn encoded_path(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Returns the query string in the order and encoding in which it is signed.
pub(crate) fn query_string(query: &[(&str, &str)]) -> String {
    let encode = |text: &str| utf8_percent_encode(text, QUERY).to_string();
    let mut pairs: Vec<String> =
        query.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    pairs.sort();
    pairs.join("&")
}

fn mac(key: &[u8], text: &str) -> [u8; 32] {
    // HMAC takes keys of any length, so the default is never used as a key.
    let mac = Hmac::<Sha256>::new_from_slice(key);
    mac.map(|mut mac| {
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().into()
    })
    .unwrap_or_default()
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
