//! Rows that are read one after the other, and are never together in memory.

use errors::Result;

use crate::value::Value;

/// The elements of an array that is not in memory.
pub trait Rows: Send {
    /// Appends the next elements to `out`, at most `max`. Appending none says that there are no
    /// more.
    ///
    /// It may append fewer than there are, so that they take little memory.
    ///
    /// Errors: those of the source; 1500 if the query was ended.
    fn next_rows(&mut self, max: usize, out: &mut Vec<Value>) -> Result<()>;

    /// Releases what pins memory of the storage engine. The next rows follow the last ones.
    fn release(&mut self);
}

/// The part of the change log that `CHANGES()` reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangesQuery<'a> {
    /// The collections; `None` for all that the user may read, and definitions.
    pub collections: Option<&'a [String]>,
    /// A token, `now` or `earliest`.
    pub since: &'a str,
    /// The maximum number of changes.
    pub limit: Option<u64>,
}
