//! Names and passwords of Basic authentication (RFC 7617).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A name and a password.
pub(crate) struct Credentials {
    pub(super) user: String,
    pub(super) password: String,
    pub(super) digest: [u8; 32],
}

impl Credentials {
    /// Returns the name.
    pub(crate) fn user(&self) -> &str {
        &self.user
    }
}

/// Returns the name and the password of Basic authentication.
pub(super) fn credentials(encoded: &str, digest: [u8; 32]) -> Option<Credentials> {
    let decoded = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    Some(Credentials { user: user.to_owned(), password: password.to_owned(), digest })
}
