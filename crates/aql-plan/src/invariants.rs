//! The invariants of plans, which debug builds and tests check.

use std::collections::HashSet;

use crate::node::{Node, NodeId, NodeKind};
use crate::plan::Plan;
use crate::variable::VariableId;
use crate::variable_set::VariableSet;

impl Plan {
    /// Returns the first invariant that the plan breaks, in words; `None` if it keeps all of them:
    ///
    /// - Every pipeline begins with the Singleton, which is nowhere else.
    /// - A node reads only variables that a node before it sets, in its pipeline or around it.
    /// - No two nodes have the same number, subqueries included.
    /// - An index scan has ranges, and each names one of its indexes.
    pub fn broken_invariant(&self) -> Option<String> {
        broken_in(&self.nodes, &VariableSet::default(), &mut HashSet::new())
    }
}

fn broken_in(nodes: &[Node], outer: &VariableSet, numbers: &mut HashSet<NodeId>) -> Option<String> {
    let mut known = outer.clone();
    for (position, node) in nodes.iter().enumerate() {
        let broken = |what: &str| Some(format!("node {} ({}) {what}", node.id.0, node.kind.name()));
        if matches!(node.kind, NodeKind::Singleton) != (position == 0) {
            return broken("is at the place of another kind of node");
        }
        if !numbers.insert(node.id) {
            return broken("has the number of another node");
        }
        if !node.kind.reads().is_subset(&known) {
            return broken("reads a variable that no node before it sets");
        }
        if !has_ranges(&node.kind) {
            return broken("has no ranges, or one of an unknown index");
        }
        if let NodeKind::Subquery(subquery) = &node.kind
            && let Some(inner) = broken_in(&subquery.nodes, &known, numbers)
        {
            return Some(inner);
        }
        if let Some(kept) = kept_by(&node.kind) {
            known = outer.clone();
            known.extend(&kept.iter().copied().collect());
        }
        known.extend(&node.kind.sets().into_iter().collect());
    }
    None
}

/// Returns the variables that a grouping keeps besides those that it sets.
fn kept_by(kind: &NodeKind) -> Option<&[VariableId]> {
    match kind {
        NodeKind::Collect(collect) => Some(&collect.kept),
        NodeKind::IndexCollect(node) => Some(&node.collect.kept),
        _ => None,
    }
}

fn has_ranges(kind: &NodeKind) -> bool {
    let scan = match kind {
        NodeKind::Index(scan) => &**scan,
        NodeKind::IndexCollect(node) => &node.scan,
        _ => return true,
    };
    !scan.ranges.is_empty() && scan.ranges.iter().all(|range| range.index < scan.indexes.len())
}
