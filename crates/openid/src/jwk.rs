//! Key sets of issuers (RFC 7517, RFC 7518).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use velocypack::Slice;

use crate::reader::Result;

/// Maximum number of keys of an issuer.
pub(crate) const KEYS_MAX: usize = 100;

/// Longest identifier of a key in bytes.
const KID_MAX_BYTES: usize = 1_024;

/// Sizes of RSA's modulus in bits.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2_048..=8_192;

/// Bytes of a coordinate of a point on P-256.
const COORDINATE_BYTES: usize = 32;

/// The algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
}

impl Algorithm {
    /// Returns the algorithm of a name; `None` for all others, `none` and HMAC among them.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Algorithm::Rs256),
            "ES256" => Some(Algorithm::Es256),
            _ => None,
        }
    }
}

/// A public key for signatures.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Clone, Debug)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
}

/// The keys of an issuer that verify signatures.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySet {
    keys: Vec<Key>,
}

impl KeySet {
    /// Reads a key set.
    ///
    /// Keys for other uses and of other types are skipped, as are RSA keys below 2,048 bits.
    /// Errors: it is no key set, or has more than [`KEYS_MAX`] keys.
    pub(crate) fn read(set: Slice<'_>) -> Result<Self> {
        let keys = set.get("keys").filter(|keys| keys.is_array());
        let keys = keys.ok_or("the key set has no array `keys`")?;
        if keys.len() > KEYS_MAX {
            return Err(format!("the key set has {} keys; at most {KEYS_MAX} are read", keys.len()));
        }
        Ok(KeySet { keys: keys.elements().filter_map(Key::read).collect() })
    }

    /// Returns the number of keys that verify signatures.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the key of a signature.
    ///
    /// A token without an identifier is verified only if one key alone fits its algorithm.
    pub(crate) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&Key> {
        let mut fitting = self
            .keys
            .iter()
            .filter(|key| key.algorithm() == algorithm && (id.is_none() || key.id.as_deref() == id));
        let key = fitting.next();
        if id.is_none() && fitting.next().is_some() { None } else { key }
    }
}

impl Key {
    fn read(key: Slice<'_>) -> Option<Self> {
        let is_absent_or = |name: &str, value: &str| match key.get(name) {
            None => true,
            Some(found) => found.as_str() == Some(value),
        };
        let verifies = match key.get("key_ops") {
            None => true,
            Some(operations) => operations.elements().any(|one| one.as_str() == Some("verify")),
        };
        if !is_absent_or("use", "sig") || !verifies {
            return None;
        }
        let id = match key.get("kid") {
            None => None,
            Some(id) => Some(id.as_str().filter(|id| id.len() <= KID_MAX_BYTES)?.to_owned()),
        };
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(key.get(name)?.as_str()?).ok();
        let material = match key.get("kty")?.as_str()? {
            "RSA" if is_absent_or("alg", "RS256") => {
                let (modulus, exponent) = (without_zeros(&bytes("n")?), without_zeros(&bytes("e")?));
                let first = modulus.first()?;
                let bits = modulus.len() * 8 - first.leading_zeros() as usize;
                if !RSA_BITS.contains(&bits) {
                    tracing::warn!(target: "authentication", bits, "an issuer's RSA key is refused for its size");
                    return None;
                }
                Material::Rsa { modulus, exponent }
            }
            "EC" if is_absent_or("alg", "ES256") && key.get("crv")?.as_str()? == "P-256" => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                if x.len() != COORDINATE_BYTES || y.len() != COORDINATE_BYTES {
                    return None;
                }
                Material::P256([&[4][..], &x, &y].concat())
            }
            _ => return None,
        };
        Some(Key { id, material })
    }

    fn algorithm(&self) -> Algorithm {
        match self.material {
            Material::Rsa { .. } => Algorithm::Rs256,
            Material::P256(_) => Algorithm::Es256,
        }
    }

    /// Returns true if the key made the signature of a message.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.material {
            Material::Rsa { modulus, exponent } => RsaPublicKeyComponents { n: modulus, e: exponent }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
                .is_ok(),
            Material::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).is_ok()
            }
        }
    }
}

/// Returns a number without leading zeros, which ring refuses.
fn without_zeros(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).unwrap_or_default().to_vec()
}
