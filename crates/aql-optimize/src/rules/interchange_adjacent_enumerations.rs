//! `interchange-adjacent-enumerations`: makes additional plans with other orders of nested loops
//! over collections that a condition joins.
//!
//! The best order depends on indexes, so the cost of the finished plans decides. The rule exchanges
//! only loops over collections, whose order is undefined anyway. A filter must connect them,
//! because otherwise the order makes no difference to indexes. If all plans are wanted, the rule
//! also exchanges loops over lists and unconnected loops, as ArangoDB does. Only explain asks for
//! all plans, so none of these is executed.

use std::ops::Range;

use aql_plan::{EnumerateList, Expression, Filter, Node, NodeKind, Plan, VariableSet};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::resolve;
use crate::analysis::conjunction;

pub(super) struct InterchangeAdjacentEnumerations;

/// The maximum number of loops whose orders are all tried: 4! = 24 plans.
const MAX_LOOPS: usize = 4;

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
        let interrupt = context.interrupt;
        for segment in segments(&plan.nodes, context.all_plans, context.interrupt) {
            let Some(nodes) = plan.nodes.get(segment.clone()) else { continue };
            let (loops, rest): (Vec<&Node>, Vec<&Node>) = nodes.iter().partition(|node| node.kind.is_loop());
            for order in orders(loops.len()).into_iter().skip(1) {
                let reordered = order.iter().filter_map(|position| loops.get(*position).copied());
                let reordered = reordered.chain(rest.iter().copied());
                context.add_copy(plan, |other| {
                    other.nodes.splice(segment.clone(), reordered.cloned());
                    // In another order of loops, other conditions can move up.
                    conjunction::split(other, interrupt)
                })?;
            }
        }
        Ok(false)
    }
}

/// Returns the segments of the pipeline with nested loops that filters connect, or with any nested
/// loops if `all` are wanted.
///
/// Filters and calculations between the loops go after them. Later rules move them up as far as
/// the new order allows.
fn segments(nodes: &[Node], all: bool, interrupt: &Interrupt) -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    let mut start = 0;
    while start < nodes.len() && !interrupt.is_set() {
        let segment = start..segment_end(nodes, start, all);
        start = segment.end.max(start + 1);
        if (all || is_connected(nodes, segment.clone())) && !limit_decides(nodes, segment.end) {
            segments.push(segment);
        }
    }
    segments
}

fn segment_end(nodes: &[Node], start: usize, all: bool) -> usize {
    let mut loops = 0;
    let mut set_within = VariableSet::default();
    for (position, node) in nodes.iter().enumerate().skip(start) {
        let is_list = |list: &EnumerateList| all && list.object.is_none() && !set_within.contains(list.input);
        let is_exchangeable = match &node.kind {
            NodeKind::EnumerateList(list) => is_list(list),
            kind => is_full_scan(kind),
        };
        loops += usize::from(is_exchangeable);
        if loops > MAX_LOOPS || !(is_exchangeable || is_movable(node)) {
            return position;
        }
        set_within.extend(&node.kind.sets().into_iter().collect());
    }
    nodes.len()
}

fn is_full_scan(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::EnumerateCollection(scan) if !scan.random && scan.source.filter.is_none())
}

fn is_movable(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Filter(_) => true,
        NodeKind::Calculation(calculation) => calculation.expression.is_deterministic(),
        _ => false,
    }
}

/// Returns true if a filter compares documents of two of the loops.
fn is_connected(nodes: &[Node], segment: Range<usize>) -> bool {
    let Some(within) = nodes.get(segment.clone()) else { return false };
    let documents: VariableSet = within
        .iter()
        .filter(|node| is_full_scan(&node.kind))
        .filter_map(|node| Some(node.kind.source()?.out))
        .collect();
    within.iter().enumerate().any(|(offset, node)| match &node.kind {
        NodeKind::Filter(Filter { condition, .. }) => {
            let position = segment.start + offset;
            compares(&resolve(&Expression::Variable(*condition), nodes, 0, position), &documents)
        }
        _ => false,
    })
}

/// Returns true if a comparison in the expression has documents of two loops on its sides.
fn compares(expression: &Expression, documents: &VariableSet) -> bool {
    expression.any(&|part| match part {
        Expression::Compare { left, right, .. } | Expression::In { value: left, list: right, .. } => {
            let (left, right) = (left.variables(), right.variables());
            left != right && left.intersects(documents) && right.intersects(documents)
        }
        _ => false,
    })
}

/// Returns true if a LIMIT without a SORT before it selects rows by their order: another order
/// would change the result.
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

/// Returns all orders of `count` items, the given order first.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                let free = (0..count).filter(|next| !order.contains(next)).collect::<Vec<_>>();
                free.into_iter()
                    .map(move |next| order.iter().copied().chain(Some(next)).collect::<Vec<usize>>())
            })
            .collect();
    }
    orders
}
