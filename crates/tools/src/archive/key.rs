//! `ENCRYPTION`: the encryption of a dump's other files, and the check of a key.

use std::io::ErrorKind;
use std::path::Path;

use super::info::Info;
use super::names;
use crate::Failure;
use crate::encrypted::Files;

/// The content for files that are not encrypted.
const NONE: &str = "none";
/// The content for files that are encrypted with AES-256 in counter mode.
const AES_256_CTR: &str = "aes-256-ctr";

/// The hint for files that do not have the form that they should have.
pub(crate) const PROBABLY_WRONG: &str = "the encryption key is probably wrong";

/// Returns the content of the file for a new dump.
pub(crate) fn content(files: &Files) -> &'static str {
    if files.are_encrypted() { AES_256_CTR } else { NONE }
}

/// Checks that the files of a folder's dump have a form, and that the key is right as far as
/// `dump.json` tells.
///
/// Errors: an encrypted dump without a key, a key for a dump that is not encrypted, another kind of
/// encryption, or a key that does not decrypt `dump.json`.
pub(crate) fn check(folder: &Path, files: &Files) -> Result<(), Failure> {
    let path = folder.join(names::ENCRYPTION);
    let content = match std::fs::read(&path) {
        Ok(content) => String::from_utf8_lossy(&content).trim().to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => NONE.to_owned(),
        Err(error) => return Err(Failure::new(format!("{} cannot be read: {error}", path.display()))),
    };
    let (folder_shown, path_shown) = (folder.display(), path.display());
    match (content.as_str(), files.are_encrypted()) {
        (NONE, false) => Ok(()),
        (NONE, true) => Err(Failure::new(format!(
            "the dump in {folder_shown} is not encrypted; leave out --encryption.keyfile and --encryption.key-generator"
        ))),
        (AES_256_CTR, false) => Err(Failure::new(format!(
            "the dump in {folder_shown} is encrypted ({AES_256_CTR}); give its key with --encryption.keyfile or \
             --encryption.key-generator"
        ))),
        (AES_256_CTR, true) => check_info(folder, files),
        (other, _) => Err(Failure::new(format!(
            "{path_shown} names the encryption {other:?}; only {NONE} and {AES_256_CTR} are known"
        ))),
    }
}

/// Checks that a key decrypts `dump.json`, if the dump has it.
fn check_info(folder: &Path, files: &Files) -> Result<(), Failure> {
    let path = folder.join(names::INFO);
    match files.read(&path) {
        Ok(text) if Info::parse(&text).is_none() => {
            Err(Failure::new(format!("{} cannot be decrypted; {PROBABLY_WRONG}", path.display())))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::new(format!("{} cannot be read: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use encryption::Secret;

    use super::*;

    fn files(byte: u8) -> Files {
        Files::new(Some(Secret::of_bytes([byte; 32])))
    }

    #[test]
    fn a_key_fits_the_dump_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |files: &Files| check(folder.path(), files).unwrap_err().text().to_owned();
        assert!(check(folder.path(), &Files::default()).is_ok(), "old dumps have no such file");
        assert!(refused(&files(1)).contains("is not encrypted"));
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(names::ENCRYPTION, "none\n");
        assert!(check(folder.path(), &Files::default()).is_ok());
        write(names::ENCRYPTION, AES_256_CTR);
        assert!(refused(&Files::default()).contains("--encryption.keyfile"));
        assert!(check(folder.path(), &files(1)).is_ok(), "nothing tells");
        files(1).write(&folder.path().join(names::INFO), "{\"database\":\"d\"}\n").unwrap();
        assert!(check(folder.path(), &files(1)).is_ok());
        assert!(refused(&files(2)).contains(PROBABLY_WRONG));
        write(names::INFO, "short");
        assert!(refused(&files(1)).contains("fewer bytes"));
        write(names::ENCRYPTION, "rot13");
        assert!(refused(&files(1)).contains("\"rot13\""));
    }
}
