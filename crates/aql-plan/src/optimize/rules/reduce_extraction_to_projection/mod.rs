//! `reduce-extraction-to-projection`: fetches the attributes that are used instead of whole documents.

mod traversal;

use super::{Rule, RuleContext};
use crate::expression::Expression;
use crate::node::{Node, NodeKind, Projection, ProjectionSource};
use crate::optimize::pipeline::{Workshop, for_each_pipeline};
use crate::plan::Plan;
use crate::variable::VariableId;
use aql_value::Result;
use std::collections::BTreeSet;

pub(super) struct ReduceExtractionToProjection;

impl Rule for ReduceExtractionToProjection {
    fn name(&self) -> &'static str {
        "reduce-extraction-to-projection"
    }

    fn description(&self) -> &'static str {
        "Fetches only those attributes of documents that are used."
    }

    fn apply(&self, plan: &mut Plan, _context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                let (before, after) = nodes.split_at_mut(position + 1);
                if let Some(node) = before.last_mut() {
                    changed |= reduce(&mut node.kind, after, workshop);
                }
            }
            Ok(changed)
        })
    }
}

/// A path of attribute names from the document down.
pub(super) type Path = Vec<Box<str>>;

fn reduce(kind: &mut NodeKind, after: &mut [Node], workshop: &mut Workshop<'_>) -> bool {
    if let NodeKind::Traversal(node) = kind {
        return traversal::reduce(node, after, workshop);
    }
    let Some(source) = kind.source_mut() else { return false };
    if !source.produces_result || !source.projections.is_empty() || source.count_into.is_some() {
        return false;
    }
    let Some(paths) = used_paths(after, source.out) else { return false };
    if paths.is_empty() {
        source.produces_result = false;
        return true;
    }
    let paths = without_prefixed(paths);
    if paths.len() > source.max_projections {
        return false;
    }
    source.projections = paths.into_iter().map(|path| projection(path, workshop)).collect();
    for node in after.iter_mut() {
        replace_in_node(node, source.out, &source.projections);
    }
    if let Some(variable) = workshop.variables.get_mut(source.out) {
        variable.is_full_document = false;
    }
    true
}

pub(super) fn projection(path: Path, workshop: &mut Workshop<'_>) -> Projection {
    Projection { path, out: workshop.variables.add_temporary(), source: ProjectionSource::Document }
}

/// The attributes of the document that the nodes read; `None` if they read it as a whole.
fn used_paths(nodes: &[Node], document: VariableId) -> Option<BTreeSet<Path>> {
    let mut paths = BTreeSet::new();
    collect_in_nodes(nodes, document, &mut paths).then_some(paths)
}

pub(super) fn collect_in_nodes(nodes: &[Node], document: VariableId, paths: &mut BTreeSet<Path>) -> bool {
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

/// All that a modification needs of a document that was found before, unless it compares revisions.
const KEY: &str = "_key";

/// The variable that names the document which a node modifies.
fn modified_key(kind: &NodeKind) -> Option<VariableId> {
    match kind {
        NodeKind::Update(update) if update.options.ignore_revs => update.key,
        NodeKind::Remove(remove) if remove.options.ignore_revs => Some(remove.input),
        _ => None,
    }
}

/// Whether the modification does not also write the document.
fn reads_as_key_only(kind: &NodeKind, document: VariableId) -> bool {
    !matches!(kind, NodeKind::Update(update) if update.input == document)
}

/// Adds the paths of the document that the expression reads; false if it reads the document as a whole.
pub(super) fn collect_paths(
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

/// Of `a` and `a.b`, only `a`. In a sorted set, what starts with a path follows it.
pub(super) fn without_prefixed(paths: BTreeSet<Path>) -> Vec<Path> {
    let mut kept: Vec<Path> = Vec::new();
    for path in paths {
        if !kept.last().is_some_and(|shorter| path.starts_with(shorter)) {
            kept.push(path);
        }
    }
    kept
}

pub(super) fn replace_in_node(node: &mut Node, document: VariableId, projections: &[Projection]) {
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
pub(super) fn replace_paths(expression: &mut Expression, document: VariableId, projections: &[Projection]) {
    let replacement = match expression.as_attribute_path() {
        Some((variable, names)) if variable == document => projections.iter().find_map(|projection| {
            let is_prefix = projection.path.len() <= names.len()
                && projection.path.iter().zip(&names).all(|(own, name)| **own == **name);
            let rest = names.get(projection.path.len()..).filter(|_| is_prefix)?;
            let base = Expression::Variable(projection.out);
            Some(rest.iter().fold(base, |base, name| Expression::Attribute {
                base: Box::new(base),
                name: (*name).into(),
            }))
        }),
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
