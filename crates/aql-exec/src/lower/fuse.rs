//! Nodes that become part of another node's operator.

use aql_plan::{Calculation, EnumerateList, Expression, Node, NodeId, NodeKind, VariableId, VariableSet};

/// How a node is lowered.
#[derive(Clone, Copy)]
pub(super) enum Fused<'a> {
    /// By itself.
    Node,
    /// Not at all: another node does its work.
    Skip,
    /// A filter that evaluates its condition itself.
    Filter {
        /// The node that would have computed it.
        calculation: NodeId,
        /// The condition.
        condition: &'a Expression,
    },
    /// A loop over a range that is never written out as an array. Several loops may share one.
    Range {
        /// The loop.
        list: &'a EnumerateList,
        /// Where the range begins.
        first: &'a Expression,
        /// Where it ends.
        last: &'a Expression,
    },
}

/// How each node of a pipeline is lowered. Conditions are left to their own nodes without `fuse_filters`.
pub(super) fn fuse(nodes: &[Node], fuse_filters: bool) -> Vec<Fused<'_>> {
    let mut fused = vec![Fused::Node; nodes.len()];
    for (position, node) in nodes.iter().enumerate() {
        let found = match &node.kind {
            NodeKind::Filter { condition } if fuse_filters => fused_filter(nodes, position, *condition),
            NodeKind::EnumerateList(list) => fused_range(nodes, position, list),
            _ => None,
        };
        if let Some((source, how)) = found {
            for (slot, new) in [(source, Fused::Skip), (position, how)] {
                if let Some(slot) = fused.get_mut(slot) {
                    *slot = new;
                }
            }
        }
    }
    fused
}

/// A condition computed right before the filter, for it alone.
fn fused_filter(nodes: &[Node], position: usize, condition: VariableId) -> Option<(usize, Fused<'_>)> {
    let source = position.checked_sub(1)?;
    let node = nodes.get(source)?;
    let calculation = calculation_of(node, condition)?;
    let only_reader = !is_read(nodes.get(position + 1..)?, condition);
    let fused = Fused::Filter { calculation: node.id, condition: &calculation.expression };
    only_reader.then_some((source, fused))
}

/// A range computed in the same pipeline for nothing but loops. Its bounds are evaluated where each loop is instead:
/// their variables are still there, because variables are set once.
fn fused_range<'a>(
    nodes: &'a [Node],
    position: usize,
    list: &'a EnumerateList,
) -> Option<(usize, Fused<'a>)> {
    let before = nodes.get(..position)?;
    let source = before.iter().rposition(|node| calculation_of(node, list.input).is_some())?;
    let Expression::Range { first, last } = &calculation_of(before.get(source)?, list.input)?.expression
    else {
        return None;
    };
    let after = nodes.get(source + 1..)?;
    let last_loop = after.iter().rposition(|node| loops_over(node, list.input))?;
    let only_loops = after.iter().all(|node| loops_over(node, list.input) || !reads(node, list.input));
    // A grouping in between forgets the variables of the bounds.
    let is_kept = !after.iter().take(last_loop).any(|node| node.kind.is_grouping());
    let is_steady = first.is_deterministic() && last.is_deterministic();
    (only_loops && is_kept && is_steady).then_some((source, Fused::Range { list, first, last }))
}

/// Whether a node is a loop over a variable and reads it for nothing else.
fn loops_over(node: &Node, variable: VariableId) -> bool {
    match &node.kind {
        NodeKind::EnumerateList(list) => {
            list.input == variable && !list.filter.as_ref().is_some_and(|filter| filter.reads(variable))
        }
        _ => false,
    }
}

fn reads(node: &Node, variable: VariableId) -> bool {
    is_read(std::slice::from_ref(node), variable)
}

fn calculation_of(node: &Node, variable: VariableId) -> Option<&Calculation> {
    match &node.kind {
        NodeKind::Calculation(calculation) if calculation.out == variable => Some(calculation),
        _ => None,
    }
}

fn is_read(nodes: &[Node], variable: VariableId) -> bool {
    let mut reads = VariableSet::default();
    nodes.iter().for_each(|node| node.kind.collect_reads(&mut reads));
    reads.contains(variable)
}
