//! `move-filters-into-enumerate`: a filter that follows a loop is evaluated within it, before a
//! document is passed on.

use aql_plan::{Expression, Filter, Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{resolve, set_from};
use crate::analysis::pipeline::{for_each_pipeline, read_counts};

pub(super) struct MoveFiltersIntoEnumerate;

impl Rule for MoveFiltersIntoEnumerate {
    fn name(&self) -> &'static str {
        "move-filters-into-enumerate"
    }

    fn description(&self) -> &'static str {
        "Moves filters into the loops that they follow."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                while let Some((filter, condition)) = next_filter(nodes, position) {
                    context.interrupt.check()?;
                    nodes.remove(filter);
                    if let Some(node) = nodes.get_mut(position) {
                        add_filter(&mut node.kind, condition);
                    }
                    remove_unread_calculations(nodes, position);
                    changed = true;
                }
            }
            Ok(changed)
        })
    }
}

/// Returns the position and condition of the next filter after the loop, if its condition depends
/// on nothing after the loop.
fn next_filter(nodes: &[Node], position: usize) -> Option<(usize, Expression)> {
    let out = match &nodes.get(position)?.kind {
        NodeKind::EnumerateCollection(scan) if !scan.random => scan.source.out,
        NodeKind::Index(scan) => scan.source.out,
        NodeKind::EnumerateList(list) if list.object.is_none() => list.out,
        _ => return None,
    };
    let after = nodes.iter().enumerate().skip(position + 1);
    let (filter, condition) = after
        .take_while(|(_, node)| matches!(node.kind, NodeKind::Calculation(_) | NodeKind::Filter(_)))
        .find_map(|(at, node)| match &node.kind {
            NodeKind::Filter(Filter { condition, .. }) => Some((at, *condition)),
            _ => None,
        })?;
    let expression = resolve(&Expression::Variable(condition), nodes, position, filter);
    let mut later = set_from(nodes, position + 1);
    later.remove(out);
    let is_movable = expression.is_deterministic() && !expression.variables().intersects(&later);
    is_movable.then_some((filter, expression))
}

fn add_filter(kind: &mut NodeKind, condition: Expression) {
    let filter = match kind {
        NodeKind::EnumerateList(list) => &mut list.filter,
        kind => match kind.source_mut() {
            Some(source) => &mut source.filter,
            None => return,
        },
    };
    *filter = Some(match filter.take() {
        None => condition,
        Some(Expression::And(mut operands)) => {
            operands.push(condition);
            Expression::And(operands)
        }
        Some(first) => Expression::And(vec![first, condition]),
    });
}

/// Removes the calculations that only the filter needed.
fn remove_unread_calculations(nodes: &mut Vec<Node>, position: usize) {
    let counts = read_counts(nodes);
    let mut at = position + 1;
    while let Some(NodeKind::Calculation(calculation)) = nodes.get(at).map(|node| &node.kind) {
        if !counts.contains_key(&calculation.out) && calculation.expression.is_deterministic() {
            nodes.remove(at);
        } else {
            at += 1;
        }
    }
}
