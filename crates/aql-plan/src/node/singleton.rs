//! The start of a pipeline.

use super::{NodePrinter, PlanNode};

/// One row without variables (in a subquery: the outer row).
pub(super) struct Singleton;

impl PlanNode for Singleton {
    fn name(&self) -> &'static str {
        "Singleton"
    }

    fn print(&self, _printer: &NodePrinter<'_>) -> String {
        self.name().into()
    }
}
