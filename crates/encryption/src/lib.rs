//! Encryption at rest, without knowledge of what is stored.
//!
//! An operator has [`Secret`]s of 32 bytes. A folder of data has one random [`MasterKey`], which
//! the [`Keyring`] keeps in a file, wrapped by each of the secrets. Every file has a [`FileKey`] of
//! its own, derived from the master key and random bytes in the file's header. So a change of
//! secrets rewrites no data, and no two files share a key stream.
//!
//! Files are encrypted with AES-256 in counter mode ([`CtrStream`]), which allows reads at any
//! offset and appends. Files that are overwritten in place have a [`SectorKey`] instead: counter
//! mode would use a part of its key stream twice there. Neither detects changes: damage is found by
//! the checksums of each format, and deliberate changes are not found. Keys are wiped from memory
//! when they are dropped.
//! [`TemporaryFile`]s have keys that are nowhere else.

mod error;
mod secret;
mod stream;
mod sector_cipher;
mod temporary;
mod master_key;
mod file_key;
mod sequential;
mod keyring;

pub use error::{Error, Result};
pub use file_key::{FileKey, FileKind, HEADER_BYTES, SectorKey};
pub use keyring::{KEYRING_FILE, Keyring};
pub use master_key::MasterKey;
pub use secret::{SECRET_BYTES, Secret};
pub use sector_cipher::{SECTOR_BYTES, SectorCipher};
pub use sequential::{EncryptedReader, EncryptedWriter};
pub use stream::{CtrStream, IV_BYTES};
pub use temporary::{TemporaryFile, TemporaryFolder};
