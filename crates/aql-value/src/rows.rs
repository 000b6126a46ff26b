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

/// The rows that functions over whole graphs ask for.
#[derive(Debug, Clone, Copy)]
pub enum GraphQuery<'a> {
    /// The result of an algorithm (`GRAPH_ALGORITHM()`).
    Algorithm {
        /// Its name.
        name: &'a str,
        /// The name of a graph, or an object that names collections or a projection.
        graph: &'a Value,
        /// The algorithm's parameters: an object or null.
        parameters: &'a Value,
        /// The options of the run: an object or null.
        options: &'a Value,
    },
    /// The result that a job has kept (`PREGEL_RESULT()`).
    Job {
        /// The job's number.
        id: &'a str,
        /// True for rows with `_id`.
        with_id: bool,
    },
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
