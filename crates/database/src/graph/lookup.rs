//! Definitions of graphs as they are stored now.

use std::sync::Arc;

use catalog::{AccessLevel, GRAPHS_COLLECTION, GraphDefinition};
use errors::{Error, ErrorCode, Result};
use kv::BlockLimits;
use storage::{Collection, Database, DocumentScanSpec, Snapshot, StoredDocument};

use crate::graph::StoredGraph;
use crate::session::Session;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 4 << 20 };

impl Session {
    /// Returns the graph with a name. Errors: 1924, 1932, 1941, 11.
    pub fn graph(&self, name: &str) -> Result<StoredGraph> {
        let snapshot = self.instance().store().snapshot()?;
        let graphs = self.graphs_collection(&snapshot)?;
        let document = document_in(&snapshot, &graphs, name)?.ok_or_else(|| not_found(name))?;
        let definition = GraphDefinition::from_document(document.slice())?;
        Ok(StoredGraph { definition, document })
    }

    /// Returns the documents of all graphs of the database, by name. Errors: 1932, 11.
    pub fn graphs(&self) -> Result<Vec<StoredDocument>> {
        let snapshot = self.instance().store().snapshot()?;
        let graphs = self.graphs_collection(&snapshot)?;
        documents_in(&snapshot, &graphs)
    }

    /// Returns the definitions of all graphs of the database.
    pub(crate) fn graph_definitions(&self) -> Result<Vec<GraphDefinition>> {
        let snapshot = self.instance().store().snapshot()?;
        definitions_in(&snapshot, self.database_in(snapshot.catalog())?)
    }

    /// Returns the collection `_graphs`, which the user must be allowed to read. Errors: 1932, 11.
    fn graphs_collection(&self, snapshot: &Snapshot) -> Result<Arc<Collection>> {
        self.require_collection(GRAPHS_COLLECTION, AccessLevel::ReadOnly)?;
        let graphs = collection_in(self.database_in(snapshot.catalog())?).cloned();
        graphs.ok_or_else(|| Error::of(ErrorCode::GraphNoGraphCollection))
    }
}

/// Returns a graph of a snapshot, or `None` if the document is missing or does not define a graph.
pub(crate) fn definition_in(
    snapshot: &Snapshot,
    database: &Database,
    name: &str,
) -> Result<Option<GraphDefinition>> {
    let Some(graphs) = collection_in(database) else { return Ok(None) };
    let document = document_in(snapshot, graphs, name)?;
    Ok(document.and_then(|document| GraphDefinition::from_document(document.slice()).ok()))
}

/// Returns all graphs of a snapshot. A document that does not define a graph names no collection,
/// so it is skipped.
pub(super) fn definitions_in(snapshot: &Snapshot, database: &Database) -> Result<Vec<GraphDefinition>> {
    let Some(graphs) = collection_in(database) else { return Ok(Vec::new()) };
    let documents = documents_in(snapshot, graphs)?;
    Ok(documents
        .iter()
        .filter_map(|document| GraphDefinition::from_document(document.slice()).ok())
        .collect())
}

fn collection_in(database: &Database) -> Option<&Arc<Collection>> {
    database.collection(GRAPHS_COLLECTION)
}

fn document_in(snapshot: &Snapshot, graphs: &Collection, name: &str) -> Result<Option<StoredDocument>> {
    Ok(snapshot.get(graphs, &[name])?.document(0))
}

fn documents_in(snapshot: &Snapshot, graphs: &Collection) -> Result<Vec<StoredDocument>> {
    let mut scan = snapshot.scan(graphs, &DocumentScanSpec::default())?;
    let mut all = Vec::new();
    while let Some(documents) = scan.next_block(READ_LIMITS)? {
        all.extend((0..documents.len()).filter_map(|position| documents.document(position)));
    }
    Ok(all)
}

pub(super) fn not_found(name: &str) -> Error {
    Error::graph_not_found(name)
}
