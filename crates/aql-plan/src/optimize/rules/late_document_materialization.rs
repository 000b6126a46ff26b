//! `late-document-materialization`: an index scan before a LIMIT hands on what the index covers and the keys of
//! documents; the documents are fetched after the LIMIT.

use super::optimize_projections::covered_by;
use super::reduce_extraction_to_projection::{
    collect_in_nodes, collect_paths, projection, replace_in_node, without_prefixed,
};
use super::{Rule, RuleContext};
use crate::node::{IndexScan, JoinPart, Materialize, Node, NodeKind, Projection};
use crate::optimize::pipeline::{Workshop, for_each_pipeline};
use crate::plan::Plan;
use crate::usage::reads_of_pipeline;
use aql_value::Result;
use std::collections::BTreeSet;

pub(super) struct LateDocumentMaterialization;

impl Rule for LateDocumentMaterialization {
    fn name(&self) -> &'static str {
        "late-document-materialization"
    }

    fn description(&self) -> &'static str {
        "Fetches the documents of an index scan after a LIMIT, where the index covers what is read before."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                if let Some(limit) = limit_after(nodes, position) {
                    changed |= defer(nodes, position, limit, workshop).is_some();
                }
            }
            Ok(changed)
        })
    }
}

/// Splits the scan at a position, so that documents are fetched behind another; `None` if the index does not cover what
/// is read until then.
pub(super) fn defer(
    nodes: &mut Vec<Node>,
    position: usize,
    last: usize,
    workshop: &mut Workshop<'_>,
) -> Option<()> {
    let materialize = split(nodes, position, last, workshop)?;
    let node = workshop.node(NodeKind::Materialize(Box::new(materialize)));
    nodes.insert(last + 1, node);
    Some(())
}

/// Leaves the documents of the scan at a position to a node that is to follow another.
pub(super) fn split(
    nodes: &mut [Node],
    position: usize,
    last: usize,
    workshop: &mut Workshop<'_>,
) -> Option<Materialize> {
    let (before, after) = nodes.split_at_mut_checked(position + 1)?;
    let NodeKind::Index(scan) = &mut before.last_mut()?.kind else { return None };
    let between = after.get_mut(..last.checked_sub(position)?)?;
    if !is_eligible(scan) {
        return None;
    }
    let key = projection(vec!["_key".into()], workshop);
    let mut materialize = Materialize {
        collection: scan.source.collection.clone(),
        key: key.out,
        out: scan.source.out,
        projections: Vec::new(),
    };
    if scan.source.projections.is_empty() {
        scan.source.projections = early_attributes(scan, between, workshop)?;
    } else {
        materialize.projections = take_late_projections(scan, between)?;
    }
    scan.source.projections.push(key);
    Some(materialize)
}

/// Position of the LIMIT that decides which rows of the scan remain, after a sort or filter of them.
fn limit_after(nodes: &[Node], position: usize) -> Option<usize> {
    let mut is_worthwhile = false;
    for (at, node) in nodes.iter().enumerate().skip(position + 1) {
        match &node.kind {
            NodeKind::Calculation(_) => {}
            NodeKind::Filter { .. } | NodeKind::Sort(_) => is_worthwhile = true,
            NodeKind::Limit(_) => return is_worthwhile.then_some(at),
            _ => return None,
        }
    }
    None
}

/// Whether the documents of a scan could be fetched by a node of their own.
pub(super) fn is_eligible(scan: &IndexScan) -> bool {
    let [index] = scan.indexes.as_slice() else { return false };
    let source = &scan.source;
    let mut paths = BTreeSet::new();
    let covers_filter = source.filter.as_ref().is_none_or(|filter| {
        collect_paths(filter, source.out, &mut paths)
            && paths.iter().all(|path| covered_by(index, path).is_some())
    });
    (index.capabilities.ordered || index.is_edge_index())
        && covers_filter
        && source.produces_result
        && !source.read_own_writes
        && source.count_into.is_none()
        && source.limit.is_none()
        && scan.join == JoinPart::None
}

/// What the nodes read of the documents, as projections of the scan; `None` if the index does not cover it.
fn early_attributes(
    scan: &IndexScan,
    nodes: &mut [Node],
    workshop: &mut Workshop<'_>,
) -> Option<Vec<Projection>> {
    let index = scan.indexes.first()?;
    let document = scan.source.out;
    let mut paths = BTreeSet::new();
    if !collect_in_nodes(nodes, document, &mut paths) {
        return None;
    }
    let paths = without_prefixed(paths);
    if !paths.iter().all(|path| covered_by(index, path).is_some()) {
        return None;
    }
    let projections: Vec<Projection> = paths.into_iter().map(|path| projection(path, workshop)).collect();
    nodes.iter_mut().for_each(|node| replace_in_node(node, document, &projections));
    Some(projections)
}

/// Takes the projections that the nodes do not read out of the scan; `None` if the index covers all, or too little.
fn take_late_projections(scan: &mut IndexScan, nodes: &[Node]) -> Option<Vec<Projection>> {
    let index = scan.indexes.first()?;
    let read = reads_of_pipeline(nodes);
    let is_covered = |projection: &Projection| covered_by(index, &projection.path).is_some();
    let projections = &scan.source.projections;
    if projections.iter().all(is_covered)
        || !projections.iter().filter(|projection| read.contains(projection.out)).all(is_covered)
    {
        return None;
    }
    let (early, late) = std::mem::take(&mut scan.source.projections)
        .into_iter()
        .partition(|projection| read.contains(projection.out));
    scan.source.projections = early;
    Some(late)
}
