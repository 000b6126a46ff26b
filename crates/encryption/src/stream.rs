//! AES-256 in counter mode: the key stream of a file, at any offset.

use aes::Aes256;
use ctr::cipher::{InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper, StreamCipherSeek};
use ctr::{CtrCore, flavors};

use crate::secret::SECRET_BYTES;

/// The length of an initialization vector.
pub const IV_BYTES: usize = 16;

/// The key stream of a file.
///
/// The counter is a big-endian number of 128 bits that begins with the initialization vector, as in
/// NIST SP 800-38A and OpenSSL's `aes-256-ctr`.
#[derive(Clone)]
pub struct CtrStream {
    /// The expanded key takes half a kilobyte.
    cipher: Box<Aes256>,
    iv: [u8; IV_BYTES],
}

impl CtrStream {
    /// Returns the key stream of a key and an initialization vector. The pair must not be used for
    /// two files.
    pub fn new(key: &[u8; SECRET_BYTES], iv: &[u8; IV_BYTES]) -> Self {
        CtrStream { cipher: Box::new(Aes256::new(key.into())), iv: *iv }
    }

    /// Encrypts or decrypts the bytes of a file from an offset on.
    pub fn apply(&self, offset: u64, bytes: &mut [u8]) {
        let core: CtrCore<&Aes256, flavors::Ctr128BE> =
            CtrCore::inner_iv_init(self.cipher.as_ref(), (&self.iv).into());
        let mut stream = StreamCipherCoreWrapper::from_core(core);
        stream.seek(offset);
        stream.apply_keystream(bytes);
    }
}

impl std::fmt::Debug for CtrStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("CtrStream")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes_of<const N: usize>(hex: &str) -> [u8; N] {
        std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
    }

    /// Source: NIST SP 800-38A, F.5.5 CTR-AES256.Encrypt.
    #[test]
    fn the_stream_is_that_of_the_standard() {
        let key = bytes_of("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
        let iv = bytes_of("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        let mut text: [u8; 32] = bytes_of("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
        let stream = CtrStream::new(&key, &iv);
        stream.apply(0, &mut text);
        let expected = "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5";
        assert_eq!(text, bytes_of::<32>(expected));
        let mut second: [u8; 16] = bytes_of("ae2d8a571e03ac9c9eb76fac45af8e51");
        stream.apply(16, &mut second);
        assert_eq!(second[..], text[16..]);
    }

    proptest! {
        #[test]
        fn parts_are_encrypted_as_the_whole(
            bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 0_usize..300, from in 0_u64..1 << 40,
        ) {
            let stream = CtrStream::new(&[1; 32], &[0xff; 16]);
            let mut whole = bytes.clone();
            stream.apply(from, &mut whole);
            let cut = cut.min(bytes.len());
            let mut parts = bytes.clone();
            let (first, second) = parts.split_at_mut(cut);
            stream.apply(from + cut as u64, second);
            stream.apply(from, first);
            prop_assert_eq!(&whole, &parts);
            stream.apply(from, &mut whole);
            prop_assert_eq!(whole, bytes);
        }
    }
}
