//! `move-calculations-down`: computes as late as possible within a loop, after filters and limits,
//! so that no value is computed for rows that are dropped.

use aql_plan::{Node, NodeKind, Plan, VariableId};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct MoveCalculationsDown;

impl Rule for MoveCalculationsDown {
    fn name(&self) -> &'static str {
        "move-calculations-down"
    }

    fn description(&self) -> &'static str {
        "Moves calculations and subqueries down in the plan, behind filters and limits."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| move_down(nodes, context.interrupt))
    }
}

/// Moves nodes down, from the last to the first, so that calculations keep their order.
fn move_down(nodes: &mut Vec<Node>, interrupt: &Interrupt) -> Result<bool> {
    let mut moved = false;
    for from in (1..nodes.len()).rev() {
        interrupt.check()?;
        let out = match nodes.get(from).map(|node| &node.kind) {
            Some(NodeKind::Calculation(calculation)) => calculation.out,
            Some(NodeKind::Subquery(subquery)) => subquery.out,
            _ => continue,
        };
        if !nodes.get(from).is_some_and(|node| node.kind.is_deterministic()) {
            continue;
        }
        if let Some(to) = lowest_position(nodes, from, out) {
            let node = nodes.remove(from);
            nodes.insert(to, node);
            moved = true;
        }
    }
    Ok(moved)
}

/// Returns the position after the last filter, sort or limit that does not need the variable,
/// counted without the node itself.
fn lowest_position(nodes: &[Node], from: usize, out: VariableId) -> Option<usize> {
    let mut lowest = None;
    for (position, node) in nodes.iter().enumerate().skip(from + 1) {
        let reduces = match &node.kind {
            NodeKind::Filter(_) | NodeKind::Limit(_) | NodeKind::Sort(_) => true,
            NodeKind::Calculation(_) => false,
            NodeKind::Subquery(_) if !node.kind.is_modification() => false,
            _ => break,
        };
        if node.kind.reads().contains(out) {
            break;
        }
        if reduces {
            lowest = Some(position);
        }
    }
    lowest
}
