//! The parts of a signed token (RFC 7515, compact serialization).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use velocypack::Slice;

use crate::jwk::{Algorithm, Key};
use crate::reader::parse;

/// Longest token that is examined.
const TOKEN_MAX_BYTES: usize = 16 << 10;

/// Longest identifier of a key in bytes.
const KID_MAX_BYTES: usize = 1_024;

/// The types of tokens that are accepted: ID tokens, and access tokens by RFC 9068.
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];

/// A token whose signature has not been verified.
pub(crate) struct Token<'a> {
    signed: &'a str,
    signature: Vec<u8>,
    pub(crate) algorithm: Algorithm,
    pub(crate) key_id: Option<String>,
    claims: Vec<u8>,
}

/// Returns true if a token's header names an algorithm of issuers: RS256 or ES256.
///
/// All other tokens are the server's own, or none.
pub fn is_signed_by_an_issuer(token: &str) -> bool {
    header(token).is_some_and(|header| algorithm(Slice::new(&header)).is_some())
}

fn header(token: &str) -> Option<Vec<u8>> {
    let text = token.get(..token.len().min(TOKEN_MAX_BYTES))?.split('.').next()?;
    parse(&URL_SAFE_NO_PAD.decode(text).ok()?, TOKEN_MAX_BYTES).ok()
}

fn algorithm(header: Slice<'_>) -> Option<Algorithm> {
    Algorithm::from_name(header.get("alg")?.as_str()?)
}

impl<'a> Token<'a> {
    /// Splits and decodes a token. The error is a sentence.
    pub(crate) fn read(token: &'a str) -> Result<Self, &'static str> {
        if token.len() > TOKEN_MAX_BYTES {
            return Err("the token is longer than 16 KiB");
        }
        let not_one = "the token does not consist of three parts";
        let (signed, signature) = token.rsplit_once('.').ok_or(not_one)?;
        let (first, second) = signed.split_once('.').ok_or(not_one)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| "the signature is not base64url")?;
        let text = URL_SAFE_NO_PAD.decode(second).map_err(|_| "the claims are not base64url")?;
        let claims = parse(&text, TOKEN_MAX_BYTES).map_err(|_| "the claims are not a JSON object")?;
        let header = header(first).ok_or("the header is not a JSON object")?;
        let header = Slice::new(&header);
        let algorithm = algorithm(header).ok_or("the algorithm is neither RS256 nor ES256")?;
        if header.get("crit").is_some() {
            return Err("the header has critical extensions, which are not supported");
        }
        let is_type = |kind: Slice<'_>| {
            kind.as_str().is_some_and(|kind| TYPES.contains(&kind.to_ascii_lowercase().as_str()))
        };
        if !header.get("typ").is_none_or(is_type) {
            return Err("the type (`typ`) is neither JWT nor at+jwt");
        }
        let key_id = match header.get("kid") {
            None => None,
            Some(id) => {
                let id = id.as_str().filter(|id| id.len() <= KID_MAX_BYTES);
                Some(id.ok_or("the identifier of the key (`kid`) is not a short string")?.to_owned())
            }
        };
        Ok(Token { signed, signature, algorithm, key_id, claims })
    }

    /// Returns the claims, which may be anything until the signature is verified.
    pub(crate) fn claims(&self) -> Slice<'_> {
        Slice::new(&self.claims)
    }

    pub(crate) fn is_signed_by(&self, key: &Key) -> bool {
        key.verifies(self.signed.as_bytes(), &self.signature)
    }
}
