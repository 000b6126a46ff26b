//! `move-filters-up`: filters as early as possible, so that fewer rows reach later nodes.

use aql_plan::{Filter, Node, NodeKind, Plan, VariableId};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::conjunction::can_filters_pass;
use crate::analysis::pipeline::for_each_pipeline;

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

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| move_up(nodes, context.interrupt))
    }
}

fn move_up(nodes: &mut Vec<Node>, interrupt: &Interrupt) -> Result<bool> {
    let mut moved = false;
    for from in 1..nodes.len() {
        interrupt.check()?;
        let Some(NodeKind::Filter(Filter { condition, .. })) = nodes.get(from).map(|node| &node.kind) else {
            continue;
        };
        let to = highest_position(nodes, from, *condition);
        if to < from {
            let node = nodes.remove(from);
            nodes.insert(to, node);
            moved = true;
        }
    }
    Ok(moved)
}

/// Returns the highest position for the filter.
///
/// It passes other filters only on its way over a loop or a sort: among themselves, filters keep
/// their order.
fn highest_position(nodes: &[Node], from: usize, condition: VariableId) -> usize {
    let (mut to, mut highest) = (from, from);
    let mut has_passed_filter = false;
    while let Some(before) = to.checked_sub(1).and_then(|position| nodes.get(position)) {
        let is_calculated = matches!(before.kind, NodeKind::Calculation(_) | NodeKind::Subquery(_));
        if !can_filters_pass(&before.kind) || before.kind.sets_variable(condition) {
            break;
        }
        to -= 1;
        has_passed_filter |= matches!(before.kind, NodeKind::Filter(_));
        if !(has_passed_filter && (is_calculated || matches!(before.kind, NodeKind::Filter(_)))) {
            highest = to;
        }
    }
    highest
}
