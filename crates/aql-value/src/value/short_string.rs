//! Strings of up to 14 bytes, stored within the value.

use std::fmt;

/// A UTF-8 string of at most [`ShortString::MAX_BYTES`] bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShortString {
    len: u8,
    bytes: [u8; Self::MAX_BYTES],
}

impl ShortString {
    /// The bytes that remain in a value of 16 bytes besides its tag and the length.
    pub const MAX_BYTES: usize = 14;

    /// Returns the string, if it is short enough.
    pub fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::MAX_BYTES];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { len: text.len() as u8, bytes })
    }

    /// Returns the text.
    #[allow(unsafe_code)]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        // SAFETY: `new` is the only constructor, and it copies the whole of a `str` of exactly
        // `len` bytes.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    /// Returns the bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl fmt::Debug for ShortString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_up_to_its_size() {
        for text in ["", "a", "äöü", "12345678901234"] {
            assert_eq!(ShortString::new(text).unwrap().as_str(), text);
            assert_eq!(ShortString::new(text).unwrap().as_bytes(), text.as_bytes());
        }
        assert!(ShortString::new("123456789012345").is_none());
    }
}
