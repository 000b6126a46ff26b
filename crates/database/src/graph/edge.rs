//! Edges of a graph: they connect existing vertices, as the graph's definition allows.

use std::sync::Arc;

use catalog::{AccessLevel, DocumentIdentifier, EdgeDefinition, GraphDefinition};
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Documents, Transaction, WriteOutcome};
use velocypack::Slice;

use crate::documents::WriteOperation;
use crate::graph::GraphWrite;
use crate::session::Session;

impl Session {
    /// Looks up an edge. Errors: 1924, 1930, 1203, 11.
    pub fn read_edge(
        &self,
        graph: &str,
        collection: &str,
        key: &str,
    ) -> Result<(Arc<Collection>, Documents)> {
        edge_definition(&self.graph(graph)?.definition, collection)?;
        self.read_documents(collection, &[key])
    }

    /// Writes an edge. A removal also removes the edges that have this edge as a vertex.
    ///
    /// Errors: 1924, 1930, 1233, 1947, 1906, 1202 also for vertices, 1203, 11, those of the write.
    pub fn write_edge(&self, write: &GraphWrite<'_>) -> Result<(Arc<Collection>, WriteOutcome)> {
        let GraphWrite { graph, collection, operation, key, body, options, durability } = *write;
        let graph = self.graph(graph)?.definition;
        let definition = edge_definition(&graph, collection)?;
        let edges = self.writable_collection(collection)?;
        if operation == WriteOperation::Remove {
            let outcome = self.remove_with_edges(&edges, key, options, durability)?;
            return Ok((edges, outcome));
        }
        let ends = self.ends(&graph, definition, operation, body)?;
        let vertices: Vec<Arc<Collection>> = ends.iter().map(|end| Arc::clone(&end.collection)).collect();
        vertices.iter().try_for_each(|vertices| self.check_declared(vertices))?;
        let written = [Arc::clone(&edges)];
        let outcome = self.in_transaction(&written, &vertices, durability, |transaction| {
            hold(transaction, &edges, key, operation, &ends)?;
            operation.run(transaction, &edges, key, body, self.owned(&edges, options).get())
        })?;
        Ok((edges, outcome))
    }

    /// Returns the vertices that a new or changed edge names, if the graph allows them. An update
    /// need not name any.
    ///
    /// Errors: 1233, 1947, 1906, 1203, 11.
    fn ends<'a>(
        &self,
        graph: &GraphDefinition,
        definition: &EdgeDefinition,
        operation: WriteOperation,
        body: Slice<'a>,
    ) -> Result<Vec<End<'a>>> {
        let mut ends = Vec::with_capacity(2);
        for (name, allows) in [
            ("_from", EdgeDefinition::allows_from as fn(&EdgeDefinition, &str) -> bool),
            ("_to", EdgeDefinition::allows_to),
        ] {
            let value = body.get(name);
            if value.is_none() && operation == WriteOperation::Update {
                continue;
            }
            let identifier = value.and_then(Slice::as_str).and_then(DocumentIdentifier::parse);
            let identifier = identifier.ok_or_else(|| no_identifier(name))?;
            if !graph.has_vertex_collection(identifier.collection) {
                let message = format!(
                    "{} referenced vertex collection is not part of the graph",
                    identifier.collection
                );
                return Err(Error::new(ErrorCode::GraphReferencedVertexCollectionNotPartOfTheGraph, message));
            }
            if !allows(definition, identifier.collection) {
                let message = format!(
                    "invalid edge: '{name}' must not be in collection '{}' by the definition of '{}'",
                    identifier.collection, definition.collection
                );
                return Err(Error::new(ErrorCode::GraphInvalidEdge, message));
            }
            let collection = self.collection(identifier.collection, AccessLevel::ReadOnly)?;
            ends.push(End { collection, key: identifier.key });
        }
        Ok(ends)
    }
}

/// One vertex of an edge.
struct End<'a> {
    collection: Arc<Collection>,
    key: &'a str,
}

/// Locks the vertices until the end of the transaction, so that no other writer removes them.
/// Errors: 1202.
fn hold(
    transaction: &mut Transaction,
    edges: &Collection,
    key: &str,
    operation: WriteOperation,
    ends: &[End<'_>],
) -> Result<()> {
    let mut held: Vec<(&Collection, &str)> =
        ends.iter().map(|end| (end.collection.as_ref(), end.key)).collect();
    if operation != WriteOperation::Insert {
        held.push((edges, key));
    }
    let found = transaction.lock(&held)?;
    match ends.iter().zip(found).find(|(_, is_found)| !is_found) {
        None => Ok(()),
        Some((end, _)) => {
            let message = format!("document not found: vertex '{}/{}'", end.collection.name(), end.key);
            Err(Error::new(ErrorCode::DocumentNotFound, message))
        }
    }
}

/// Returns the definition of an edge collection. Errors: 1930.
fn edge_definition<'a>(graph: &'a GraphDefinition, collection: &str) -> Result<&'a EdgeDefinition> {
    graph.edge_definition(collection).ok_or_else(|| {
        let message = format!("{collection} edge collection not used in graph");
        Error::new(ErrorCode::GraphEdgeCollectionNotUsed, message)
    })
}

fn no_identifier(name: &str) -> Error {
    let message = format!("edge attribute missing or invalid: '{name}' must be the '_id' of a vertex");
    Error::new(ErrorCode::InvalidEdgeAttribute, message)
}
