//! WINDOW.

use super::CollectAggregate;
use crate::variable::VariableId;

/// Adds to each row aggregates over the rows near it. All rows pass, in their order (sorted by `range` where there is
/// one).
#[derive(Debug, Clone)]
pub struct Window {
    /// The value by which rows are near each other; `None`: their position.
    pub range: Option<VariableId>,
    /// How far rows before the current one may be.
    pub preceding: WindowBound,
    /// How far rows after the current one may be.
    pub following: WindowBound,
    /// Aggregates, each over the window of the row.
    pub aggregates: Vec<CollectAggregate>,
}

/// How far a window reaches in one direction.
#[derive(Debug, Clone, PartialEq)]
pub enum WindowBound {
    /// To the end.
    Unbounded,
    /// So many rows (no `range`).
    Rows(u64),
    /// Rows whose `range` differs by at most so much.
    Distance(f64),
    /// Rows whose `range`, a date, differs by at most this ISO 8601 duration.
    Duration(Box<str>),
}
