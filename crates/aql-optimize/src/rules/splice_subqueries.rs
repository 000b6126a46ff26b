//! `splice-subqueries`: makes subqueries part of the surrounding pipeline.
//!
//! Execution always does so. The rule numbers the nodes that clients see in place of each subquery:
//! one where it begins and one where it ends.

use aql_plan::{Node, NodeId, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};

pub(super) struct SpliceSubqueries;

impl Rule for SpliceSubqueries {
    fn name(&self) -> &'static str {
        "splice-subqueries"
    }

    fn description(&self) -> &'static str {
        "Makes subqueries part of the pipeline around them."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        let first = plan.next_node_id;
        splice(&mut plan.nodes, &mut plan.next_node_id);
        Ok(plan.next_node_id > first)
    }

    fn can_be_disabled(&self) -> bool {
        false
    }
}

/// Numbers subqueries from the last to the first, and those within one after it, as ArangoDB does.
/// The parser bounds their nesting.
fn splice(nodes: &mut [Node], next_id: &mut u32) {
    for node in nodes.iter_mut().rev() {
        let NodeKind::Subquery(subquery) = &mut node.kind else { continue };
        if let Some(start) = subquery.nodes.first_mut() {
            start.id = NodeId(*next_id);
            *next_id += 1;
        }
        node.id = NodeId(*next_id);
        *next_id += 1;
        splice(&mut subquery.nodes, next_id);
    }
}
