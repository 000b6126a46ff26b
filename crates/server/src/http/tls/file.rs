//! Files in PEM, and the facts about them that a client may see.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Bytes of the longest file for TLS: a list of revoked certificates may be long.
const FILE_MAX_BYTES: u64 = 64 << 20;

/// The public facts about a file for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileSummary {
    /// Digest of the whole file.
    pub(crate) sha256: String,
    /// The certificates in the form of the file.
    pub(crate) certificates: Vec<String>,
    /// Digest of the private key in the form of the file, if it has one.
    pub(crate) key_sha256: Option<String>,
}

impl FileSummary {
    pub(super) fn of(file: &[u8]) -> Self {
        let text = String::from_utf8_lossy(file);
        let (certificates, others): (Vec<_>, Vec<_>) = pem_sections(&text)
            .into_iter()
            .partition(|section| section.starts_with("-----BEGIN CERTIFICATE"));
        let key = others.into_iter().find(|section| is_key(section));
        FileSummary {
            sha256: digest(file),
            certificates: certificates.into_iter().map(str::to_owned).collect(),
            key_sha256: key.map(|key| digest(key.as_bytes())),
        }
    }
}

/// Reads a whole file. The error names it.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| wrong(path, format!("cannot be read: {error}"));
    let mut file = Vec::new();
    let opened = File::open(path).map_err(unreadable)?;
    opened.take(FILE_MAX_BYTES + 1).read_to_end(&mut file).map_err(unreadable)?;
    match file.len() as u64 > FILE_MAX_BYTES {
        true => Err(wrong(path, format!("is longer than {} MiB", FILE_MAX_BYTES >> 20))),
        false => Ok(file),
    }
}

/// Returns the message of an error in a file.
pub(super) fn wrong(path: &Path, what: impl std::fmt::Display) -> String {
    format!("the file {} for TLS {what}", path.display())
}

fn is_key(section: &str) -> bool {
    section.lines().next().is_some_and(|line| line.ends_with("PRIVATE KEY-----"))
}

/// Returns the sections of a PEM file from their first to their last line, line breaks included.
fn pem_sections(text: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let (mut begin, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("-----BEGIN ") {
            begin = Some(at);
        }
        at += line.len();
        if line.starts_with("-----END ") {
            sections.extend(begin.take().and_then(|begin| text.get(begin..at)));
        }
    }
    sections
}

/// Returns the SHA-256 in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
