//! Encryption of the data folder: where the secrets come from, and the keyring that they open.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encryption::{Keyring, MasterKey, Secret};
use errors::{Error, ErrorCode};
use server::service::encryption::EncryptionKeys;

use crate::data_folder;
use crate::failure::Failure;

/// The source of the secrets of an operator.
#[derive(Clone, Debug)]
pub(crate) enum SecretSource {
    /// A file of 32 bytes.
    File(PathBuf),
    /// A folder of such files.
    Folder(PathBuf),
    /// A program that prints 32 bytes.
    Program(String),
}

/// The encryption of an open data folder.
#[derive(Debug)]
pub(crate) struct DataEncryption {
    source: SecretSource,
    keyring: Keyring,
}

/// Maximum number of entries in a folder of secrets.
const FOLDER_ENTRIES_MAX: usize = 1_000;

impl SecretSource {
    /// Reads all secrets, those of a folder in the order of their names.
    fn secrets(&self) -> Result<Vec<Secret>, Failure> {
        match self {
            SecretSource::File(path) => Ok(vec![Secret::of_file(path)?]),
            SecretSource::Program(program) => Ok(vec![Secret::of_program(program)?]),
            SecretSource::Folder(folder) => secrets_in(folder),
        }
    }
}

fn secrets_in(folder: &Path) -> Result<Vec<Secret>, Failure> {
    let unreadable = |error: std::io::Error| {
        format!("the folder {} of encryption keys cannot be read: {error}", folder.display())
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?.take(FOLDER_ENTRIES_MAX);
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut paths = paths.map_err(unreadable)?;
    // Editors and orchestrators keep files with a dot there.
    paths.retain(|path| {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        !is_hidden && path.is_file()
    });
    paths.sort();
    if paths.is_empty() {
        return Err(
            format!("the folder {} has no encryption key: a file of 32 bytes", folder.display()).into()
        );
    }
    paths.iter().map(|path| Ok(Secret::of_file(path)?)).collect()
}

/// Opens the keyring of a data folder, or makes one for a new folder.
///
/// Nothing is changed in a folder that has a store. Errors: text for the user, if the data is
/// encrypted and no secret is given or none is right, and if the data is there and not encrypted.
pub(crate) fn open(folder: &Path, source: Option<SecretSource>) -> Result<Option<DataEncryption>, Failure> {
    let is_encrypted = Keyring::exists(folder);
    let Some(source) = source else {
        return if is_encrypted { Err(without_secret(folder)) } else { Ok(None) };
    };
    let secrets = source.secrets()?;
    if !is_encrypted && data_folder::has_store(folder) {
        return Err(format!(
            "the data in {} is not encrypted, and only a new folder can be: dump the data, and restore the dump \
             into a server with an empty folder",
            folder.display()
        )
        .into());
    }
    let keyring = match is_encrypted {
        true => Keyring::open(folder, &secrets)?,
        false => Keyring::create(folder, &secrets)?,
    };
    Ok(Some(DataEncryption { source, keyring }))
}

/// Returns the key of the data that a folder has; `None` if it is not encrypted.
///
/// Errors: text for the user, if no secret is given or none is right.
pub(crate) fn present_key(
    folder: &Path,
    source: Option<&SecretSource>,
) -> Result<Option<Arc<MasterKey>>, Failure> {
    if !Keyring::exists(folder) {
        return Ok(None);
    }
    let secrets = source.ok_or_else(|| without_secret(folder))?.secrets()?;
    Ok(Some(Arc::clone(Keyring::open(folder, &secrets)?.master_key())))
}

fn without_secret(folder: &Path) -> Failure {
    format!(
        "the data in {} is encrypted; name its key by --rocksdb.encryption-keyfile, \
         --rocksdb.encryption-keyfolder or --rocksdb.encryption-key-generator",
        folder.display()
    )
    .into()
}

impl DataEncryption {
    /// Returns the key of the data.
    pub(crate) fn master_key(&self) -> Arc<MasterKey> {
        Arc::clone(self.keyring.master_key())
    }

    /// Opens the key of a copy of the data, which may have been made with other secrets.
    ///
    /// Errors: 7002 if no present secret opens it.
    pub(crate) fn key_of_copy(&self, folder: &Path) -> errors::Result<Arc<MasterKey>> {
        let wrong = |reason: String| Error::new(ErrorCode::HotRestoreInternal, reason);
        let secrets = self.source.secrets().map_err(|failure| wrong(failure.to_string()))?;
        let keyring = Keyring::open(folder, &secrets).map_err(|error| wrong(error.to_string()))?;
        Ok(Arc::clone(keyring.master_key()))
    }
}

impl EncryptionKeys for DataEncryption {
    fn reload(&self) -> errors::Result<Vec<String>> {
        let failed = |reason: String| Error::new(ErrorCode::Internal, reason);
        let secrets = self.source.secrets().map_err(|failure| failed(failure.to_string()))?;
        self.keyring.rotate(&secrets).map_err(|error| failed(error.to_string()))?;
        Ok(secrets.iter().map(Secret::sha256).collect())
    }
}
