//! The rules of document keys and document identifiers.
//!
//! Source: ArangoDB 3.12 documentation, "Documents", section "User-specified keys".

/// The maximum length of a `_key` in bytes.
pub const KEY_MAX_BYTES: usize = 254;

/// Returns true if a text may be a document's `_key`.
///
/// A key has 1 to [`KEY_MAX_BYTES`] bytes of ASCII letters, digits and ``_-.@()+,=;$!*'%:``.
pub fn is_valid_key(key: &str) -> bool {
    (1..=KEY_MAX_BYTES).contains(&key.len()) && key.bytes().all(is_key_byte)
}

/// Returns true if a byte may be part of a key.
fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.@()+,=;$!*'%:".contains(&byte)
}

/// The parts of a document identifier, `collection/key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentIdentifier<'a> {
    /// The collection's name, or its number as text.
    pub collection: &'a str,
    /// The document's key.
    pub key: &'a str,
}

impl<'a> DocumentIdentifier<'a> {
    /// Splits an identifier into its parts.
    ///
    /// Returns `None` unless exactly one slash separates a collection's name from a valid key. The
    /// collection need not exist. Its name must not be empty, may have at most 256 bytes, and may
    /// contain neither a slash nor a control character.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (collection, key) = text.split_once('/')?;
        let name_fits = (1..=crate::name::COLLECTION_NAME_MAX_BYTES).contains(&collection.len())
            && !collection.bytes().any(|byte| byte < 0x20);
        (name_fits && is_valid_key(key)).then_some(DocumentIdentifier { collection, key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_a_length_and_an_alphabet() {
        for key in ["1", "a", "_", "-.@()+,=;$!*'%:", "0123456789", &"k".repeat(254)] {
            assert!(is_valid_key(key), "{key}");
        }
        for key in ["", " ", "a b", "a/b", "ä", "a\0", "a\n", "#", "\"", "&", "?", "<", &"k".repeat(255)] {
            assert!(!is_valid_key(key), "{key}");
        }
    }

    #[test]
    fn identifiers_have_one_slash() {
        let parsed = DocumentIdentifier::parse("users/anna");
        assert_eq!(parsed, Some(DocumentIdentifier { collection: "users", key: "anna" }));
        assert!(DocumentIdentifier::parse("España/1").is_some());
        for text in ["users", "users/", "/anna", "/", "", "users/anna/x", "users//anna", "u\0/anna", "u/a b"]
        {
            assert_eq!(DocumentIdentifier::parse(text), None, "{text:?}");
        }
    }
}
