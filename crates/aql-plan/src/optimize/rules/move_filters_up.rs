//! `move-filters-up`: filters as early as possible, so that fewer rows reach what follows.

use super::{Rule, RuleContext};
use crate::node::{Node, NodeKind};
use crate::optimize::pipeline::for_each_pipeline;
use crate::plan::Plan;
use crate::variable::VariableId;
use aql_value::Result;

pub(super) struct MoveFiltersUp {
    pub(super) name: &'static str,
}

impl Rule for MoveFiltersUp {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Moves filters up in the plan, so that fewer rows reach the steps after them."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, _| Ok(move_up(nodes)))
    }
}

fn move_up(nodes: &mut Vec<Node>) -> bool {
    let mut moved = false;
    for from in 1..nodes.len() {
        let Some(NodeKind::Filter { condition }) = nodes.get(from).map(|node| &node.kind) else { continue };
        let to = highest_position(nodes, from, *condition);
        if to < from {
            let node = nodes.remove(from);
            nodes.insert(to, node);
            moved = true;
        }
    }
    moved
}

fn highest_position(nodes: &[Node], from: usize, condition: VariableId) -> usize {
    let mut to = from;
    while let Some(before) = to.checked_sub(1).and_then(|position| nodes.get(position)) {
        let can_pass = match &before.kind {
            NodeKind::Calculation(_) | NodeKind::Subquery(_) => before.kind.is_deterministic(),
            kind if kind.is_loop() => true,
            NodeKind::Sort(sort) => sort.limit.is_none(),
            _ => false,
        };
        if !can_pass || before.kind.sets_variable(condition) {
            break;
        }
        to -= 1;
    }
    to
}
