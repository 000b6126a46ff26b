//! Sorts whose order searches provide: that of the primary sort order of their indexes.

use aql_plan::{Expression, Node, NodeKind, VariableId, ViewSortField};

use super::condition::{as_field, resolve};
use super::sort_order::{following_limit, sort_after};

/// A sort whose order a search can provide.
pub(crate) struct PrimarySort {
    /// The position of the sort.
    position: usize,
    /// The number of its criteria.
    sorted: usize,
    /// The number of rows that are wanted of all; `None` for all.
    limit: Option<u64>,
}

/// Returns the sort of the rows of the loop at a position by leading attributes of a primary sort
/// order, in its directions.
pub(crate) fn primary_sort(
    nodes: &[Node],
    loop_at: usize,
    document: VariableId,
    order: &[ViewSortField],
) -> Option<PrimarySort> {
    let (position, sort) = sort_after(nodes, loop_at).filter(|(_, sort)| sort.limit.is_none())?;
    let sorted = sort.elements.len();
    let fields = order.get(..sorted)?;
    let is_met = sort.elements.iter().zip(fields).all(|(element, field)| {
        let value = resolve(&Expression::Variable(element.input), nodes, loop_at, position);
        let is_id = field.path.first().is_some_and(|name| **name == *"_id");
        element.ascending == field.ascending
            && !is_id
            && as_field(&value, document).is_some_and(|own| own.path == field.path)
    });
    let mut between = nodes.iter().take(position).skip(loop_at + 1);
    let keeps_rows = between.all(|node| matches!(node.kind, NodeKind::Calculation(_)));
    let limit = following_limit(nodes, position).filter(|_| keeps_rows);
    is_met.then_some(PrimarySort { position, sorted, limit })
}

/// Lets the search at a position provide the order of a sort, and removes the sort. Returns true if
/// it does.
pub(crate) fn use_primary_sort(nodes: &mut Vec<Node>, position: usize) -> bool {
    let Some(NodeKind::EnumerateView(search)) = nodes.get(position).map(|node| &node.kind) else {
        return false;
    };
    // Scores belong to the order of the terms.
    if search.sorted > 0 || !search.order.is_empty() || !search.scores.is_empty() {
        return false;
    }
    let order = &search.view.primary_sort;
    // As in ArangoDB, a scan of an index has one direction.
    let ascending = order.first().is_some_and(|field| field.ascending);
    let one_direction = order.iter().take_while(|field| field.ascending == ascending).count();
    let usable = if search.hinted.is_some() { one_direction } else { order.len() };
    let order = order.get(..usable).unwrap_or_default();
    let Some(sort) = primary_sort(nodes, position, search.out, order) else { return false };
    if let Some(NodeKind::EnumerateView(search)) = nodes.get_mut(position).map(|node| &mut node.kind) {
        (search.sorted, search.limit) = (sort.sorted, sort.limit);
    }
    nodes.remove(sort.position);
    true
}
