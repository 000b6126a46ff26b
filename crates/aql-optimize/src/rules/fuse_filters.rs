//! `fuse-filters`: merges adjacent filters into one.

use super::{Rule, RuleContext};
use crate::analysis::pipeline::{for_each_pipeline, read_counts};
use aql_plan::{Expression, Filter, Node, NodeKind, Plan, VariableId};
use errors::Result;
use std::collections::HashMap;

pub(super) struct FuseFilters;

impl Rule for FuseFilters {
    fn name(&self) -> &'static str {
        "fuse-filters"
    }

    fn description(&self) -> &'static str {
        "Merges adjacent filters into one."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, _| {
            let counts = read_counts(nodes);
            let mut changed = false;
            let mut position = 0;
            while position < nodes.len() {
                if fuse_at(nodes, position, &counts) {
                    changed = true;
                } else {
                    position += 1;
                }
            }
            Ok(changed)
        })
    }
}

/// Merges `Calculation, Filter, Calculation, Filter` at a position into one calculation and one
/// filter.
///
/// AND evaluates its second operand only if the first is true, just as the second filter sees only
/// rows that pass the first.
fn fuse_at(nodes: &mut Vec<Node>, position: usize, counts: &HashMap<VariableId, usize>) -> bool {
    let Some((first, second)) =
        own_filter(nodes, position, counts).zip(own_filter(nodes, position + 2, counts))
    else {
        return false;
    };
    let both = conjuncts(first).chain(conjuncts(second)).cloned().collect();
    if let Some(NodeKind::Calculation(calculation)) = nodes.get_mut(position + 2).map(|node| &mut node.kind) {
        calculation.expression = Expression::And(both);
    }
    nodes.drain(position..position + 2);
    true
}

/// Returns the condition of the calculation and filter at a position, if only the filter reads the
/// calculation.
fn own_filter<'a>(
    nodes: &'a [Node],
    position: usize,
    counts: &HashMap<VariableId, usize>,
) -> Option<&'a Expression> {
    match (&nodes.get(position)?.kind, &nodes.get(position + 1)?.kind) {
        (NodeKind::Calculation(calculation), NodeKind::Filter(Filter { condition }))
            if *condition == calculation.out && counts.get(condition) == Some(&1) =>
        {
            Some(&calculation.expression)
        }
        _ => None,
    }
}

fn conjuncts(expression: &Expression) -> std::slice::Iter<'_, Expression> {
    match expression {
        Expression::And(operands) => operands.iter(),
        other => std::slice::from_ref(other).iter(),
    }
}
