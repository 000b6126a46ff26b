//! The collections whose changes the log leaves out.

use catalog::READER_COLLECTIONS;

/// Returns true if the log has no entries of a collection: neither its documents nor its
/// definition. An entry of a reader's position would be news for that reader: each delivery would
/// cause the next.
pub fn is_left_out(collection: &str) -> bool {
    collection.starts_with('_') && READER_COLLECTIONS.contains(&collection)
}
