//! The keyring: the file in which the master key waits, wrapped by each secret.
//!
//! The file is text, so that an operator can see which secrets open it. Its first line is
//! `persea keyring 1`. Each further line is `SHA256 WRAPPED`, both in hexadecimal digits: the
//! digest of a secret, and the master key wrapped by it (nonce of 12 bytes, key of 32, tag of 16).

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::master_key::{MasterKey, WRAPPED_BYTES};
use crate::secret::Secret;

/// The name of the file in the folder of the data.
pub const KEYRING_FILE: &str = "KEYRING";

const FIRST_LINE: &str = "persea keyring 1";

/// Maximum number of secrets.
const SECRETS_MAX: usize = 64;

/// Bytes of the longest keyring.
const FILE_MAX_BYTES: u64 = 16 << 10;

/// The master key of a folder, and the place where it is kept.
#[derive(Debug)]
pub struct Keyring {
    path: PathBuf,
    master: Arc<MasterKey>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

impl Keyring {
    /// Copies the keyring of one folder into another, if there is one: what is copied from the
    /// first opens with the same secrets.
    ///
    /// Errors: a file that cannot be read or written.
    pub fn copy(from: &Path, to: &Path) -> Result<()> {
        let (from, to) = (from.join(KEYRING_FILE), to.join(KEYRING_FILE));
        let copied = match fs::copy(&from, &to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !from.exists() => return Ok(()),
            copied => copied.and_then(|_| File::open(&to)?.sync_all()),
        };
        copied.map_err(|error| Error::file("copying", &from, &error))
    }

    /// Returns true if a folder has a keyring, so that its data is encrypted.
    pub fn exists(folder: &Path) -> bool {
        folder.join(KEYRING_FILE).exists()
    }

    /// Makes a new master key for a folder without data, and keeps it wrapped by each secret.
    ///
    /// Errors: no secret, too many, a file that cannot be written.
    pub fn create(folder: &Path, secrets: &[Secret]) -> Result<Self> {
        let master = Arc::new(MasterKey::random()?);
        let keyring = Keyring { path: folder.join(KEYRING_FILE), master, writing: Mutex::default() };
        keyring.rotate(secrets)?;
        Ok(keyring)
    }

    /// Opens the keyring of a folder. One right secret of several is enough.
    ///
    /// Errors: [`Error::WrongSecrets`] if none is right; a file that cannot be read or is damaged.
    pub fn open(folder: &Path, secrets: &[Secret]) -> Result<Self> {
        let path = folder.join(KEYRING_FILE);
        let entries = read(&path)?;
        for secret in secrets {
            for (_, wrapped) in &entries {
                if let Some(master) = MasterKey::unwrapped(secret, wrapped)? {
                    return Ok(Keyring { path, master: Arc::new(master), writing: Mutex::default() });
                }
            }
        }
        let known = entries.iter().map(|(digest, _)| digest.as_str()).collect::<Vec<_>>().join(", ");
        Err(Error::WrongSecrets { path, given: secrets.len(), known })
    }

    /// Keeps the master key wrapped by these secrets, and by no others.
    ///
    /// Errors: no secret, too many, a file that cannot be written. The file then stays as it was.
    pub fn rotate(&self, secrets: &[Secret]) -> Result<()> {
        if secrets.is_empty() || secrets.len() > SECRETS_MAX {
            return Err(Error::Keyring {
                path: self.path.clone(),
                reason: "it needs at least one secret and at most 64",
            });
        }
        let mut text = format!("{FIRST_LINE}\n");
        for secret in secrets {
            text.push_str(&format!("{} {}\n", secret.sha256(), hex(&self.master.wrapped(secret)?)));
        }
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let new = self.path.with_extension("new");
        let failed = |error: std::io::Error| Error::file("writing", &self.path, &error);
        let mut file = File::create(&new).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&new, &self.path).map_err(failed)?;
        let folder = self.path.parent().unwrap_or_else(|| Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }

    /// Returns the master key.
    pub fn master_key(&self) -> &Arc<MasterKey> {
        &self.master
    }
}

/// Reads the digests of secrets with the keys that they have wrapped.
fn read(path: &Path) -> Result<Vec<(String, [u8; WRAPPED_BYTES])>> {
    let damaged = |reason: &'static str| Error::Keyring { path: path.to_owned(), reason };
    let length = fs::metadata(path).map_err(|error| Error::file("reading", path, &error))?.len();
    if length > FILE_MAX_BYTES {
        return Err(damaged("it is too long"));
    }
    let text = fs::read_to_string(path).map_err(|error| Error::file("reading", path, &error))?;
    let mut lines = text.lines();
    if lines.next() != Some(FIRST_LINE) {
        return Err(damaged("its first line must be 'persea keyring 1'"));
    }
    let entry = |line: &str| {
        let (digest, wrapped) = line.split_once(' ')?;
        Some((digest.to_owned(), of_hex(wrapped)?))
    };
    let entries: Option<Vec<_>> = lines.map(entry).collect();
    let entries = entries.ok_or_else(|| damaged("a line is not the digest of a secret and a wrapped key"))?;
    if entries.is_empty() {
        return Err(damaged("it has no wrapped key"));
    }
    Ok(entries)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_hex(text: &str) -> Option<[u8; WRAPPED_BYTES]> {
    let digits = text.as_bytes();
    let mut bytes = [0; WRAPPED_BYTES];
    if digits.len() != 2 * WRAPPED_BYTES {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_key::{FileKey, FileKind};

    fn secret(byte: u8) -> Secret {
        Secret::of_bytes([byte; 32])
    }

    #[test]
    fn one_right_secret_of_several_opens_a_keyring() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!Keyring::exists(folder.path()));
        let keyring = Keyring::create(folder.path(), &[secret(1), secret(2)]).unwrap();
        let file = *FileKey::new(keyring.master_key(), FileKind::Engine).unwrap().header();
        for secrets in [vec![secret(1)], vec![secret(9), secret(2)]] {
            let opened = Keyring::open(folder.path(), &secrets).unwrap();
            FileKey::of_header(opened.master_key(), FileKind::Engine, &file).unwrap();
        }
        let error = Keyring::open(folder.path(), &[secret(9)]).unwrap_err().to_string();
        assert!(error.contains("none of the 1 given") && error.contains(&secret(2).sha256()), "{error}");
        assert!(Keyring::open(folder.path(), &[]).is_err());
    }

    #[test]
    fn rotation_changes_the_secrets_and_not_the_master_key() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::create(folder.path(), &[secret(1)]).unwrap();
        let file = *FileKey::new(keyring.master_key(), FileKind::Engine).unwrap().header();
        keyring.rotate(&[secret(2), secret(3)]).unwrap();
        assert!(keyring.rotate(&[]).is_err());
        assert!(Keyring::open(folder.path(), &[secret(1)]).is_err());
        let opened = Keyring::open(folder.path(), &[secret(3)]).unwrap();
        FileKey::of_header(opened.master_key(), FileKind::Engine, &file).unwrap();
    }

    #[test]
    fn rotations_at_the_same_time_leave_a_whole_keyring() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::create(folder.path(), &[secret(1)]).unwrap();
        std::thread::scope(|scope| {
            for first in 1..5 {
                let keyring = &keyring;
                scope.spawn(move || {
                    let secrets: Vec<Secret> = (0..first * 3).map(|more| secret(first + more)).collect();
                    (0..20).for_each(|_| keyring.rotate(&secrets).unwrap());
                });
            }
        });
        let all: Vec<Secret> = (0..=u8::MAX).map(secret).collect();
        Keyring::open(folder.path(), &all).unwrap();
    }

    #[test]
    fn a_damaged_keyring_is_named() {
        let folder = tempfile::tempdir().unwrap();
        Keyring::create(folder.path(), &[secret(1)]).unwrap();
        let path = folder.path().join(KEYRING_FILE);
        let whole = fs::read_to_string(&path).unwrap();
        for text in ["", "persea keyring 2\n", FIRST_LINE, &whole[..whole.len() - 3], &whole.replace(' ', "")]
        {
            fs::write(&path, text).unwrap();
            let error = Keyring::open(folder.path(), &[secret(1)]).unwrap_err().to_string();
            assert!(error.contains("KEYRING is damaged"), "{error}");
        }
        assert!(!whole.contains(&hex(secret(1).bytes())));
    }
}
