//! Plans as text: a line for each node, subqueries indented. For golden files and logs, not for
//! clients.

use std::fmt::Write;

use crate::node::{Node, NodeKind, NodePrinter};
use crate::plan::Plan;

/// Returns the nodes of a plan as text, without numbers of nodes and estimates, which change with
/// unrelated rules.
pub fn print(plan: &Plan) -> String {
    let mut out = String::new();
    print_pipeline(&plan.nodes, 0, &NodePrinter::new(&plan.variables), &mut out);
    out
}

fn print_pipeline(nodes: &[Node], depth: usize, printer: &NodePrinter<'_>, out: &mut String) {
    for node in nodes {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}{}", "  ".repeat(depth), node.kind.as_plan_node().print(printer));
        if let NodeKind::Subquery(subquery) = &node.kind {
            print_pipeline(&subquery.nodes, depth + 1, printer, out);
        }
    }
}
