//! Groups read from an index.

use super::{Collect, IndexScan, NodePrinter, PlanNode, Role, flag};
use crate::variable::VariableId;

/// COLLECT whose input is the whole of one index, in the order of its group keys (rule
/// `use-index-for-collect`).
///
/// As a [`PlanNode`], it hides its parts: the scan sets the inputs of `collect`, and no other node
/// sees them.
#[derive(Debug, Clone)]
pub struct IndexCollect {
    /// Reads the whole index, ascending. Its projections are the inputs of `collect`, and the index
    /// covers all of them.
    pub scan: IndexScan,
    /// Reads nothing of the scan but projections.
    pub collect: Collect,
    /// There are no aggregates, and the group keys are the leading fields of the index. The scan
    /// reads one entry of each group and skips the others.
    pub distinct: bool,
}

impl PlanNode for IndexCollect {
    fn name(&self) -> &'static str {
        "IndexCollect"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let (collect, scan) = (self.collect.print(printer), self.scan.print(printer));
        format!("{collect}{} OF {scan}", flag(" skipping", self.distinct))
    }

    fn role(&self) -> Role {
        Role::Grouping
    }

    fn sets(&self) -> Vec<VariableId> {
        self.collect.sets()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        self.collect.kept.iter().copied().for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        self.collect.kept.iter_mut().for_each(visit);
    }
}
