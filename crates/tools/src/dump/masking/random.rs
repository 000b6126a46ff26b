//! Random numbers and secrets of maskings, seeded by the system.

use fastrand::Rng;

use crate::failure::Failure;

/// Returns unpredictable bytes.
pub(super) fn secret() -> Result<[u8; 16], String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| no_random_bytes(&error))?;
    Ok(bytes)
}

/// Returns a generator for masked values.
pub(super) fn generator() -> Result<Rng, Failure> {
    let seed = getrandom::u64().map_err(|error| Failure::new(no_random_bytes(&error)))?;
    Ok(Rng::with_seed(seed))
}

fn no_random_bytes(error: &getrandom::Error) -> String {
    format!("the system gives no random bytes: {error}")
}

/// Returns a letter of the Latin alphabet in the case of `like`.
pub(super) fn letter(like: char, random: &mut Rng) -> char {
    match like.is_uppercase() {
        true => random.uppercase(),
        false => random.lowercase(),
    }
}
