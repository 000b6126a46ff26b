//! A key and its written value.

use std::sync::Arc;

/// A key with its value, or a removed key. Both share one allocation, and copies share it too.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, directly followed by the value.
    bytes: Arc<[u8]>,
    key_bytes: u32,
    is_removal: bool,
}

impl Entry {
    /// The bytes of the counters of an entry's allocation.
    pub const COUNTER_BYTES: usize = 16;

    /// Creates an entry that sets `key`, or removes it if there is no value.
    ///
    /// `scratch` saves an allocation; its content is lost. The key has at most
    /// [`crate::PAIR_BYTES_MAX`] bytes.
    pub fn new(key: &[u8], value: Option<&[u8]>, scratch: &mut Vec<u8>) -> Entry {
        debug_assert!(key.len() <= crate::PAIR_BYTES_MAX);
        scratch.clear();
        scratch.extend_from_slice(key);
        scratch.extend_from_slice(value.unwrap_or_default());
        Entry {
            bytes: Arc::from(scratch.as_slice()),
            key_bytes: key.len() as u32,
            is_removal: value.is_none(),
        }
    }

    /// Returns the key.
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.bytes[..self.key_bytes as usize]
    }

    /// Returns the value, or `None` if the key is removed.
    #[inline]
    pub fn value(&self) -> Option<&[u8]> {
        if self.is_removal { None } else { self.bytes.get(self.key_bytes as usize..) }
    }

    /// Returns the bytes of key and value.
    pub fn size_bytes(&self) -> usize {
        self.bytes.len()
    }
}
