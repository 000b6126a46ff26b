//! The ids of backups: `2026-11-25T18.00.00Z_label`.

use std::fmt;

use errors::{Error, ErrorCode, Result};
use jiff::Timestamp;

/// The maximum length of an id in bytes. It is also the name of a folder.
const ID_BYTES_MAX: usize = 200;

/// The id of a backup, which is also the name of its folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackupId(String);

impl BackupId {
    /// Makes the id of a backup of this moment.
    ///
    /// Errors: 10 for a label with other characters than letters, digits, `.`, `-` and `_`.
    pub fn new(time: Timestamp, label: &str) -> Result<Self> {
        if !label.bytes().all(is_allowed) || label.len() > ID_BYTES_MAX / 2 {
            let message = format!(
                "label {label:?} must have at most {} letters, digits, dots, hyphens and underscores",
                ID_BYTES_MAX / 2
            );
            return Err(Error::bad_parameter(message));
        }
        Ok(BackupId(format!("{}_{label}", time.strftime("%Y-%m-%dT%H.%M.%SZ"))))
    }

    /// Reads the id that a client sent. Errors: 14 for a text that is not an id.
    pub fn parse(text: &str) -> Result<Self> {
        let is_id = !text.is_empty()
            && text.len() <= ID_BYTES_MAX
            && !text.starts_with('.')
            && text.bytes().all(is_allowed)
            && text.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if is_id { Ok(BackupId(text.to_owned())) } else { Err(not_found(text)) }
    }

    /// Returns the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BackupId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Makes a label for a backup without one: a random UUID.
pub(crate) fn random_label() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("cannot get random numbers: {error}")))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::new();
    for (position, byte) in bytes.iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    Ok(text)
}

/// Returns the error for a backup that does not exist locally: a single server of ArangoDB answers
/// 14 with status 404.
pub(crate) fn not_found(id: impl fmt::Display) -> Error {
    let message = format!("no such hot backup set can be found: '{id}'");
    Error::new(ErrorCode::FileNotFound, message).with_status(404)
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_the_time_and_the_label() {
        let time = Timestamp::from_second(1_764_093_600).unwrap();
        let id = BackupId::new(time, "my-label_1.0").unwrap();
        assert_eq!(id.as_str(), "2025-11-25T18.00.00Z_my-label_1.0");
        assert_eq!(BackupId::parse(id.as_str()).unwrap(), id);
        assert_eq!(random_label().unwrap().len(), 36);
    }

    #[test]
    fn no_id_leaves_the_folder() {
        let time = Timestamp::from_second(0).unwrap();
        for label in ["a/b", "..\\", "a b", "é", "a\0"] {
            assert!(BackupId::new(time, label).is_err(), "{label}");
        }
        for text in ["", ".", "..", "../x", ".creating", "1/../x", "RESTORE", "1 2"] {
            assert_eq!(BackupId::parse(text).unwrap_err().code(), ErrorCode::FileNotFound, "{text}");
        }
    }
}
