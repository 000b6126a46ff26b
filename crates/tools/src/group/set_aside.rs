//! The files with the writes that only a former leader had.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::slice;

use encryption::{EncryptedReader, FileKind, Keyring, Secret};

use crate::{Console, Failure};

/// The first bytes of an encrypted file.
const ENCRYPTED: &[u8] = b"PERSEAE1";

/// Prints the entries of a file, one JSON object a line. An encrypted one needs the secret, and the
/// keyring of its data folder, which is three folders above it.
///
/// Errors: a file that cannot be read; no secret or a wrong one for an encrypted file.
pub(super) fn print(path: &Path, secret: Option<&Secret>, console: &Console) -> Result<(), Failure> {
    let failed = |reason: String| Failure::new(format!("{}: {reason}", path.display()));
    let unreadable = |error: std::io::Error| failed(error.to_string());
    let path = path.canonicalize().map_err(unreadable)?;
    let mut file = File::open(&path).map_err(unreadable)?;
    let mut first = Vec::new();
    (&mut file).take(ENCRYPTED.len() as u64).read_to_end(&mut first).map_err(unreadable)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let text: Box<dyn Read> = if first == ENCRYPTED {
        let secret = secret.ok_or_else(|| {
            failed(
                "it is encrypted; name its key by --encryption.keyfile or --encryption.key-generator".into(),
            )
        })?;
        let data = path.ancestors().nth(3).unwrap_or(&path);
        let keyring =
            Keyring::open(data, slice::from_ref(secret)).map_err(|error| failed(error.to_string()))?;
        let reader = EncryptedReader::new(file, keyring.master_key(), FileKind::SetAside);
        Box::new(reader.map_err(unreadable)?)
    } else {
        Box::new(file)
    };
    for line in BufReader::new(text).lines() {
        console.print(&line.map_err(unreadable)?);
    }
    Ok(())
}
