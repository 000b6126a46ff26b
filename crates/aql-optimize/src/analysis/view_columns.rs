//! Attributes that the indexes of a view store beside their terms.

use super::pipeline::Workshop;
use super::projection::{Path, collect_in_nodes, projection, replace_in_node, used_paths, without_prefixed};
use aql_plan::{EnumerateView, Materialize, Node, NodeKind, Projection, ProjectionSource, ViewInfo};
use std::collections::BTreeSet;

/// Lets the search at a position pass on what its indexes store, if the nodes behind it read
/// nothing else of its documents.
pub(crate) fn cover(nodes: &mut [Node], position: usize, workshop: &mut Workshop<'_>) {
    let Some((before, after)) = nodes.split_at_mut_checked(position + 1) else { return };
    let Some(search) = before.last_mut().and_then(eligible) else { return };
    let Some(paths) = used_paths(after, search.out).filter(|paths| !paths.is_empty()) else { return };
    if let Some(projections) = stored(&search.view, paths, workshop) {
        after.iter_mut().for_each(|node| replace_in_node(node, search.out, &projections));
        search.projections = projections;
    }
}

/// Lets a node behind the one at `last` fetch the documents of the search at a position. Returns
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
    if all.is_some_and(|paths| paths.iter().all(|path| stored_in(&search.view, path).is_some())) {
        return None;
    }
    let between = after.get_mut(..last.checked_sub(position)?)?;
    let mut paths = BTreeSet::new();
    if !collect_in_nodes(between, search.out, &mut paths) {
        return None;
    }
    let mut projections = stored(&search.view, paths, workshop)?;
    between.iter_mut().for_each(|node| replace_in_node(node, search.out, &projections));
    let mut collections: Vec<_> = search.indexes().map(|index| index.collection.clone()).collect();
    let others = collections.split_off(1.min(collections.len()));
    let (name, source) = match others.is_empty() {
        true => ("_key", ProjectionSource::Key),
        false => ("_id", ProjectionSource::Id),
    };
    let key = Projection { source, ..projection(vec![name.into()], workshop) };
    let materialize = Materialize {
        collection: collections.pop()?,
        others,
        key: key.out,
        out: search.out,
        projections: Vec::new(),
    };
    projections.push(key);
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

/// Returns projections of the paths; `None` if the indexes do not store all.
fn stored(view: &ViewInfo, paths: BTreeSet<Path>, workshop: &mut Workshop<'_>) -> Option<Vec<Projection>> {
    let paths = without_prefixed(paths);
    let sources: Option<Vec<ProjectionSource>> = paths.iter().map(|path| stored_in(view, path)).collect();
    let projections = paths.into_iter().zip(sources?);
    Some(projections.map(|(path, source)| Projection { source, ..projection(path, workshop) }).collect())
}

/// Returns the place of an attribute among those that the indexes of the view store.
fn stored_in(view: &ViewInfo, path: &[Box<str>]) -> Option<ProjectionSource> {
    match path {
        [name] if **name == *"_key" => return Some(ProjectionSource::Key),
        [name, rest @ ..] if **name == *"_id" => return rest.is_empty().then_some(ProjectionSource::Id),
        _ => {}
    }
    let mut attributes = view.stored_attributes().enumerate();
    attributes.find_map(|(position, (stored, ..))| {
        let consumed = stored.len();
        path.starts_with(stored).then_some(ProjectionSource::StoredValue { position, consumed })
    })
}
