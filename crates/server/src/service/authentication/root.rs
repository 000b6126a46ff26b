//! The setup of a new server: the user `root` and the secret of tokens.

use catalog::{Rights, UserDefinition};
use errors::{Error, ErrorCode, Result};
use storage::Store;

use super::{ROOT, password};

/// Bytes of a secret that the server generates.
pub const SECRET_BYTES: usize = 32;

/// The setting of the store that holds this secret.
const SECRET_SETTING: &str = "jwt-secret";

/// Creates the user `root` with all rights, if it does not exist. Returns true if it was created.
pub fn create_root(store: &Store, password: &str) -> Result<bool> {
    if store.catalog().user(ROOT).is_some() {
        return Ok(false);
    }
    let mut root = UserDefinition::new(ROOT, password::hash(password)?);
    root.rights = Rights::all();
    match store.create_user(root) {
        // Another server of the store was faster.
        Err(error) if error.code() == ErrorCode::UserDuplicate => Ok(false),
        created => created.map(|()| true),
    }
}

/// Returns true if `root` can sign in with an empty password.
pub fn root_is_open(store: &Store) -> bool {
    let catalog = store.catalog();
    catalog.user(ROOT).is_some_and(|root| root.active && password::verify("", &root.password_hash))
}

/// Returns the secret of tokens for a configuration without one: random, and the same after a
/// restart.
pub fn persistent_secret(store: &Store) -> Result<Vec<u8>> {
    if let Some(secret) = store.setting(SECRET_SETTING)?.filter(|secret| !secret.is_empty()) {
        return Ok(secret);
    }
    let mut secret = vec![0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(Error::internal)?;
    // All servers of a store have the same secret.
    store.put_setting_once(SECRET_SETTING, &secret)
}
