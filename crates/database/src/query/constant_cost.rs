//! Plans with constant cost: they take microseconds for any data, so they may run on the
//! connection's thread.

use aql_plan::{Expression, IndexLookup, IndexScan, Node, NodeKind, Plan};

/// Maximum number of nodes. A larger plan takes longer to start than to move to the worker pool.
const MAX_NODES: usize = 16;
/// Maximum number of lookups. More of them may wait for the disk too often.
const MAX_LOOKUPS: usize = 4;

/// Returns true if a plan computes a row or two from constants, or looks up a few documents by key.
pub(crate) fn has_constant_cost(plan: &Plan) -> bool {
    !plan.is_modification && plan.nodes.len() <= MAX_NODES && plan.nodes.iter().all(is_cheap_node)
}

fn is_cheap_node(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Singleton
        | NodeKind::NoResults
        | NodeKind::Filter(_)
        | NodeKind::Limit(_)
        | NodeKind::Return(_) => true,
        NodeKind::Calculation(calculation) => is_cheap_expression(&calculation.expression),
        NodeKind::Index(scan) => finds_one(scan),
        _ => false,
    }
}

/// Returns true for an equality on the key, or on all fields of a unique index.
fn finds_one(scan: &IndexScan) -> bool {
    let filter_is_cheap = scan.source.filter.as_ref().is_none_or(is_cheap_expression);
    filter_is_cheap
        && scan.ranges.len() <= MAX_LOOKUPS
        && scan.ranges.iter().all(|range| {
            let Some(index) = scan.indexes.get(range.index) else { return false };
            let equal = range.lookups.iter().all(|lookup| matches!(lookup, IndexLookup::Equal(_)));
            let fields = if index.capabilities.clustered { 1 } else { index.fields.len() };
            equal && index.unique && range.lookups.len() == fields
        })
}

/// Returns true if an expression is cheap for any data.
///
/// Non-deterministic functions may also wait (`SLEEP`) or read (`DOCUMENT`). An expression over an
/// array takes as long as the array.
fn is_cheap_expression(expression: &Expression) -> bool {
    let is_long = |part: &Expression| {
        matches!(part, Expression::Expansion(_) | Expression::ArrayQuestion(_) | Expression::Range { .. })
    };
    expression.is_cacheable() && !expression.any(&is_long)
}
