//! The nodes that an error has passed on its way to the client.

use std::fmt::Write;

use aql_plan::{NodeId, Plan};

use super::shown::{Step, shown};

/// The maximum number of nodes that are named.
const NODES_MAX: usize = 100;

/// Returns the node that failed and all nodes that depend on it, as ArangoDB appends them to
/// messages.
///
/// The form is `" [node #3: SortNode] [node #4: ReturnNode]"`, with a blank before each node. The
/// text is empty if the plan does not show the node.
pub fn trace(plan: &Plan, failed: NodeId) -> String {
    let steps = shown(plan);
    let from = steps.iter().position(|step| step.shows(failed)).unwrap_or(steps.len());
    steps.iter().skip(from).take(NODES_MAX).fold(String::new(), |mut text, step| {
        // Writing to a string cannot fail.
        let _ = write!(text, " [node #{}: {}]", step.id(), step.type_name());
        text
    })
}

impl Step<'_> {
    /// Returns true if this step shows the node to clients.
    fn shows(&self, node: NodeId) -> bool {
        match self {
            Self::Node(shown) | Self::End { subquery: shown } | Self::Start { singleton: shown, .. } => {
                shown.id == node
            }
            Self::Join(scans) => scans.iter().any(|scan| scan.id == node),
        }
    }
}
