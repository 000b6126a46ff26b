//! `fuse-filters`: merges adjacent filters into one.

use std::collections::HashMap;

use aql_plan::{Expression, Filter, Node, NodeKind, Plan, VariableId};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::conjunction::rejoin;
use crate::analysis::pipeline::{for_each_pipeline, read_counts};

pub(super) struct FuseFilters;

impl Rule for FuseFilters {
    fn name(&self) -> &'static str {
        "fuse-filters"
    }

    fn description(&self) -> &'static str {
        "Merges adjacent filters into one."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            rejoin(nodes, context.interrupt)?;
            let counts = read_counts(nodes);
            let mut changed = false;
            let mut position = 0;
            while position < nodes.len() {
                context.interrupt.check()?;
                if fuse_at(nodes, position, &counts) {
                    changed = true;
                } else {
                    position += 1;
                }
            }
            Ok(changed)
        })
    }

    /// Makes filters whole again that are not split in the query.
    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            rejoin(nodes, context.interrupt)?;
            Ok(false)
        })?;
        Ok(())
    }
}

/// Merges `Calculation, Filter, Calculation, Filter` at a position into one calculation and one
/// filter.
///
/// AND evaluates its second operand only if the first is true, just as the second filter sees only
/// rows that pass the first.
fn fuse_at(nodes: &mut Vec<Node>, position: usize, counts: &HashMap<VariableId, usize>) -> bool {
    if !is_own_filter(nodes, position, counts) || !is_own_filter(nodes, position + 2, counts) {
        return false;
    }
    let mut both = take_conjuncts(nodes, position);
    both.extend(take_conjuncts(nodes, position + 2));
    if let Some(NodeKind::Calculation(calculation)) = nodes.get_mut(position + 2).map(|node| &mut node.kind) {
        calculation.expression = Expression::And(both);
    }
    let is_rule = |node: Option<&Node>| matches!(node, Some(Node { kind: NodeKind::Filter(filter), .. }) if filter.is_rule);
    let has_rule = is_rule(nodes.get(position + 1));
    if let Some(NodeKind::Filter(filter)) = nodes.get_mut(position + 3).map(|node| &mut node.kind) {
        filter.is_rule |= has_rule;
    }
    nodes.drain(position..position + 2);
    true
}

/// Returns true for a calculation and a filter at a position, if only the filter reads the
/// calculation.
fn is_own_filter(nodes: &[Node], position: usize, counts: &HashMap<VariableId, usize>) -> bool {
    let kind = |position: usize| nodes.get(position).map(|node| &node.kind);
    match (kind(position), kind(position + 1)) {
        (Some(NodeKind::Calculation(calculation)), Some(NodeKind::Filter(Filter { condition, .. }))) => {
            *condition == calculation.out && counts.get(condition) == Some(&1)
        }
        _ => false,
    }
}

/// Takes the conditions out of the calculation at a position. They are moved, because the first of
/// many filters grows with each of them.
fn take_conjuncts(nodes: &mut [Node], position: usize) -> Vec<Expression> {
    match nodes.get_mut(position).map(|node| &mut node.kind) {
        Some(NodeKind::Calculation(calculation)) => {
            std::mem::replace(&mut calculation.expression, Expression::And(Vec::new())).into_conjuncts()
        }
        _ => Vec::new(),
    }
}
