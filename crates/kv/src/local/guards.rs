//! The keys that a transaction of a shared store has claimed.

use std::collections::BTreeMap;

/// The claimed keys of a transaction. Another process may have written them, which only the store
/// finds out when it applies the writes.
#[derive(Debug, Default)]
pub struct Guards {
    /// Each key, and true if the latest state did not have it when the transaction inserted it.
    keys: BTreeMap<Box<[u8]>, bool>,
    size_bytes: usize,
}

impl Guards {
    /// Adds a key that no other transaction may write.
    pub(super) fn add(&mut self, key: &[u8]) {
        if !self.keys.contains_key(key) {
            self.size_bytes += key.len();
            self.keys.insert(key.into(), false);
        }
    }

    /// Notes that a key must still be absent from the store when its value is applied.
    pub(super) fn must_be_absent(&mut self, key: &[u8]) {
        if let Some(is_absent) = self.keys.get_mut(key) {
            *is_absent = true;
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if no key was claimed.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the keys in ascending order. The flag is true for those that must be absent.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        self.keys.iter().map(|(key, is_absent)| (&**key, *is_absent))
    }

    /// Returns true if the transaction has claimed the key.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.keys.contains_key(key)
    }

    /// Returns true if the key must be absent from the store when its value is applied.
    pub fn is_insert(&self, key: &[u8]) -> bool {
        self.keys.get(key).is_some_and(|is_absent| *is_absent)
    }

    /// Estimates the bytes of memory that the keys take.
    pub fn memory_bytes(&self) -> usize {
        const ENTRY_BYTES: usize = 48;
        self.size_bytes + self.keys.len() * ENTRY_BYTES
    }
}
