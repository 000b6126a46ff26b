//! Random numbers and secrets of maskings, seeded by the system.

use fastrand::Rng;
use sha2::{Digest, Sha256};

/// The bytes of a [`Secret`].
pub const SECRET_BYTES: usize = 16;

/// Bytes that make hashes of equal values agree, which nobody can compute who does not have them.
pub type Secret = [u8; SECRET_BYTES];

/// Returns an unpredictable secret. Errors: that the system gives no random bytes.
pub fn secret() -> Result<Secret, String> {
    let mut bytes = Secret::default();
    getrandom::fill(&mut bytes).map_err(|error| no_random_bytes(&error))?;
    Ok(bytes)
}

/// Returns a generator for masked values. Errors: that the system gives no random bytes.
pub fn generator() -> Result<Rng, String> {
    let seed = getrandom::u64().map_err(|error| no_random_bytes(&error))?;
    Ok(Rng::with_seed(seed))
}

/// Returns a generator that gives the same values for the same document, as long as the secret is
/// the same.
pub fn generator_for(secret: &Secret, document_key: &[u8]) -> Rng {
    let digest = Sha256::new().chain_update(secret).chain_update(document_key).finalize();
    let seed = digest.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    Rng::with_seed(seed)
}

fn no_random_bytes(error: &getrandom::Error) -> String {
    format!("the system gives no random bytes: {error}")
}

/// Returns a letter of the Latin alphabet in the case of `like`.
pub(crate) fn letter(like: char, random: &mut Rng) -> char {
    match like.is_uppercase() {
        true => random.uppercase(),
        false => random.lowercase(),
    }
}
