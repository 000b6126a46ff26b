//! The other server, as an administrator names it.

use std::path::PathBuf;

/// A server to copy and follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// Its address, in ArangoDB's notation.
    pub endpoint: String,
    /// The user, an administrator. Empty with a token, or where authentication is off.
    pub username: String,
    /// The password.
    pub password: String,
    /// A token in place of user and password.
    pub token: Option<String>,
    /// The file of authorities, one of which must have signed the certificate. Without it, the
    /// certificate is not checked, as with ArangoDB's tools.
    pub authorities: Option<PathBuf>,
    /// The databases; all if empty.
    pub databases: Vec<String>,
    /// The threads that copy; 0 for one for each core.
    pub threads: u64,
}
