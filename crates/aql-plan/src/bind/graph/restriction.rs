//! Options that restrict a traversal to some collections.

use aql_value::Value;
use errors::{Error, ErrorCode, Result};

use crate::bind::Binder;
use crate::node::{GraphAccess, TraversalOptions};

/// Maximum number of names that an option may list; more than a query may use.
const MAX_NAMES: usize = 2048;

/// Names of collections. An empty list is not a restriction.
#[derive(Debug, Default)]
pub(super) struct Restrictions {
    pub(super) edges: Vec<Box<str>>,
    pub(super) vertices: Vec<Box<str>>,
}

impl Binder<'_> {
    /// Applies the restrictions.
    ///
    /// Errors: 1203 for a collection that does not exist, 1218 for a document collection instead of
    /// an edge collection, 1926 and 1939 for a collection that does not belong to the graph.
    pub(super) fn restrict(
        &mut self,
        graph: &mut GraphAccess,
        options: &mut TraversalOptions,
        restrictions: Restrictions,
    ) -> Result<()> {
        if !restrictions.vertices.is_empty() {
            options.vertex_collections = Some(self.allowed_vertices(&restrictions.vertices, graph)?);
        }
        if restrictions.edges.is_empty() {
            return Ok(());
        }
        for name in &restrictions.edges {
            self.sources.check_holds_edges(name)?;
            if !graph.edges.iter().any(|edges| edges.collection.name == *name) {
                let message = format!("edge collection '{name}' does not exist or is not part of the graph");
                return Err(Error::new(ErrorCode::GraphEdgeColDoesNotExist, message));
            }
        }
        graph.edges.retain(|edges| restrictions.edges.contains(&edges.collection.name));
        options.edge_collections = Some(restrictions.edges);
        Ok(())
    }

    fn allowed_vertices(
        &mut self,
        names: &[Box<str>],
        graph: &GraphAccess,
    ) -> Result<Vec<crate::catalog::CollectionReference>> {
        let mut allowed = Vec::with_capacity(names.len());
        for name in names {
            let collection = self.sources.name(name)?.reference;
            if graph.graph.is_some() && !graph.vertex_collections.contains(&collection) {
                let message =
                    format!("vertex collection '{name}' does not exist or is not part of the graph");
                return Err(Error::new(ErrorCode::GraphVertexColDoesNotExist, message));
            }
            allowed.push(collection);
        }
        Ok(allowed)
    }
}

/// Returns one name, or the names of an array.
pub(super) fn names(value: &Value) -> Option<Vec<Box<str>>> {
    if let Some(name) = value.as_str() {
        return Some(vec![name.into()]);
    }
    if !value.is_array() || value.len() > MAX_NAMES {
        return None;
    }
    value.elements().map(|name| name.as_str().map(Into::into)).collect()
}
