//! The secrets of the encrypted data.

use std::fmt::Debug;

use errors::Result;

/// The secrets that protect the key of the data.
pub trait EncryptionKeys: Debug + Send + Sync {
    /// Reads the secrets again, protects the key of the data by them, and by no others from now on.
    /// Returns their SHA-256 in hexadecimal digits. The data is not written again.
    ///
    /// Errors, which change nothing: 4 for secrets that cannot be read or have a wrong length.
    fn reload(&self) -> Result<Vec<String>>;
}
