//! The end of all rows.

use super::{NodePrinter, PlanNode};

/// No rows.
pub(super) struct NoResults;

impl PlanNode for NoResults {
    fn name(&self) -> &'static str {
        "NoResults"
    }

    fn print(&self, _printer: &NodePrinter<'_>) -> String {
        self.name().into()
    }
}
