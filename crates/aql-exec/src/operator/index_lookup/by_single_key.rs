//! Lookups of one key for each incoming row, taken from the column of key values without a source
//! for each.

use aql_value::Value;
use errors::Result;
use storage::Collection;

use super::entries::{EntryBatch, EntrySink};
use super::input::LookupInput;
use super::range::RangeColumns;
use super::{LookupRequest, LookupStrategy};
use crate::context::ExecutionContext;
use crate::statistics::CursorUse;

/// The strategy for one key for each incoming row.
pub(crate) struct BySingleKey {
    attribute: KeyAttribute,
    cursor: CursorUse,
}

/// The attribute of the lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyAttribute {
    Key,
    Id,
}

impl BySingleKey {
    /// Returns the strategy for values of `_key`.
    pub(crate) fn of_key() -> Self {
        Self { attribute: KeyAttribute::Key, cursor: CursorUse::default() }
    }

    /// Returns the strategy for values of `_id`.
    pub(crate) fn of_id() -> Self {
        Self { attribute: KeyAttribute::Id, cursor: CursorUse::default() }
    }
}

impl KeyAttribute {
    /// Returns the key that a value names, if it can be a key of the collection.
    fn of<'a>(self, value: &'a Value, collection: &Collection) -> Option<&'a str> {
        let text = value.as_str()?;
        match self {
            Self::Key => Some(text),
            Self::Id => {
                text.split_once('/').filter(|(name, _)| *name == collection.name()).map(|(_, key)| key)
            }
        }
    }
}

impl LookupStrategy for BySingleKey {
    /// Collects keys without a check that they exist. The later lookup of documents finds that
    /// out.
    fn collect(
        &mut self,
        input: &mut LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
        context.interrupt.check()?;
        let mut entries = EntryBatch::default();
        while entries.len() < request.limit && input.outer.remaining() > 0 {
            let row = input.outer.row();
            let column = input.first_columns().and_then(RangeColumns::first_lookup);
            if let Some(key) =
                column.and_then(|column| self.attribute.of(column.get(row), &request.source.collection))
            {
                self.cursor.begin_row();
                self.cursor.count(1, &mut context.statistics);
                let mut sink = EntrySink {
                    batch: &mut entries,
                    row: row as u32,
                    seen: None,
                    limit: request.limit,
                    wants_covered: false,
                };
                sink.push(key, || Value::Null, Value::Null);
            }
            input.outer.advance();
        }
        Ok(entries)
    }

    fn is_begun(&self) -> bool {
        false
    }

    fn end_row(&mut self) {}
}
