//! The removal of conditions from filters, if another node has come to guarantee them.

use aql_plan::{Expression, Node, NodeKind};
use aql_value::Interrupt;
use errors::Result;

use super::condition::conditions_after;
use super::pipeline::Workshop;

/// Keeps only the conditions for which `is_open` holds, in the filters that all rows of the node at
/// `position` pass.
///
/// Returns true if any was dropped. `is_open` gets conditions as [`conditions_after`] resolves
/// them. Errors: those of `is_open`, and 1500 for a query that was ended.
pub(crate) fn retain_conjuncts(
    nodes: &mut Vec<Node>,
    position: usize,
    workshop: &mut Workshop<'_>,
    interrupt: &Interrupt,
    is_open: &mut dyn FnMut(&Expression) -> Result<bool>,
) -> Result<bool> {
    let mut changed: Vec<(usize, Vec<Expression>)> = Vec::new();
    for condition in conditions_after(nodes, position, interrupt) {
        let conjuncts = condition.expression.into_conjuncts();
        let count = conjuncts.len();
        let mut rest = Vec::with_capacity(count);
        for conjunct in conjuncts {
            interrupt.check()?;
            if is_open(&conjunct)? {
                rest.push(conjunct);
            }
        }
        if rest.len() < count {
            changed.push((condition.position, rest));
        }
    }
    let has_changed = !changed.is_empty();
    replace_filters(nodes, changed, workshop);
    Ok(has_changed)
}

/// Lets each filter check only the given conditions. Nodes without conditions are removed.
///
/// The filters are given with their positions, in ascending order.
pub(crate) fn replace_filters(
    nodes: &mut Vec<Node>,
    filters: Vec<(usize, Vec<Expression>)>,
    workshop: &mut Workshop<'_>,
) {
    // Change the last filter first, so that positions stay valid.
    for (filter, rest) in filters.into_iter().rev() {
        let Some(rest) = Expression::conjunction(rest) else {
            nodes.remove(filter);
            continue;
        };
        let (condition, calculation) = workshop.calculation(rest);
        if let Some(NodeKind::Filter(filter)) = nodes.get_mut(filter).map(|node| &mut node.kind) {
            filter.condition = condition;
        }
        nodes.insert(filter, calculation);
    }
}
