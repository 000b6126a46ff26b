//! Fusion of nodes into another node's operator.

use aql_plan::{
    Calculation, CollectMethod, EnumerateList, Expression, Filter, Node, NodeId, NodeKind, VariableId,
    VariableSet,
};
use aql_value::{Function, Interrupt};
use errors::Result;

/// The way in which a node is lowered.
#[derive(Clone, Copy)]
pub(super) enum Fused<'a> {
    /// It gets its own operator.
    Node,
    /// It gets none: another node does its work.
    Skip,
    /// A filter that evaluates its condition itself.
    Filter {
        /// The node that would have computed it.
        calculation: NodeId,
        /// The condition.
        condition: &'a Expression,
    },
    /// A loop over a range that is never materialized as an array. Several loops may share one.
    Range {
        /// The loop.
        list: &'a EnumerateList,
        /// The start of the range.
        first: &'a Expression,
        /// The end of the range.
        last: &'a Expression,
    },
    /// A loop over the result of a function that gives one element after the other.
    Rows {
        /// The loop.
        list: &'a EnumerateList,
        /// The function.
        function: &'static Function,
        /// Its arguments.
        arguments: &'a [Expression],
    },
    /// A scan that counts its documents, for the COLLECT after it.
    CountedScan {
        /// The variable of their number.
        count: VariableId,
    },
}

/// The node that is skipped, and the one that is lowered in another way.
type Fusion<'a> = (usize, (usize, Fused<'a>));

/// Returns how each node of a pipeline is lowered.
///
/// Without `fuse_results`, conditions and counts keep their own nodes.
///
/// Errors: 1500 for a query that was ended.
pub(super) fn fuse<'a>(
    nodes: &'a [Node],
    fuse_results: bool,
    interrupt: &Interrupt,
) -> Result<Vec<Fused<'a>>> {
    let mut fused = vec![Fused::Node; nodes.len()];
    let read_later = conditions_read_later(nodes);
    for ((position, node), read_later) in nodes.iter().enumerate().zip(read_later) {
        interrupt.check()?;
        let found = match &node.kind {
            NodeKind::Filter(Filter { condition, .. }) if fuse_results && !read_later => {
                fused_filter(nodes, position, *condition)
            }
            NodeKind::Collect(_) if fuse_results => counted_scan(nodes, position),
            NodeKind::EnumerateList(list) => fused_list(nodes, position, list),
            _ => None,
        };
        if let Some((skipped, (changed, how))) = found {
            for (slot, new) in [(skipped, Fused::Skip), (changed, how)] {
                if let Some(slot) = fused.get_mut(slot) {
                    *slot = new;
                }
            }
        }
    }
    Ok(fused)
}

/// Returns for each node, if it is a filter, whether nodes after it read its condition.
fn conditions_read_later(nodes: &[Node]) -> Vec<bool> {
    let mut reads = VariableSet::default();
    let mut read_later = Vec::with_capacity(nodes.len());
    for node in nodes.iter().rev() {
        read_later.push(match &node.kind {
            NodeKind::Filter(Filter { condition, .. }) => reads.contains(*condition),
            _ => false,
        });
        node.kind.collect_reads(&mut reads);
    }
    read_later.reverse();
    read_later
}

/// Fuses a condition that is computed right before the filter. No node after that reads it.
fn fused_filter(nodes: &[Node], position: usize, condition: VariableId) -> Option<Fusion<'_>> {
    let source = position.checked_sub(1)?;
    let node = nodes.get(source)?;
    let calculation = calculation_of(node, condition)?;
    let fused = Fused::Filter { calculation: node.id, condition: &calculation.expression };
    Some((source, (position, fused)))
}

/// Fuses a range, or a function that gives rows, that is computed in the same pipeline for nothing
/// but loops.
///
/// Each loop evaluates the bounds or arguments instead. Their variables still have the same values,
/// because variables are set once. Such a function sees the state at the start of the query, so
/// each loop gets the same rows.
fn fused_list<'a>(nodes: &'a [Node], position: usize, list: &'a EnumerateList) -> Option<Fusion<'a>> {
    let before = nodes.get(..position)?;
    let source = before.iter().rposition(|node| calculation_of(node, list.input).is_some())?;
    let (fused, operands) = match &calculation_of(before.get(source)?, list.input)?.expression {
        Expression::Range { first, last } => (Fused::Range { list, first, last }, vec![&**first, &**last]),
        Expression::Call { function, arguments } if function.rows.is_some() => {
            (Fused::Rows { list, function, arguments }, arguments.iter().collect())
        }
        _ => return None,
    };
    let after = nodes.get(source + 1..)?;
    let last_loop = after.iter().rposition(|node| loops_over(node, list.input))?;
    let only_loops = after.iter().all(|node| loops_over(node, list.input) || !reads(node, list.input));
    // A grouping in between drops the variables of the bounds.
    let is_kept = !after.iter().take(last_loop).any(|node| node.kind.is_grouping());
    let is_steady = operands.iter().all(|operand| operand.is_deterministic());
    (only_loops && is_kept && is_steady).then_some((source, (position, fused)))
}

/// Fuses `FOR d IN c COLLECT WITH COUNT INTO n` if the documents are not read.
///
/// The scan counts them, without a row for each. It runs once, so that there is one number.
fn counted_scan(nodes: &[Node], position: usize) -> Option<Fusion<'_>> {
    let NodeKind::Collect(collect) = &nodes.get(position)?.kind else { return None };
    let count = collect.aggregates.first().filter(|_| collect.method == CollectMethod::Count)?.out;
    let scan = position.checked_sub(1)?;
    let source = nodes.get(scan)?.kind.source()?;
    let is_random = matches!(&nodes.get(scan)?.kind, NodeKind::EnumerateCollection(scan) if scan.random);
    let is_run_once = nodes.iter().take(scan).all(|node| {
        matches!(node.kind, NodeKind::Singleton | NodeKind::Calculation(_) | NodeKind::Subquery(_))
    });
    let is_countable =
        !source.produces_result && source.count_into.is_none() && source.limit.is_none() && !is_random;
    // In a group without rows they would be null.
    let after = nodes.get(position + 1..)?;
    let read = reads_of(after);
    let keeps_none = !collect.kept.iter().any(|kept| read.contains(*kept));
    (is_countable && is_run_once && keeps_none).then_some((position, (scan, Fused::CountedScan { count })))
}

/// Returns true if a node is a loop over a variable and reads it for nothing else.
fn loops_over(node: &Node, variable: VariableId) -> bool {
    match &node.kind {
        NodeKind::EnumerateList(list) => {
            list.input == variable && !list.filter.as_ref().is_some_and(|filter| filter.reads(variable))
        }
        _ => false,
    }
}

fn reads(node: &Node, variable: VariableId) -> bool {
    reads_of(std::slice::from_ref(node)).contains(variable)
}

fn calculation_of(node: &Node, variable: VariableId) -> Option<&Calculation> {
    match &node.kind {
        NodeKind::Calculation(calculation) if calculation.out == variable => Some(calculation),
        _ => None,
    }
}

fn reads_of(nodes: &[Node]) -> VariableSet {
    let mut reads = VariableSet::default();
    nodes.iter().for_each(|node| node.kind.collect_reads(&mut reads));
    reads
}
