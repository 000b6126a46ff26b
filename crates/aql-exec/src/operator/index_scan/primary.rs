//! Documents by their `_key` or `_id`.

use super::entries::EntrySink;
use super::key_order::{KeyRangeSource, keys};
use super::range::Range;
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use aql_value::{Result, Value};

/// Opens the source for some ranges: only single keys, which are looked up with those of other rows in one step, or
/// ranges of keys.
pub(super) fn open(ranges: &[Range], lookup: &Lookup<'_>) -> Box<dyn EntrySource> {
    let is_single = |range: &Range| !range.equal.is_empty();
    if lookup.ordered || !ranges.iter().all(is_single) {
        return Box::new(KeyRangeSource::new(ranges, lookup));
    }
    let mut keys: Vec<String> = ranges.iter().flat_map(|range| keys(range, lookup.collection)).collect();
    keys.sort_unstable();
    keys.dedup();
    if lookup.ascending {
        keys.reverse();
    }
    Box::new(KeySource { keys })
}

/// Single keys. Whether they exist is found out when their documents are fetched.
struct KeySource {
    /// In reverse order: the next one is at the end.
    keys: Vec<String>,
}

impl EntrySource for KeySource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        _bytes: usize,
    ) -> Result<bool> {
        while sink.room() > 0 {
            let Some(key) = self.keys.pop() else { return Ok(false) };
            context.statistics.cursors_created += 1;
            sink.push(&key, || Value::Null, Value::Null);
        }
        Ok(true)
    }

    fn release(&mut self) {}
}
