//! Documents by single keys.

use errors::Result;
use kv::BlockLimits;

use crate::index::bounds::IndexRange;
use crate::index::found::{EntryCollector, IndexEntries};
use crate::index::scan::{EntryScan, ScanHost};
use crate::index::value::IndexValue;

/// Returns the keys that a range of equalities names. A value that is not a string, or an
/// identifier of another collection, names no key.
pub(super) fn keys(range: &IndexRange, collection: &str) -> Vec<String> {
    let values = range.equal.first().map(Vec::as_slice).unwrap_or_default();
    let texts = values.iter().filter_map(IndexValue::as_str);
    if range.first_field == 0 {
        return texts.map(str::to_owned).collect();
    }
    let of_collection = |id: &str| {
        let (name, key) = id.split_once('/')?;
        (name == collection).then(|| key.to_owned())
    };
    texts.filter_map(of_collection).collect()
}

/// A scan of single keys, which may or may not exist.
pub(super) struct KeysScan {
    /// The remaining keys in reverse order, the next one last.
    keys: Vec<String>,
}

impl KeysScan {
    pub(super) fn new(mut keys: Vec<String>, ascending: bool) -> Self {
        keys.sort_unstable();
        keys.dedup();
        if ascending {
            keys.reverse();
        }
        KeysScan { keys }
    }
}

impl EntryScan for KeysScan {
    fn next_block(&mut self, limits: BlockLimits, _: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        let mut entries = EntryCollector::default();
        while entries.len() < limits.rows
            && let Some(key) = self.keys.pop()
        {
            entries.push(&key)?;
        }
        Ok((entries.len() > 0).then(|| entries.finish()))
    }

    fn release(&mut self) {}
}
