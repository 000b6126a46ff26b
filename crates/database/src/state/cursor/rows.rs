//! The source of a cursor's rows.

use errors::Result;

use crate::state::cursor::encoder::{Format, RowEncoder};

/// A source of rows on demand: a running query, or a collection being exported.
pub trait RowSource: Send {
    /// Appends up to `max_rows` rows to the reply. Returns true if at least one more row follows.
    /// After `false` it is not called again.
    fn fill(&mut self, reply: &mut RowEncoder, max_rows: usize) -> Result<bool>;

    /// Releases the memory that it pins in the storage engine, until the next [`RowSource::fill`].
    fn release(&mut self);

    /// Returns true if rows may be computed ahead of a request, since they have no side effects.
    fn can_read_ahead(&self) -> bool;

    /// Returns the number of all rows, if it is known without reading all of them.
    fn count(&self) -> Option<u64>;

    /// Returns a description by which another server computes the same rows; `None` if none could.
    fn description(&self) -> Option<Vec<u8>> {
        None
    }

    /// Commits the writes and returns the reply's `extra`: statistics, warnings, profile and plan.
    ///
    /// It is called once, after the last row. `extra` is an object in the reply's format; `None`
    /// for replies that have none.
    fn finish(&mut self, format: Format) -> Result<Option<Vec<u8>>>;
}
