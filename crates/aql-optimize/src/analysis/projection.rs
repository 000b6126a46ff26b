//! The attributes of a document that nodes read, and the variables that stand for them.

use std::collections::BTreeSet;

use aql_plan::{Expression, Node, NodeKind, Projection, ProjectionSource, VariableId};

use super::pipeline::Workshop;

/// The only attribute that a modification needs of a document that was found before, unless it
/// compares revisions.
const KEY: &str = "_key";

/// A path of attribute names from the document down.
pub(crate) type Path = Vec<Box<str>>;

/// Returns a projection that takes an attribute from the document.
pub(crate) fn projection(path: Path, workshop: &mut Workshop<'_>) -> Projection {
    Projection { path, out: workshop.variables.add_temporary(), source: ProjectionSource::Document }
}

/// Returns the attributes of the document that the nodes read; `None` if they read it as a whole.
pub(crate) fn used_paths(nodes: &[Node], document: VariableId) -> Option<BTreeSet<Path>> {
    let mut paths = BTreeSet::new();
    collect_in_nodes(nodes, document, &mut paths).then_some(paths)
}

pub(crate) fn collect_in_nodes(nodes: &[Node], document: VariableId, paths: &mut BTreeSet<Path>) -> bool {
    nodes.iter().all(|node| {
        let mut only_attributes = true;
        if modified_key(&node.kind) == Some(document) {
            only_attributes = reads_as_key_only(&node.kind, document);
            paths.insert(vec![KEY.into()]);
        } else if node.kind.reads_directly(document) {
            only_attributes = false;
        }
        node.kind.for_each_expression(&mut |expression| {
            only_attributes = only_attributes && collect_paths(expression, document, paths);
        });
        match &node.kind {
            NodeKind::Subquery(subquery) => {
                only_attributes && collect_in_nodes(&subquery.nodes, document, paths)
            }
            _ => only_attributes,
        }
    })
}

/// Returns the variable that names the document which a node modifies.
fn modified_key(kind: &NodeKind) -> Option<VariableId> {
    match kind {
        NodeKind::Update(update) if update.options.ignore_revs => update.key,
        NodeKind::Remove(remove) if remove.options.ignore_revs => Some(remove.input),
        _ => None,
    }
}

/// Returns true unless the modification also writes the document.
fn reads_as_key_only(kind: &NodeKind, document: VariableId) -> bool {
    !matches!(kind, NodeKind::Update(update) if update.input == document)
}

/// Adds the paths of the document that the expression reads. Returns false if it reads the document
/// as a whole.
pub(crate) fn collect_paths(
    expression: &Expression,
    document: VariableId,
    paths: &mut BTreeSet<Path>,
) -> bool {
    if let Some((variable, names)) = expression.as_attribute_path() {
        if variable == document && !names.is_empty() {
            paths.insert(names.into_iter().map(Into::into).collect());
        }
        return variable != document || !matches!(expression, Expression::Variable(_));
    }
    let mut only_attributes = true;
    expression.for_each_child(&mut |child| {
        only_attributes = only_attributes && collect_paths(child, document, paths);
    });
    only_attributes
}

/// Removes paths that begin with another path: of `a` and `a.b`, only `a` stays. In a sorted set,
/// they follow the shorter path.
pub(crate) fn without_prefixed(paths: BTreeSet<Path>) -> Vec<Path> {
    let mut kept: Vec<Path> = Vec::new();
    for path in paths {
        if !kept.last().is_some_and(|shorter| path.starts_with(shorter)) {
            kept.push(path);
        }
    }
    kept
}

/// Reads the variables of projections in a node and those of its subquery: see [`replace_paths`].
pub(crate) fn replace_in_node(node: &mut Node, document: VariableId, projections: &[Projection]) {
    debug_assert!(
        projections.is_sorted_by(|left, right| left.path < right.path && !right.path.starts_with(&left.path)),
        "projections are not sorted by path, or one is a part of another"
    );
    node.kind.for_each_expression_mut(&mut |expression| replace_paths(expression, document, projections));
    if modified_key(&node.kind) == Some(document) {
        let key = projections
            .iter()
            .find(|projection| matches!(projection.path.as_slice(), [name] if **name == *KEY));
        match (&mut node.kind, key) {
            (NodeKind::Update(update), Some(key)) => update.key = Some(key.out),
            (NodeKind::Remove(remove), Some(key)) => remove.input = key.out,
            _ => {}
        }
    }
    if let NodeKind::Subquery(subquery) = &mut node.kind {
        subquery.nodes.iter_mut().for_each(|inner| replace_in_node(inner, document, projections));
    }
}

/// Reads the variables of projections instead of attributes of the document.
///
/// The projections are sorted by path, and no path begins with another, as [`without_prefixed`]
/// returns them.
pub(crate) fn replace_paths(expression: &mut Expression, document: VariableId, projections: &[Projection]) {
    let replacement = match expression.as_attribute_path() {
        Some((variable, names)) if variable == document => {
            projection_of(&names, projections).map(|(projection, rest)| {
                let base = Expression::Variable(projection.out);
                rest.iter().fold(base, |base, name| Expression::Attribute {
                    base: Box::new(base),
                    name: (*name).into(),
                })
            })
        }
        Some(_) => None,
        None => {
            expression.for_each_child_mut(&mut |child| replace_paths(child, document, projections));
            None
        }
    };
    if let Some(replacement) = replacement {
        *expression = replacement;
    }
}

/// Returns the projection that an attribute is or is a part of, and the names within it.
///
/// Nothing sorts between a path and those that begin with it, so that it is the last one before the
/// attribute.
fn projection_of<'a, 'n>(
    names: &'n [&'n str],
    projections: &'a [Projection],
) -> Option<(&'a Projection, &'n [&'n str])> {
    let after = projections.partition_point(|projection| path_names(projection).le(names.iter().copied()));
    let projection = projections.get(after.checked_sub(1)?)?;
    let rest = names.get(projection.path.len()..)?;
    path_names(projection).eq(names.iter().copied().take(projection.path.len())).then_some((projection, rest))
}

fn path_names(projection: &Projection) -> impl Iterator<Item = &str> {
    projection.path.iter().map(|name| &**name)
}
