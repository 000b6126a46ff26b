//! Where the rows of a cursor come from.

use crate::Result;
use crate::cursor::encoder::{Format, RowEncoder};

/// Something that yields rows on demand: a query being run, or a collection being exported.
pub trait RowSource: Send {
    /// Appends up to `max_rows` rows to the reply. Says whether at least one more row follows; after `false` it is not
    /// called again.
    fn fill(&mut self, reply: &mut RowEncoder, max_rows: usize) -> Result<bool>;

    /// Lets go of what pins memory in the storage engine, until the next [`RowSource::fill`].
    fn release(&mut self);

    /// Whether rows may be computed that nobody may ask for: they change nothing.
    fn can_read_ahead(&self) -> bool;

    /// Number of all rows, where it is known without running to the end.
    fn count(&self) -> Option<u64>;

    /// Called once after the last row: commits what was written, and gives the reply's `extra` (statistics, warnings,
    /// profile, plan), an object in the reply's format; `None` for replies that have none.
    fn finish(&mut self, format: Format) -> Result<Option<Vec<u8>>>;
}
