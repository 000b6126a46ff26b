//! `move-calculations-up`: computes as early as possible.
//!
//! So a loop does not repeat a calculation that is independent of it, and later rules see equal
//! calculations side by side. `move-calculations-down` then moves the calculations that have not
//! left a loop after filters and limits again.

use aql_plan::{Node, NodeId, NodeKind, Plan, Subquery, VariableSet, Variables};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{arrays, for_each_pipeline};

pub(super) struct MoveCalculationsUp {
    pub(super) name: &'static str,
}

impl Rule for MoveCalculationsUp {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Moves calculations and subqueries up in the plan, out of loops that they do not depend on."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let arrays = arrays(&plan.nodes);
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            move_up(nodes, workshop.variables, &arrays, context.interrupt)
        })
    }
}

/// Moves nodes up, the last node first.
///
/// ArangoDB does the same, and clients compare its plans: among calculations that can move equally
/// far up, the first one ends up on top.
fn move_up(
    nodes: &mut Vec<Node>,
    variables: &Variables,
    arrays: &VariableSet,
    interrupt: &Interrupt,
) -> Result<bool> {
    let mut moved = false;
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    for id in ids.into_iter().rev() {
        interrupt.check()?;
        let Some(from) = nodes.iter().position(|node| node.id == id) else { break };
        let Some(node) = nodes.get(from) else { break };
        let is_movable = match &node.kind {
            // Vertices of searches already are as far up as possible.
            NodeKind::Calculation(calculation) => {
                calculation.expression.is_deterministic()
                    && !variables.get(calculation.out).is_some_and(|variable| variable.is_vertex)
            }
            NodeKind::Subquery(subquery) => node.kind.is_deterministic() && !can_fail(subquery, arrays),
            _ => false,
        };
        if !is_movable {
            continue;
        }
        let to = highest_position(nodes, from, &node.kind.reads());
        let leaves_loop =
            nodes.get(to..from).is_some_and(|passed| passed.iter().any(|node| node.kind.is_loop()));
        // A subquery costs more than the rows that a filter keeps from it, unless it leaves a loop
        // altogether.
        if to < from && (leaves_loop || !matches!(node.kind, NodeKind::Subquery(_))) {
            let node = nodes.remove(from);
            nodes.insert(to, node);
            moved = true;
        }
    }
    Ok(moved)
}

/// Returns the highest position of a node that reads these variables.
///
/// It passes other calculations too, so that a filter stays behind its condition. It does not pass
/// the rules of a collection with what may be computed of a hidden document.
fn highest_position(nodes: &[Node], from: usize, reads: &VariableSet) -> usize {
    let mut to = from;
    while let Some(before) = to.checked_sub(1).and_then(|position| nodes.get(position)) {
        let is_barrier = match &before.kind {
            NodeKind::Singleton | NodeKind::Collect(_) | NodeKind::NoResults => true,
            NodeKind::Filter(filter) => filter.is_rule && !reads.is_empty(),
            kind => kind.is_modification(),
        };
        if is_barrier || before.kind.sets().into_iter().any(|id| reads.contains(id)) {
            break;
        }
        to -= 1;
    }
    to
}

/// Returns true if a subquery may end the query with an error: by a loop over a value that may not
/// be an array, or by a weighted search.
///
/// Such a subquery must not move to a place where it runs although it otherwise would not.
fn can_fail(subquery: &Subquery, arrays: &VariableSet) -> bool {
    subquery.nodes.iter().any(|node| match &node.kind {
        NodeKind::EnumerateList(list) => !arrays.contains(list.input),
        // Weights may be negative.
        NodeKind::Traversal(node) => node.options.weight_attribute.is_some(),
        NodeKind::ShortestPath(node) => node.options.weight_attribute.is_some(),
        NodeKind::EnumeratePaths(node) => node.options.weight_attribute.is_some(),
        NodeKind::Subquery(inner) => can_fail(inner, arrays),
        _ => false,
    })
}
