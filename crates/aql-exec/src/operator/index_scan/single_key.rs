//! Look-ups of one key for each incoming row, taken from the column of their values without a source for each.

use super::entries::{EntryBatch, EntrySink};
use super::range::{LookupProgram, RangeColumns, RangePrograms};
use crate::context::ExecutionContext;
use crate::operator::outer::Outer;
use aql_value::{Result, Value};
use storage::Collection;

/// By which attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SingleKey {
    Key,
    Id,
}

impl SingleKey {
    /// `None` unless there is one range, which names one `_key` or `_id`.
    pub(super) fn of_ranges(ranges: &[RangePrograms]) -> Option<Self> {
        let [range] = ranges else { return None };
        let is_single = range.index.capabilities().clustered
            && matches!(range.lookups.as_slice(), [LookupProgram::Equal(_)])
            && range.lower.is_none()
            && range.upper.is_none();
        match range.first_field {
            0 if is_single => Some(Self::Key),
            1 if is_single => Some(Self::Id),
            _ => None,
        }
    }

    /// The key that a value names, if it can be one of the collection.
    fn of<'a>(self, value: &'a Value, collection: &Collection) -> Option<&'a str> {
        let text = value.as_str()?;
        match self {
            Self::Key => Some(text),
            Self::Id => {
                text.split_once('/').filter(|(name, _)| *name == collection.name()).map(|(_, key)| key)
            }
        }
    }

    /// Collects the keys of the present and further incoming rows, up to the limit. Whether they exist is found out
    /// when they are looked up.
    pub(super) fn collect(
        self,
        outer: &mut Outer,
        columns: &[RangeColumns],
        collection: &Collection,
        limit: usize,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
        context.interrupt.check()?;
        let mut entries = EntryBatch::default();
        let column = columns.first().and_then(RangeColumns::first_lookup);
        while entries.len() < limit && outer.remaining() > 0 {
            let row = outer.row();
            if let Some(key) = column.and_then(|column| self.of(column.get(row), collection)) {
                context.statistics.cursors_created += 1;
                let mut sink = EntrySink {
                    batch: &mut entries,
                    row: row as u32,
                    seen: None,
                    limit,
                    wants_covered: false,
                };
                sink.push(key, || Value::Null, Value::Null);
            }
            outer.advance();
        }
        Ok(entries)
    }
}
