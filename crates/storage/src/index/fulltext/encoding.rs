//! Entries of a fulltext index:
//!
//! - key: `object id · word · 0x00 · _key · length of _key (1 byte)`
//! - value: empty
//!
//! Words contain no zero byte.

use std::ops::Range;

use catalog::ObjectId;
use kv::KeyRange;

use crate::encoding::entry;

const END_OF_WORD: u8 = 0;

/// Appends the key of an entry. Returns the position in `bytes` at which the word ends.
pub(super) fn write_key(object: ObjectId, word: &str, document_key: &str, bytes: &mut Vec<u8>) -> usize {
    entry::start_key(object, bytes);
    bytes.extend(word.bytes().filter(|byte| *byte != END_OF_WORD));
    let end = bytes.len();
    bytes.push(END_OF_WORD);
    entry::finish_key(document_key, bytes);
    end
}

/// Returns the range of the entries of a word, or of all words with that prefix.
pub(super) fn word_range(object: ObjectId, word: &str, is_prefix: bool) -> KeyRange {
    let mut prefix = Vec::new();
    entry::start_key(object, &mut prefix);
    prefix.extend(word.bytes().filter(|byte| *byte != END_OF_WORD));
    if !is_prefix {
        prefix.push(END_OF_WORD);
    }
    KeyRange::prefix(&prefix)
}

/// Returns the position of the document's key in the key of an entry; `None` if the bytes cannot be
/// one.
pub(super) fn key_range(key: &[u8]) -> Option<Range<usize>> {
    let layout = entry::layout(key, key.len(), false)?;
    let before = layout.key.start.checked_sub(1)?;
    (*key.get(before)? == END_OF_WORD).then_some(layout.key)
}
