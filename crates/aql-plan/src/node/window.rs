//! WINDOW.

use super::{CollectAggregate, NodePrinter, PlanNode, listed};
use crate::variable::VariableId;

/// Aggregates over the rows near each row. All rows pass, in their order (sorted by `range` where
/// there is one).
#[derive(Debug, Clone)]
pub struct Window {
    /// The value by which rows are near each other; `None`: their position.
    pub range: Option<VariableId>,
    /// The reach of the window before the current row.
    pub preceding: WindowBound,
    /// The reach of the window after the current row.
    pub following: WindowBound,
    /// Aggregates, each over the window of the row.
    pub aggregates: Vec<CollectAggregate>,
}

/// The reach of a window in one direction from the current row.
#[derive(Debug, Clone, PartialEq)]
pub enum WindowBound {
    /// To the end.
    Unbounded,
    /// A number of rows (no `range`).
    Rows(u64),
    /// Rows whose `range` differs by at most this number.
    Distance(f64),
    /// Rows whose `range`, a date, differs by at most this ISO 8601 duration.
    Duration(Box<str>),
}

impl PlanNode for Window {
    fn name(&self) -> &'static str {
        "Window"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let aggregates = self.aggregates.iter().map(|aggregate| aggregate.print(printer));
        format!(
            "Window{} preceding {} following {}{}",
            printer.titled_name(" BY ", self.range),
            self.preceding.print(),
            self.following.print(),
            listed(" aggregates ", aggregates)
        )
    }

    fn sets(&self) -> Vec<VariableId> {
        self.aggregates.iter().map(|aggregate| aggregate.out).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        let inputs = self.aggregates.iter().filter_map(|aggregate| aggregate.input);
        self.range.into_iter().chain(inputs).for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        let inputs = self.aggregates.iter_mut().filter_map(|aggregate| aggregate.input.as_mut());
        self.range.iter_mut().chain(inputs).for_each(visit);
    }
}

impl WindowBound {
    fn print(&self) -> String {
        match self {
            Self::Unbounded => "all".into(),
            Self::Rows(rows) => format!("{rows} rows"),
            Self::Distance(distance) => distance.to_string(),
            Self::Duration(duration) => duration.to_string(),
        }
    }
}
