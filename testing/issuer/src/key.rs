//! Keys that sign tokens.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};

/// A key that signs tokens, with its identifier.
#[derive(Clone)]
pub struct SigningKey {
    id: String,
    pair: Pair,
}

#[derive(Clone)]
enum Pair {
    Rsa(Arc<RsaKeyPair>),
    P256(Arc<EcdsaKeyPair>),
}

#[expect(clippy::expect_used, reason = "a test without keys is none")]
fn rsa_pair(text: &str) -> Arc<RsaKeyPair> {
    let text: String = text.split_whitespace().collect();
    let der = STANDARD.decode(text).expect("the key is base64");
    Arc::new(RsaKeyPair::from_pkcs8(&der).expect("the key is PKCS #8"))
}

impl SigningKey {
    /// Returns the first RSA key.
    pub fn rsa(id: &str) -> Self {
        SigningKey { id: id.to_owned(), pair: Pair::Rsa(rsa_pair(include_str!("first.key"))) }
    }

    /// Returns the second RSA key.
    pub fn second_rsa(id: &str) -> Self {
        SigningKey { id: id.to_owned(), pair: Pair::Rsa(rsa_pair(include_str!("second.key"))) }
    }

    /// Returns a new key on P-256.
    #[expect(clippy::expect_used, reason = "a test without keys is none")]
    pub fn p256(id: &str) -> Self {
        let random = SystemRandom::new();
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let der = der.expect("there are random numbers");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random);
        SigningKey { id: id.to_owned(), pair: Pair::P256(Arc::new(pair.expect("the key was just made"))) }
    }

    /// Returns the name of its algorithm.
    pub fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::Rsa(_) => "RS256",
            Pair::P256(_) => "ES256",
        }
    }

    /// Returns the public key as a member of a key set.
    pub fn public(&self) -> String {
        let id = &self.id;
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match &self.pair {
            Pair::Rsa(pair) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                let (modulus, exponent) = (encode(&public.n), encode(&public.e));
                format!(
                    r#"{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "{id}", "n": "{modulus}",
                        "e": "{exponent}"}}"#
                )
            }
            Pair::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = point.get(1..).unwrap_or_default().split_at(32);
                format!(
                    r#"{{"kty": "EC", "crv": "P-256", "kid": "{id}", "x": "{}", "y": "{}"}}"#,
                    encode(x),
                    encode(y)
                )
            }
        }
    }

    /// Returns the modulus of an RSA key.
    pub fn modulus(&self) -> Vec<u8> {
        match &self.pair {
            Pair::Rsa(pair) => PublicKeyComponents::<Vec<u8>>::from(pair.public()).n,
            Pair::P256(_) => Vec::new(),
        }
    }

    /// Signs claims, which are a JSON object.
    pub fn sign(&self, claims: &str) -> String {
        let header = format!(r#"{{"alg": "{}", "typ": "JWT", "kid": "{}"}}"#, self.algorithm(), self.id);
        self.sign_with(&header, claims)
    }

    /// Signs any header and claims.
    #[expect(clippy::expect_used, reason = "a test without keys is none")]
    pub fn sign_with(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let random = SystemRandom::new();
        let signature = match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature)
                    .expect("the key signs");
                signature
            }
            Pair::P256(pair) => {
                pair.sign(&random, signed.as_bytes()).expect("the key signs").as_ref().to_vec()
            }
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Returns a token that is signed with HMAC and any bytes as its key.
    pub fn forge(secret: &[u8], header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}
