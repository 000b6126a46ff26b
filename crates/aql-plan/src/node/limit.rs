//! LIMIT.

use super::{NodePrinter, PlanNode, flag};

/// A LIMIT: the numbers of rows to skip and to pass on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to pass on after that; `u64::MAX` for all.
    pub limit: u64,
    /// The rows beyond are counted for `stats.fullCount`: the last top-level LIMIT of a query with
    /// option `fullCount`.
    pub full_count: bool,
}

impl PlanNode for Limit {
    fn name(&self) -> &'static str {
        "Limit"
    }

    fn print(&self, _printer: &NodePrinter<'_>) -> String {
        let count = if self.limit == u64::MAX { "all".into() } else { self.limit.to_string() };
        format!("Limit {}, {count}{}", self.offset, flag(" full count", self.full_count))
    }
}
