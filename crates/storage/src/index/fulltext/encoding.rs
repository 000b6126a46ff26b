//! Entries of a fulltext index: `object id · word · 0x00 · _key · length of _key (1 byte)` → nothing.
//!
//! Words hold no zero byte.

use std::ops::Range;

use catalog::ObjectId;
use kv::KeyRange;

use crate::encoding::entry;

const END_OF_WORD: u8 = 0;

/// Appends the key of an entry; answers where in `bytes` the word ends.
pub(super) fn write_key(object: ObjectId, word: &str, document_key: &str, bytes: &mut Vec<u8>) -> usize {
    entry::start_key(object, bytes);
    bytes.extend(word.bytes().filter(|byte| *byte != END_OF_WORD));
    let end = bytes.len();
    bytes.push(END_OF_WORD);
    entry::finish_key(document_key, bytes);
    end
}

/// Where the entries of a word lie, or of all words that begin so.
pub(super) fn word_range(object: ObjectId, word: &str, is_prefix: bool) -> KeyRange {
    let mut prefix = Vec::new();
    entry::start_key(object, &mut prefix);
    prefix.extend(word.bytes().filter(|byte| *byte != END_OF_WORD));
    if !is_prefix {
        prefix.push(END_OF_WORD);
    }
    KeyRange::prefix(&prefix)
}

/// Where the document's key lies in the key of an entry. `None` if the bytes cannot be one.
pub(super) fn key_range(key: &[u8]) -> Option<Range<usize>> {
    let layout = entry::layout(key, key.len(), false)?;
    let before = layout.key.start.checked_sub(1)?;
    (*key.get(before)? == END_OF_WORD).then_some(layout.key)
}
