//! Passwords, hashed with Argon2id, so that a reader of the store cannot log in.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use catalog::UserDefinition;
use database::dump::FOREIGN_HASH_PREFIX;
use errors::{Error, Result};
use sha2::{Digest, Sha256};
use storage::Catalog;

/// Memory of one hash. OWASP's "Password Storage Cheat Sheet" recommends 19 MiB and two passes.
const MEMORY_KIB: u32 = 19 << 10;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Maximum size in bytes of a password, to bound the time of hashing.
pub const PASSWORD_MAX_BYTES: usize = 4_096;

/// Maximum number of hashes that this process computes concurrently. Each takes
/// [`MEMORY_KIB`].
const CONCURRENT_HASHES: usize = 2;

/// The free places for computations of hashes.
static FREE_PLACES: Mutex<usize> = Mutex::new(CONCURRENT_HASHES);
static PLACE_IS_FREE: Condvar = Condvar::new();

/// A place for the computation of a hash, free again on drop.
struct Place;

impl Place {
    /// Waits for a place. The wait is short, since a computation takes some 20 ms.
    fn take() -> Self {
        let free = FREE_PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free =
            PLACE_IS_FREE.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *FREE_PLACES.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        PLACE_IS_FREE.notify_one();
    }
}

fn hasher() -> Result<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(Error::internal)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Returns the text (`$argon2id$...`) that is stored for a password.
///
/// It takes some 20 ms, which is too long for a connection's task.
///
/// Errors: 10 for a password that is too long.
pub fn hash(password: &str) -> Result<String> {
    if password.len() > PASSWORD_MAX_BYTES {
        return Err(Error::bad_parameter("the password is longer than 4096 bytes"));
    }
    let _place = Place::take();
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(Error::internal)?;
    let hash: PasswordHash =
        hasher()?.hash_password_with_salt(password.as_bytes(), &salt).map_err(Error::internal)?;
    Ok(hash.to_string())
}

/// Returns true if a hash is that of a password.
///
/// It takes as long as [`hash`], except for hashes of ArangoDB.
pub fn verify(password: &str, hash: &str) -> bool {
    if password.len() > PASSWORD_MAX_BYTES {
        return false;
    }
    if let Some(foreign) = hash.strip_prefix(FOREIGN_HASH_PREFIX) {
        return verify_foreign(password, foreign).unwrap_or(false);
    }
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    let _place = Place::take();
    hasher().is_ok_and(|hasher| hasher.verify_password(password.as_bytes(), &hash).is_ok())
}

/// Returns the active user with a name, if the password is right.
///
/// It is as slow for unknown names, so that the time does not reveal which users exist.
pub(crate) fn log_in(catalog: &Catalog, name: &str, password: &str) -> Option<Arc<UserDefinition>> {
    /// The hash of a random password.
    const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$\
                          pXnWzSBF2cAMKfM/O9uPgM1Yl8bYlQ9WAjHFlx2tpgQ";
    let user = catalog.user(name).filter(|user| user.active);
    let hash = user.map_or(NOBODY, |user| user.password_hash.as_str());
    let is_right = verify(password, hash);
    user.filter(|_| is_right).cloned()
}

/// Checks a hash from a restored dump of ArangoDB: `METHOD$SALT$HASH`.
///
/// The hash covers salt and password, in hexadecimal digits. Only SHA-256, ArangoDB's default, is
/// supported.
fn verify_foreign(password: &str, kept: &str) -> Option<bool> {
    let (salt, hash) = kept.strip_prefix("sha256$")?.split_once('$')?;
    let digest = Sha256::new().chain_update(salt).chain_update(password).finalize();
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        text.push(char::from_digit(u32::from(byte >> 4), 16)?);
        text.push(char::from_digit(u32::from(byte & 15), 16)?);
    }
    // No early exit, which would reveal how much of the hash is right.
    let differences = text.bytes().zip(hash.bytes()).fold(0, |all, (left, right)| all | (left ^ right));
    Some(differences == 0 && text.len() == hash.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_itself_is_accepted() {
        let hashed = hash("secret").unwrap();
        assert!(hashed.starts_with("$argon2id$"), "{hashed}");
        assert!(verify("secret", &hashed));
        assert!(!verify("Secret", &hashed) && !verify("", &hashed));
        assert_ne!(hashed, hash("secret").unwrap(), "the salt must differ");
    }

    #[test]
    fn a_hash_from_a_dump_of_arangodb_is_checked() {
        assert!(!verify("secret", "$arango-sha256$salt$") && !verify("secret", "$arango-sha256$"));
        let right = Sha256::digest("saltsecret").iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert!(verify("secret", &format!("$arango-sha256$salt${right}")));
        assert!(!verify("Secret", &format!("$arango-sha256$salt${right}")));
        assert!(!verify("secret", &format!("$arango-md5$salt${right}")));
    }

    #[test]
    fn a_hash_that_is_none_accepts_nothing() {
        assert!(!verify("", "") && !verify("x", "plain") && !verify("x", "$argon2id$v=19$broken"));
    }
}
