//! SORT.

use super::{NodePrinter, PlanNode, flag, listed};
use crate::variable::VariableId;

/// A sort of all rows.
#[derive(Debug, Clone)]
pub struct Sort {
    /// From the most significant down; at least one.
    pub elements: Vec<SortElement>,
    /// The number of leading elements in whose order the rows come already. Only rows that are
    /// equal in them are sorted (rule `use-index-for-sort`).
    pub grouped: usize,
    /// Rows that compare equal keep their order.
    pub stable: bool,
    /// The number of first rows that are needed; `None` for all (rule `sort-limit`).
    pub limit: Option<u64>,
}

/// One criterion of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortElement {
    /// The value to compare.
    pub input: VariableId,
    /// Smallest first.
    pub ascending: bool,
}

impl PlanNode for Sort {
    fn name(&self) -> &'static str {
        "Sort"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let elements = self.elements.iter().map(|element| {
            format!("{} {}", printer.name(element.input), if element.ascending { "ASC" } else { "DESC" })
        });
        let grouped = format!(" grouped {}", self.grouped);
        let limit = self.limit.map(|limit| format!(" limit {limit}")).unwrap_or_default();
        format!("Sort{}{}{limit}", listed(" ", elements), flag(&grouped, self.grouped > 0))
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        self.elements.iter().for_each(|element| visit(element.input));
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        self.elements.iter_mut().for_each(|element| visit(&mut element.input));
    }
}
