//! `push-down-late-materialization`: fetches the documents of an index scan after sorts and filters
//! that read only covered attributes.
//!
//! As in ArangoDB, plans name the rule wherever documents are fetched late, even if it did not move
//! that step.

use aql_plan::{Node, NodeKind, Plan};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::late::{defer, split};
use crate::analysis::pipeline::{Workshop, for_each_pipeline};

pub(super) struct PushDownLateMaterialization;

impl Rule for PushDownLateMaterialization {
    fn name(&self) -> &'static str {
        "push-down-late-materialization"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of an index scan after sorts and filters, where the index covers what they read."
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
