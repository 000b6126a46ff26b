//! Late materialization: an index scan passes on the covered attributes, and a later node fetches
//! the documents.

use std::collections::BTreeSet;

use aql_plan::{IndexScan, JoinPart, Materialize, Node, NodeKind, Projection, reads_of_pipeline};

use super::coverage::Entries;
use super::pipeline::Workshop;
use super::projection::{
    Path, collect_in_nodes, collect_paths, projection, replace_in_node, without_prefixed,
};

/// Returns the position of the LIMIT that decides which rows of the scan remain, after a sort or
/// filter of them.
pub(crate) fn limit_after(nodes: &[Node], position: usize) -> Option<usize> {
    let mut is_worthwhile = false;
    for (at, node) in nodes.iter().enumerate().skip(position + 1) {
        match &node.kind {
            NodeKind::Calculation(_) => {}
            NodeKind::Filter(_) | NodeKind::Sort(_) => is_worthwhile = true,
            NodeKind::Limit(_) => return is_worthwhile.then_some(at),
            _ => return None,
        }
    }
    None
}

/// Splits the scan at `position`, so that a node after the node at `last` fetches the documents.
///
/// `None` if the index does not cover the attributes that are read until then.
pub(crate) fn defer(
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

/// Splits the scan at `position`, and returns the part that fetches its documents. The caller puts
/// it after `last`.
pub(crate) fn split(
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
        others: Vec::new(),
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

/// Moves the node at `from`, which fetches the documents of the scan at `position`, after the node
/// at `last`.
///
/// `None` if the index does not cover the attributes that are read until then.
pub(crate) fn postpone(
    nodes: &mut Vec<Node>,
    position: usize,
    from: usize,
    last: usize,
    workshop: &mut Workshop<'_>,
) -> Option<()> {
    let NodeKind::Materialize(materialize) = &nodes.get(from)?.kind else { return None };
    let NodeKind::Index(scan) = &nodes.get(position)?.kind else { return None };
    let (document, index) = (materialize.out, scan.indexes.first()?);
    let between = nodes.get(from + 1..=last)?;
    let read = reads_of_pipeline(between);
    let (early, late): (Vec<Projection>, Vec<Projection>) =
        materialize.projections.iter().cloned().partition(|projection| read.contains(projection.out));
    let mut paths = BTreeSet::new();
    let is_covered = |path: &Path| index.has(path);
    if !collect_in_nodes(between, document, &mut paths)
        || !paths.iter().chain(early.iter().map(|projection| &projection.path)).all(is_covered)
        || (late.is_empty() && !early.is_empty())
    {
        return None;
    }
    let known = |path: &Path| scan.source.projections.iter().find(|projection| projection.path == *path);
    let read: Vec<Projection> = without_prefixed(paths)
        .into_iter()
        .map(|path| known(&path).cloned().unwrap_or_else(|| projection(path, workshop)))
        .collect();
    let is_new = |own: &&Projection| scan.source.projections.iter().all(|known| known.out != own.out);
    let added: Vec<Projection> = read.iter().filter(is_new).cloned().chain(early).collect();
    for node in nodes.iter_mut().take(last + 1).skip(from + 1) {
        replace_in_node(node, document, &read);
    }
    if let NodeKind::Index(scan) = &mut nodes.get_mut(position)?.kind {
        // The key stays the last one.
        let place = scan.source.projections.len().saturating_sub(1);
        scan.source.projections.splice(place..place, added);
    }
    let mut node = nodes.remove(from);
    if let NodeKind::Materialize(materialize) = &mut node.kind {
        materialize.projections = late;
    }
    nodes.insert(last, node);
    Some(())
}

/// Returns true if a separate node could fetch the documents of a scan.
pub(crate) fn is_eligible(scan: &IndexScan) -> bool {
    let [index] = scan.indexes.as_slice() else { return false };
    let source = &scan.source;
    let mut paths = BTreeSet::new();
    let covers_filter = source.filter.as_ref().is_none_or(|filter| {
        collect_paths(filter, source.out, &mut paths) && paths.iter().all(|path| index.has(path))
    });
    (index.capabilities.ordered || index.is_edge_index())
        && covers_filter
        && source.produces_result
        && !source.read_own_writes
        && source.count_into.is_none()
        && source.limit.is_none()
        && scan.join == JoinPart::None
}

/// Returns the attributes that the nodes read of the documents, as projections of the scan; `None`
/// if the index does not cover them.
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
    if !paths.iter().all(|path| index.has(path)) {
        return None;
    }
    let projections: Vec<Projection> = paths.into_iter().map(|path| projection(path, workshop)).collect();
    nodes.iter_mut().for_each(|node| replace_in_node(node, document, &projections));
    Some(projections)
}

/// Removes from the scan the projections that the nodes do not read, and returns them; `None` if
/// the index covers all, or too few.
fn take_late_projections(scan: &mut IndexScan, nodes: &[Node]) -> Option<Vec<Projection>> {
    let index = scan.indexes.first()?;
    let read = reads_of_pipeline(nodes);
    let is_covered = |projection: &Projection| index.has(&projection.path);
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
