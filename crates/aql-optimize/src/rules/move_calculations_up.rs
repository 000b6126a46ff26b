//! `move-calculations-up`: computes as early as possible, so that a loop that does not matter to a calculation does not
//! repeat it, and later rules see equal calculations side by side. (`move-calculations-down` then moves what has not
//! left a loop behind the filters and limits again.)

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{arrays, for_each_pipeline};
use aql_plan::{Node, NodeId, NodeKind, Plan, Subquery, VariableSet, Variables};
use aql_value::Result;

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

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        let arrays = arrays(&plan.nodes);
        for_each_pipeline(plan, &mut |nodes, workshop| Ok(move_up(nodes, workshop.variables, &arrays)))
    }
}

/// The last node goes first, as it does in ArangoDB, whose plans clients compare: of calculations that can go equally far
/// up, the first one ends up on top.
fn move_up(nodes: &mut Vec<Node>, variables: &Variables, arrays: &VariableSet) -> bool {
    let mut moved = false;
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    for id in ids.into_iter().rev() {
        let Some(from) = nodes.iter().position(|node| node.id == id) else { break };
        let Some(node) = nodes.get(from) else { break };
        let is_movable = match &node.kind {
            // Vertices of searches are as far up as they can be.
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
        // A subquery is worth more than the rows that a filter keeps from it, unless it leaves a loop altogether.
        if to < from && (leaves_loop || !matches!(node.kind, NodeKind::Subquery(_))) {
            let node = nodes.remove(from);
            nodes.insert(to, node);
            moved = true;
        }
    }
    moved
}

/// How far up a node that reads these variables can go: past other calculations, too, so that a filter stays behind its
/// condition.
fn highest_position(nodes: &[Node], from: usize, reads: &VariableSet) -> usize {
    let mut to = from;
    while let Some(before) = to.checked_sub(1).and_then(|position| nodes.get(position)) {
        let is_barrier = match &before.kind {
            NodeKind::Singleton | NodeKind::Collect(_) | NodeKind::NoResults => true,
            kind => kind.is_modification(),
        };
        if is_barrier || before.kind.sets().into_iter().any(|id| reads.contains(id)) {
            break;
        }
        to -= 1;
    }
    to
}

/// Whether a subquery may end the query by an error, which must not happen where it would not have been run: a loop
/// over something that may be no array, a search by weights.
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
