//! The keys of a store in the cluster.
//!
//! ```text
//! PREFIX '/' 'm' NAME    facts about the store: `identity`, `member/NNN`
//! PREFIX '/' 'd' KEY     the pairs of the layers above
//! ```

use kv::KeyRange;

use crate::codec;

/// The longest key in its encoded form that a store takes: the default of `storage.max-key-size`.
pub(crate) const ENCODED_BYTES_MAX: usize = 8192;

const FACTS: &[u8] = b"/m";
const DATA: &[u8] = b"/d";

/// The prefix of a store.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    whole: Vec<u8>,
    facts: Vec<u8>,
    data: Vec<u8>,
}

impl Keys {
    pub(crate) fn new(prefix: &str) -> Self {
        let with = |part: &[u8]| [prefix.as_bytes(), part].concat();
        Keys { whole: with(b"/"), facts: with(FACTS), data: with(DATA) }
    }

    /// Returns the range of every key of the store.
    pub(crate) fn whole(&self) -> KeyRange {
        KeyRange::prefix(&self.whole)
    }

    /// Returns the key of a fact about the store.
    pub(crate) fn fact(&self, name: &str) -> Vec<u8> {
        [self.facts.as_slice(), name.as_bytes()].concat()
    }

    /// Returns the cluster's key of a key.
    pub(crate) fn data(&self, key: &[u8]) -> Vec<u8> {
        [self.data.as_slice(), key].concat()
    }

    /// Returns the maximum length of a key in bytes.
    pub(crate) fn bytes_max(&self) -> usize {
        codec::decoded_bytes_max(ENCODED_BYTES_MAX).saturating_sub(self.data.len())
    }

    /// Returns the cluster's range of a range, which always has an end.
    pub(crate) fn range(&self, range: &KeyRange) -> KeyRange {
        let all = KeyRange::prefix(&self.data);
        let end = if range.end.is_empty() { all.end } else { self.data(&range.end) };
        KeyRange { start: self.data(&range.start), end }
    }

    /// Returns the store's key for a key of the cluster; `None` if it belongs to no pair of this
    /// store.
    pub(crate) fn strip<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.strip_prefix(self.data.as_slice())
    }
}
