//! `push-down-late-materialization`: fetches the documents of an index scan after sorts and filters
//! that read only covered attributes, and after limits.
//!
//! As in ArangoDB, plans name the rule wherever documents are fetched late, even if it did not move
//! that step.

use aql_plan::{Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::late::{defer, postpone, split};
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct PushDownLateMaterialization;

impl Rule for PushDownLateMaterialization {
    fn name(&self) -> &'static str {
        "push-down-late-materialization"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of an index scan after limits, and after sorts and filters that an index covers."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                if let Some(NodeKind::Materialize(_)) = nodes.get(position + 1).map(|node| &node.kind) {
                    push_down(nodes, position, workshop);
                } else if let Some(last) = last_sort_or_filter(nodes, position) {
                    defer(nodes, position, last, workshop);
                }
                push_further(nodes, position, workshop);
            }
            Ok(nodes.iter().any(|node| matches!(node.kind, NodeKind::Materialize(_))))
        })
    }
}

/// Moves the node after the scan at a position, which fetches its documents, after the sorts and
/// filters that follow. The index must cover the attributes that they read.
fn push_down(nodes: &mut Vec<Node>, position: usize, workshop: &mut Workshop<'_>) -> Option<()> {
    let last = last_sort_or_filter(nodes, position + 1)? - 1;
    let as_it_was = nodes.get(position)?.clone();
    let mut node = nodes.remove(position + 1);
    let scan = nodes.get_mut(position)?;
    match undo_split(scan, &node).and_then(|()| split(nodes, position, last, workshop)) {
        Some(materialize) => {
            node.kind = NodeKind::Materialize(Box::new(materialize));
            nodes.insert(last + 1, node);
        }
        None => {
            *nodes.get_mut(position)? = as_it_was;
            nodes.insert(position + 1, node);
        }
    }
    Some(())
}

/// Moves the node that fetches the documents of the scan at a position over the limits, filters and
/// sorts that follow it, as far as the index covers what they read.
fn push_further(nodes: &mut Vec<Node>, position: usize, workshop: &mut Workshop<'_>) {
    let Some(mut from) = materialize_of(nodes, position) else { return };
    while let Some(next) = next_reducer(nodes, from)
        && postpone(nodes, position, from, next, workshop).is_some()
    {
        from = next;
    }
}

/// Returns the position of the node that fetches the documents of the scan at a position.
fn materialize_of(nodes: &[Node], position: usize) -> Option<usize> {
    let NodeKind::Index(scan) = &nodes.get(position)?.kind else { return None };
    let from = (position + 1..nodes.len()).find(|at| nodes.get(*at).is_none_or(|node| !is_passable(node)))?;
    match &nodes.get(from)?.kind {
        NodeKind::Materialize(node) => {
            scan.source.projections.last().is_some_and(|key| key.out == node.key).then_some(from)
        }
        _ => None,
    }
}

/// Returns the position of the next limit, filter or sort, if only calculations are before it.
fn next_reducer(nodes: &[Node], from: usize) -> Option<usize> {
    let is_calculation =
        |at: &usize| nodes.get(*at).is_some_and(|node| matches!(node.kind, NodeKind::Calculation(_)));
    let next = (from + 1..nodes.len()).find(|at| !is_calculation(at))?;
    nodes.get(next).is_some_and(is_passable).then_some(next)
}

fn is_passable(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Calculation(_) | NodeKind::Filter(_) | NodeKind::Sort(_) | NodeKind::Limit(_)
    )
}

/// Lets the scan fetch its documents again.
fn undo_split(scan: &mut Node, materialize: &Node) -> Option<()> {
    let (NodeKind::Index(scan), NodeKind::Materialize(materialize)) = (&mut scan.kind, &materialize.kind)
    else {
        return None;
    };
    let is_its_own = scan.source.projections.pop_if(|last| last.out == materialize.key).is_some();
    if !is_its_own || !scan.source.projections.is_empty() {
        return None;
    }
    scan.source.projections = materialize.projections.clone();
    Some(())
}

/// Returns the position of the last sort or filter that follows the scan.
fn last_sort_or_filter(nodes: &[Node], position: usize) -> Option<usize> {
    let after = nodes.iter().enumerate().skip(position + 1);
    after
        .take_while(|(_, node)| {
            matches!(node.kind, NodeKind::Calculation(_) | NodeKind::Filter(_) | NodeKind::Sort(_))
        })
        .filter(|(_, node)| !matches!(node.kind, NodeKind::Calculation(_)))
        .last()
        .map(|(position, _)| position)
}
