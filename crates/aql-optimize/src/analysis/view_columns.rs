//! Attributes that the indexes of a view store in addition to their terms.

use std::collections::BTreeSet;

use aql_plan::{EnumerateView, Materialize, Node, NodeKind};

use super::coverage::{Entries, cover as cover_projections, covered_projections};
use super::pipeline::Workshop;
use super::projection::{collect_in_nodes, projection, replace_in_node, used_paths};

/// Lets the search at a position pass on what its indexes store, if the nodes after it read
/// nothing else of its documents.
pub(crate) fn cover(nodes: &mut [Node], position: usize, workshop: &mut Workshop<'_>) {
    let Some((before, after)) = nodes.split_at_mut_checked(position + 1) else { return };
    let Some(search) = before.last_mut().and_then(eligible) else { return };
    let Some(paths) = used_paths(after, search.out).filter(|paths| !paths.is_empty()) else { return };
    if let Some(projections) = covered_projections(&*search.view, paths, workshop) {
        after.iter_mut().for_each(|node| replace_in_node(node, search.out, &projections));
        search.projections = projections;
    }
}

/// Lets a node after the one at `last` fetch the documents of the search at a position. Returns
/// true if the indexes store all that is read of them until then.
pub(crate) fn defer(
    nodes: &mut Vec<Node>,
    position: usize,
    last: usize,
    workshop: &mut Workshop<'_>,
) -> bool {
    match split(nodes, position, last, workshop) {
        Some(materialize) => {
            let node = workshop.node(NodeKind::Materialize(Box::new(materialize)));
            nodes.insert(last + 1, node);
            true
        }
        None => false,
    }
}

fn split(
    nodes: &mut [Node],
    position: usize,
    last: usize,
    workshop: &mut Workshop<'_>,
) -> Option<Materialize> {
    let (before, after) = nodes.split_at_mut_checked(position + 1)?;
    let search = eligible(before.last_mut()?)?;
    let all = used_paths(after, search.out);
    if all.is_some_and(|paths| paths.iter().all(|path| search.view.has(path))) {
        return None;
    }
    let between = after.get_mut(..last.checked_sub(position)?)?;
    let mut paths = BTreeSet::new();
    if !collect_in_nodes(between, search.out, &mut paths) {
        return None;
    }
    let mut projections = covered_projections(&*search.view, paths, workshop)?;
    between.iter_mut().for_each(|node| replace_in_node(node, search.out, &projections));
    let mut collections: Vec<_> = search.indexes().map(|index| index.collection.clone()).collect();
    let others = collections.split_off(1.min(collections.len()));
    let name = if others.is_empty() { "_key" } else { "_id" };
    projections.push(projection(vec![name.into()], workshop));
    cover_projections(&*search.view, &mut projections);
    let key = projections.last()?.out;
    let materialize =
        Materialize { collection: collections.pop()?, others, key, out: search.out, projections: Vec::new() };
    search.projections = projections;
    Some(materialize)
}

/// Returns a search whose documents nothing but later nodes reads.
fn eligible(node: &mut Node) -> Option<&mut EnumerateView> {
    match &mut node.kind {
        NodeKind::EnumerateView(search) if search.projections.is_empty() && search.highlights.is_empty() => {
            Some(search)
        }
        _ => None,
    }
}
