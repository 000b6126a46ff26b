//! The removal of conditions from filters, if another node has come to guarantee them.

use super::condition::conditions_after;
use super::pipeline::Workshop;
use aql_plan::{Expression, Filter, Node, NodeKind};

/// Keeps only the conditions for which `is_open` holds, in the filters that all rows of the node at
/// `position` pass.
///
/// Returns true if any was dropped. `is_open` gets conditions as [`conditions_after`] resolves
/// them.
pub(crate) fn retain_conjuncts(
    nodes: &mut Vec<Node>,
    position: usize,
    workshop: &mut Workshop<'_>,
    is_open: &dyn Fn(&Expression) -> bool,
) -> bool {
    let changed = conditions_after(nodes, position).into_iter().filter_map(|condition| {
        let conjuncts = condition.expression.into_conjuncts();
        let count = conjuncts.len();
        let rest: Vec<Expression> = conjuncts.into_iter().filter(|conjunct| is_open(conjunct)).collect();
        (rest.len() < count).then_some((condition.position, rest))
    });
    let changed: Vec<(usize, Vec<Expression>)> = changed.collect();
    // Change the last filter first, so that positions stay valid.
    for (filter, rest) in changed.iter().rev() {
        let Some(rest) = Expression::conjunction(rest.clone()) else {
            nodes.remove(*filter);
            continue;
        };
        let (condition, calculation) = workshop.calculation(rest);
        if let Some(node) = nodes.get_mut(*filter) {
            node.kind = NodeKind::Filter(Filter { condition });
        }
        nodes.insert(*filter, calculation);
    }
    !changed.is_empty()
}
