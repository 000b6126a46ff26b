//! The rules of names: databases, collections, indexes and users.
//!
//! Source: ArangoDB 3.12 documentation, "Databases" and "Collections", sections on names.

use errors::{Error, ErrorCode, Result};
use unicode_normalization::is_nfc;

/// The maximum length of a collection's or an index's name, in bytes.
pub const COLLECTION_NAME_MAX_BYTES: usize = 256;
/// The maximum length of a database's name under the traditional rules, in bytes.
pub const DATABASE_NAME_TRADITIONAL_MAX_BYTES: usize = 64;
/// The maximum length of a database's name under the extended rules, in bytes.
pub const DATABASE_NAME_EXTENDED_MAX_BYTES: usize = 128;
/// The maximum length of a user's name, in bytes.
///
/// ArangoDB states none; a bound keeps keys and tokens small.
pub const USER_NAME_MAX_BYTES: usize = 256;

/// The rules for names of databases (`--database.extended-names`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamingRules {
    /// Letters, digits, `_` and `-`, starting with a letter.
    #[default]
    Traditional,
    /// Most of Unicode, in normal form C.
    Extended,
}

impl NamingRules {
    /// Checks a database's name. Only the server's own system database starts with an underscore.
    ///
    /// Errors: 1208.
    pub fn check_database_name(self, name: &str) -> Result<()> {
        let limit = match self {
            NamingRules::Traditional => DATABASE_NAME_TRADITIONAL_MAX_BYTES,
            NamingRules::Extended => DATABASE_NAME_EXTENDED_MAX_BYTES,
        };
        if self.allows(name, limit) {
            return Ok(());
        }
        Err(invalid("database", name))
    }

    /// Checks a collection's name.
    ///
    /// Names of system collections start with an underscore and follow the traditional rules.
    ///
    /// Errors: 1208.
    pub fn check_collection_name(self, name: &str, is_system: bool) -> Result<()> {
        let allowed = match name.strip_prefix('_') {
            Some(rest) => {
                is_system && name.len() <= COLLECTION_NAME_MAX_BYTES && rest.bytes().all(is_traditional_byte)
            }
            None => self.allows(name, COLLECTION_NAME_MAX_BYTES),
        };
        if allowed { Ok(()) } else { Err(invalid("collection", name)) }
    }

    /// Checks the name that a client gives to an index.
    ///
    /// Errors: 1208.
    pub fn check_index_name(self, name: &str) -> Result<()> {
        if self.allows(name, COLLECTION_NAME_MAX_BYTES) {
            return Ok(());
        }
        Err(invalid("index", name))
    }

    fn allows(self, name: &str, limit_bytes: usize) -> bool {
        if name.is_empty() || name.len() > limit_bytes {
            return false;
        }
        match self {
            NamingRules::Traditional => {
                name.bytes().all(is_traditional_byte)
                    && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            }
            NamingRules::Extended => is_extended_name(name),
        }
    }
}

/// Returns the error for a name that is not allowed.
fn invalid(kind: &str, name: &str) -> Error {
    match is_nfc(name) {
        true => Error::of(ErrorCode::IllegalName),
        false => {
            Error::new(ErrorCode::IllegalName, format!("{kind} name is not properly UTF-8 NFC-normalized"))
        }
    }
}

/// Checks a user's name: not empty, not a role (`:role:...`), bounded.
///
/// Errors: 1700.
pub fn check_user_name(name: &str) -> Result<()> {
    let allowed = !name.is_empty()
        && name.len() <= USER_NAME_MAX_BYTES
        && !name.starts_with(":role:")
        && !name.bytes().any(|byte| byte == 0);
    if allowed { Ok(()) } else { Err(Error::of(ErrorCode::UserInvalidName)) }
}

fn is_traditional_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_extended_name(name: &str) -> bool {
    let first_fits = !name.starts_with(|c: char| c == '.' || c == '_' || c == ' ' || c.is_ascii_digit());
    let all_fit = !name.chars().any(|c| c == '/' || c == ':' || c < ' ');
    first_fits && all_fit && !name.ends_with(' ') && is_nfc(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use NamingRules::{Extended, Traditional};

    #[test]
    fn traditional_collection_names() {
        for name in ["a", "Users", "a-b_c9", &"x".repeat(256)] {
            assert!(Traditional.check_collection_name(name, false).is_ok(), "{name}");
        }
        for name in ["", "9a", "-a", "_a", "a b", "ä", "a.b", "a/b", &"x".repeat(257)] {
            let error = Traditional.check_collection_name(name, false).unwrap_err();
            assert_eq!(error.code(), ErrorCode::IllegalName, "{name}");
        }
    }

    #[test]
    fn extended_names_as_documented() {
        for name in ["España", "😀", "犬", "كلب", "@abc123", "København", "München", "Бишкек", "abc? <> 123!"]
        {
            assert!(Extended.check_collection_name(name, false).is_ok(), "{name}");
            assert!(Extended.check_database_name(name).is_ok(), "{name}");
            assert!(Traditional.check_collection_name(name, false).is_err(), "{name}");
        }
        let decomposed = "Espan\u{303}a";
        for name in ["a/b", "a:b", "a\tb", " a", "a ", ".a", "_a", "1a", decomposed, ""] {
            assert!(Extended.check_collection_name(name, false).is_err(), "{name:?}");
            assert!(Extended.check_database_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn lengths_are_in_bytes() {
        assert!(Traditional.check_database_name(&"d".repeat(64)).is_ok());
        assert!(Traditional.check_database_name(&"d".repeat(65)).is_err());
        assert!(Extended.check_database_name(&"é".repeat(64)).is_ok());
        assert!(Extended.check_database_name(&"é".repeat(65)).is_err());
    }

    #[test]
    fn system_names_are_traditional() {
        assert!(Extended.check_collection_name("_graphs", true).is_ok());
        assert!(Extended.check_collection_name("_é", true).is_err());
        assert!(Traditional.check_collection_name("_graphs", false).is_err());
        assert!(Traditional.check_collection_name("graphs", true).is_ok());
    }

    #[test]
    fn user_names() {
        assert!(check_user_name("admin@example").is_ok());
        for name in ["", ":role:x", "a\0", &"u".repeat(257)] {
            assert_eq!(check_user_name(name).unwrap_err().code(), ErrorCode::UserInvalidName);
        }
    }
}
