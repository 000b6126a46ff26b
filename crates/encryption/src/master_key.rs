//! The master key of a folder of data, from which the keys of its files are derived.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::{hkdf, hmac};
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::secret::Secret;

/// Bytes of a master key.
pub(crate) const KEY_BYTES: usize = 32;

/// Bytes of a wrapped master key: the nonce, the encrypted key, and the tag of AES-GCM.
pub(crate) const WRAPPED_BYTES: usize = NONCE_LEN + KEY_BYTES + 16;

/// Bytes of the keyed digest of a header.
pub(crate) const TAG_BYTES: usize = 16;

const WRAP_SALT: &[u8] = b"persea master key";

/// A random key of 32 bytes. It is wiped when it is dropped, and never printed.
pub struct MasterKey {
    bytes: Zeroizing<[u8; KEY_BYTES]>,
    /// The key of the digests of headers.
    header_key: hmac::Key,
}

/// The length of derived bytes.
struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl MasterKey {
    /// Makes a new key. Errors: no random bytes.
    pub fn random() -> Result<Self> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(bytes.as_mut()).map_err(|error| Error::Random(error.to_string()))?;
        Self::of_bytes(bytes)
    }

    fn of_bytes(bytes: Zeroizing<[u8; KEY_BYTES]>) -> Result<Self> {
        let mut header_key = Zeroizing::new([0; KEY_BYTES]);
        derive(&bytes, b"persea headers", b"hmac", header_key.as_mut())?;
        let header_key = hmac::Key::new(hmac::HMAC_SHA256, header_key.as_ref());
        Ok(MasterKey { bytes, header_key })
    }

    /// Derives bytes by HKDF with SHA-256 (RFC 5869).
    pub(crate) fn derive(&self, salt: &[u8], purpose: &[u8], output: &mut [u8]) -> Result<()> {
        derive(&self.bytes, salt, purpose, output)
    }

    /// Returns the keyed digest of a header.
    pub(crate) fn tag(&self, header: &[u8]) -> Result<[u8; TAG_BYTES]> {
        let tag = hmac::sign(&self.header_key, header);
        tag.as_ref().first_chunk().copied().ok_or(Error::Header { reason: "has no digest" })
    }

    /// Encrypts the key with a secret (AES-256-GCM).
    pub(crate) fn wrapped(&self, secret: &Secret) -> Result<[u8; WRAPPED_BYTES]> {
        let mut wrapped = [0; WRAPPED_BYTES];
        let (nonce, rest) = wrapped.split_at_mut(NONCE_LEN);
        getrandom::fill(nonce).map_err(|error| Error::Random(error.to_string()))?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| failed())?;
        let (key, tag) = rest.split_at_mut(KEY_BYTES);
        key.copy_from_slice(self.bytes.as_ref());
        let sealed = wrap_key(secret)?.seal_in_place_separate_tag(nonce, Aad::from(WRAP_SALT), key);
        tag.copy_from_slice(sealed.map_err(|_| failed())?.as_ref());
        Ok(wrapped)
    }

    /// Decrypts a wrapped key; `None` if the secret is another one, or the bytes were changed.
    pub(crate) fn unwrapped(secret: &Secret, wrapped: &[u8; WRAPPED_BYTES]) -> Result<Option<Self>> {
        let (nonce, rest) = wrapped.split_at(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| failed())?;
        let mut rest = Zeroizing::new(rest.to_vec());
        let opened = wrap_key(secret)?.open_in_place(nonce, Aad::from(WRAP_SALT), &mut rest);
        let Ok(opened) = opened else { return Ok(None) };
        let key = opened.first_chunk::<KEY_BYTES>().ok_or_else(failed)?;
        Self::of_bytes(Zeroizing::new(*key)).map(Some)
    }
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("MasterKey")
    }
}

/// Returns the key of AES-GCM that a secret stands for.
fn wrap_key(secret: &Secret) -> Result<LessSafeKey> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    derive(secret.bytes(), WRAP_SALT, b"aes-256-gcm", key.as_mut())?;
    let key = UnboundKey::new(&AES_256_GCM, key.as_ref()).map_err(|_| failed())?;
    Ok(LessSafeKey::new(key))
}

fn derive(key: &[u8; KEY_BYTES], salt: &[u8], purpose: &[u8], output: &mut [u8]) -> Result<()> {
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(key);
    let info = [purpose];
    let derived = extracted.expand(&info, Length(output.len())).map_err(|_| failed())?;
    derived.fill(output).map_err(|_| failed())
}

/// Returns the error of a computation that only wrong lengths make fail.
fn failed() -> Error {
    Error::Header { reason: "has a key of a wrong length" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_that_wrapped_a_key_unwraps_it() {
        let (secret, other) = (Secret::of_bytes([1; 32]), Secret::of_bytes([2; 32]));
        let master = MasterKey::random().unwrap();
        let wrapped = master.wrapped(&secret).unwrap();
        let again = MasterKey::unwrapped(&secret, &wrapped).unwrap().unwrap();
        assert_eq!(again.bytes, master.bytes);
        assert!(MasterKey::unwrapped(&other, &wrapped).unwrap().is_none());
        for at in 0..WRAPPED_BYTES {
            let mut damaged = wrapped;
            damaged[at] ^= 0x80;
            assert!(MasterKey::unwrapped(&secret, &damaged).unwrap().is_none(), "{at}");
        }
        assert_ne!(master.wrapped(&secret).unwrap(), wrapped, "a nonce must not come twice");
    }
}
