//! `interchange-adjacent-enumerations`: nested loops over collections, joined by a condition, in another order, as
//! additional plans. Which order is best depends on indexes, so the cost of the finished plans decides.
//!
//! Only loops over collections are exchanged, whose order is undefined anyway, and only if a filter connects them:
//! otherwise the order makes no difference to indexes.

use super::{Rule, RuleContext};
use crate::expression::Expression;
use crate::node::{Node, NodeKind};
use crate::optimize::condition::{conditions_after, resolve};
use crate::plan::Plan;
use crate::variable_set::VariableSet;
use aql_value::Result;

pub(super) struct InterchangeAdjacentEnumerations;

/// Longest run of loops whose orders are all tried: 4! = 24 plans.
const MAX_RUN: usize = 4;

impl Rule for InterchangeAdjacentEnumerations {
    fn name(&self) -> &'static str {
        "interchange-adjacent-enumerations"
    }

    fn description(&self) -> &'static str {
        "Tries other orders of nested loops over collections in additional plans."
    }

    fn makes_additional_plans(&self) -> bool {
        true
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        if plan.is_modification {
            return Ok(false);
        }
        for run in runs(&plan.nodes) {
            for order in orders(run.len()).into_iter().skip(1) {
                let mut other = plan.clone();
                let loops: Vec<Node> = order.iter().filter_map(|at| plan.nodes.get(run.start + at).cloned()).collect();
                other.nodes.splice(run.clone(), loops);
                context.add_plan(other);
            }
        }
        Ok(false)
    }
}

/// Runs of adjacent loops over collections at the top level that filters connect.
fn runs(nodes: &[Node]) -> Vec<std::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < nodes.len() {
        let length = nodes.iter().skip(start).take_while(|node| is_exchangeable(node)).count();
        let run = start..start + length.min(MAX_RUN);
        if length >= 2 && is_connected(nodes, run.clone()) && !limit_decides(nodes, run.end) {
            runs.push(run);
        }
        start += length.max(1);
    }
    runs
}

fn is_exchangeable(node: &Node) -> bool {
    match &node.kind {
        NodeKind::EnumerateCollection(scan) => !scan.random && scan.source.filter.is_none(),
        _ => false,
    }
}

/// Whether a filter compares documents of two of the loops.
fn is_connected(nodes: &[Node], run: std::ops::Range<usize>) -> bool {
    let Some(last) = run.end.checked_sub(1) else { return false };
    let documents: VariableSet =
        nodes.get(run).into_iter().flatten().filter_map(|node| Some(node.kind.source()?.out)).collect();
    let conditions = conditions_after(nodes, last);
    conditions.into_iter().any(|condition| {
        let whole = resolve(&condition.expression, nodes, 0, condition.position);
        compares(&whole, &documents)
    })
}

/// Whether an equality in the expression has documents of the set on both sides.
fn compares(expression: &Expression, documents: &VariableSet) -> bool {
    expression.any(&|part| match part {
        Expression::Compare { left, right, .. } => {
            left.variables().intersects(documents) && right.variables().intersects(documents)
        }
        Expression::In { value, list, .. } => {
            value.variables().intersects(documents) && list.variables().intersects(documents)
        }
        _ => false,
    })
}

/// Whether a LIMIT without a SORT before it picks rows by their order: another order would be another result.
fn limit_decides(nodes: &[Node], position: usize) -> bool {
    for node in nodes.iter().skip(position) {
        match &node.kind {
            NodeKind::Sort(_) | NodeKind::Collect(_) => return false,
            NodeKind::Limit(_) => return true,
            _ => {}
        }
    }
    false
}

/// All orders of `count` things, the given order first.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                let free = (0..count).filter(|next| !order.contains(next)).collect::<Vec<_>>();
                free.into_iter().map(move |next| order.iter().copied().chain(Some(next)).collect::<Vec<usize>>())
            })
            .collect();
    }
    orders
}
