//! Projections of the vertices and edges that a traversal produces.

use aql_plan::{Node, Projection, Traversal, VariableId};

use crate::analysis::pipeline::Workshop;
use crate::analysis::projection::{projection, replace_in_node, used_paths, without_prefixed};

/// Fetches attributes of the last vertex and edge instead of the whole documents, if nothing else
/// needs them whole.
pub(super) fn reduce(node: &mut Traversal, after: &mut [Node], workshop: &mut Workshop<'_>) -> bool {
    if node.vertex_projections.is_empty() {
        node.vertex_projections = projections(node, node.vertex_out, after, workshop);
        if !node.vertex_projections.is_empty() {
            node.projected.0 = node.vertex_out.take();
        }
    }
    if node.edge_projections.is_empty() {
        node.edge_projections = projections(node, node.edge_out, after, workshop);
        if !node.edge_projections.is_empty() {
            node.projected.1 = node.edge_out.take();
        }
    }
    node.projected != (None, None)
}

/// Returns the projections of a document. There are none if it is read as a whole, or by the
/// traversal itself.
fn projections(
    node: &Traversal,
    document: Option<VariableId>,
    after: &mut [Node],
    workshop: &mut Workshop<'_>,
) -> Vec<Projection> {
    let Some(document) = document else { return Vec::new() };
    if node.output_filter.as_ref().is_some_and(|filter| filter.reads(document)) {
        return Vec::new();
    }
    let paths = used_paths(after, document).map(without_prefixed).unwrap_or_default();
    if paths.is_empty() || paths.len() > node.options.max_projections {
        return Vec::new();
    }
    let projections: Vec<Projection> = paths.into_iter().map(|path| projection(path, workshop)).collect();
    after.iter_mut().for_each(|node| replace_in_node(node, document, &projections));
    if let Some(variable) = workshop.variables.get_mut(document) {
        variable.is_full_document = false;
    }
    projections
}
