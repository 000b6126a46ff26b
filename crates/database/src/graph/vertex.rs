//! Vertices of a graph.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use storage::{Collection, Documents, WriteOutcome};

use crate::documents::WriteOperation;
use crate::graph::GraphWrite;
use crate::session::Session;

impl Session {
    /// Looks up a vertex. Errors: 1924, 1949, 1203, 11.
    pub fn read_vertex(
        &self,
        graph: &str,
        collection: &str,
        key: &str,
    ) -> Result<(Arc<Collection>, Documents)> {
        self.require_vertex_collection(graph, collection)?;
        self.read_documents(collection, &[key])
    }

    /// Writes a vertex. A removal also removes its edges in all graphs.
    ///
    /// Errors: 1924, 1949, 1203, 11, those of the write.
    pub fn write_vertex(&self, write: &GraphWrite<'_>) -> Result<(Arc<Collection>, WriteOutcome)> {
        let GraphWrite { graph, collection, operation, key, body, options, durability } = *write;
        self.require_vertex_collection(graph, collection)?;
        let collection = self.writable_collection(collection)?;
        if operation == WriteOperation::Remove {
            let outcome = self.remove_with_edges(&collection, key, options, durability)?;
            return Ok((collection, outcome));
        }
        let written = [Arc::clone(&collection)];
        let outcome = self.in_transaction(&written, &[], durability, |transaction| {
            operation.run(transaction, &collection, key, body, self.owned(&collection, options).get())
        })?;
        Ok((collection, outcome))
    }

    /// Checks that the collection is a vertex collection of the graph. Errors: 1924, 1949.
    fn require_vertex_collection(&self, graph: &str, collection: &str) -> Result<()> {
        if self.graph(graph)?.definition.has_vertex_collection(collection) {
            return Ok(());
        }
        let message = format!("{collection} the given collection is not part of the graph");
        Err(Error::new(ErrorCode::GraphCollectionNotPartOfTheGraph, message))
    }
}
