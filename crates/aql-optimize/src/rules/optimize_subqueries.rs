//! `optimize-subqueries`: a subquery does no more than its use demands: the first result, the
//! number of results, or the existence of a result.

use aql_plan::{Expression, Limit, Node, NodeKind, Plan};
use aql_value::Value;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::demand::{Demand, demand_of};
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct OptimizeSubqueries;

impl Rule for OptimizeSubqueries {
    fn name(&self) -> &'static str {
        "optimize-subqueries"
    }

    fn description(&self) -> &'static str {
        "Limits subqueries if only their first result or their number of results is used."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let (before, after) = nodes.split_at_mut(position + 1);
                let Some(node) = before.last_mut() else { continue };
                let is_eligible = node.kind.is_deterministic();
                if let NodeKind::Subquery(subquery) = &mut node.kind
                    && is_eligible
                {
                    let demand = demand_of(after, subquery.out);
                    changed |= reduce(&mut subquery.nodes, demand, workshop);
                }
            }
            Ok(changed)
        })
    }
}

fn reduce(nodes: &mut Vec<Node>, demand: Demand, workshop: &mut Workshop<'_>) -> bool {
    let limited = matches!(demand, Demand::First | Demand::Existence) && limit_to_one(nodes, workshop);
    let counted = matches!(demand, Demand::Count | Demand::Existence) && return_constant(nodes, workshop);
    limited | counted
}

/// Adds LIMIT 1 before the Return, unless there is such a limit.
fn limit_to_one(nodes: &mut Vec<Node>, workshop: &mut Workshop<'_>) -> bool {
    let Some(NodeKind::Return(_)) = nodes.last().map(|node| &node.kind) else { return false };
    let has_limit = nodes.iter().rev().skip(1).find_map(|node| match &node.kind {
        NodeKind::Limit(limit) => Some(limit.limit <= 1),
        NodeKind::Calculation(_) => None,
        _ => Some(false),
    });
    let yields_many = nodes.iter().any(|node| node.kind.is_loop());
    if has_limit == Some(true) || !yields_many {
        return false;
    }
    let limit = workshop.node(NodeKind::Limit(Limit { offset: 0, limit: 1, full_count: false }));
    nodes.insert(nodes.len() - 1, limit);
    true
}

/// Returns a constant from the subquery instead of a value that is only counted.
fn return_constant(nodes: &mut Vec<Node>, workshop: &mut Workshop<'_>) -> bool {
    let Some(NodeKind::Return(node)) = nodes.last().map(|node| &node.kind) else { return false };
    let input = node.input;
    let is_constant = nodes.iter().any(|node| match &node.kind {
        NodeKind::Calculation(calculation) => calculation.out == input && calculation.expression.is_fixed(),
        _ => false,
    });
    if is_constant {
        return false;
    }
    let (out, calculation) = workshop.calculation(Expression::Constant(Value::Bool(true)));
    if let Some(NodeKind::Return(node)) = nodes.last_mut().map(|node| &mut node.kind) {
        node.input = out;
    }
    nodes.insert(nodes.len() - 1, calculation);
    true
}
