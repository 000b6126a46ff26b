//! Named graphs: the edge collections that connect vertex collections, and the rules of a graph.
//!
//! A graph is a document of the system collection [`GRAPHS_COLLECTION`], in ArangoDB's form, so
//! that dumps carry it. Its name is the document's key. This module interprets such a document and
//! applies changes to it; it reads and writes no storage.
//!
//! Source: ArangoDB 3.12 documentation, "Named graphs HTTP API (Gharial)" and "Graph Management".

mod change;
mod edge_definition;
mod options;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::is_valid_key;
use crate::properties::{Printer, Properties};

pub use edge_definition::EdgeDefinition;
pub use options::{GraphOptions, check_satellites};

/// The system collection whose documents are the graphs of its database.
pub const GRAPHS_COLLECTION: &str = "_graphs";

/// The maximum number of collections that a graph may name: as many as a query may use.
pub const GRAPH_COLLECTIONS_MAX: usize = 2048;

/// The attribute of a graph's document that holds its edge definitions.
const EDGE_DEFINITIONS: &str = "edgeDefinitions";
/// The attribute of a graph's document that holds the vertex collections without edges.
const ORPHAN_COLLECTIONS: &str = "orphanCollections";

/// A named graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphDefinition {
    /// The name, unique within its database.
    pub name: String,
    /// The definitions, sorted by edge collection; one for each.
    pub edge_definitions: Vec<EdgeDefinition>,
    /// The vertex collections that no edge definition names, sorted.
    pub orphan_collections: Vec<String>,
}

impl GraphDefinition {
    /// Reads the body of a request that creates a graph.
    ///
    /// Errors: 1922 without a name, 1221 for a name that is not a document key, 1923, 1943, 1920
    /// for two definitions of one edge collection, 32.
    pub fn parse(body: Slice<'_>) -> Result<Self> {
        let body = Properties::of(body, "a graph")?;
        let name = body.value("name").and_then(Slice::as_str).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| Error::of(ErrorCode::GraphCreateMissingName))?;
        if !is_valid_key(name) {
            let message = "illegal document key: a graph's name must be a document key";
            return Err(Error::new(ErrorCode::DocumentKeyBad, message));
        }
        let definitions = match body.value(EDGE_DEFINITIONS) {
            None => Vec::new(),
            Some(value) if value.is_array() => value.elements().collect(),
            Some(_) => return Err(edge_definition::malformed("'edgeDefinitions' must be an array")),
        };
        let mut graph = GraphDefinition { name: name.to_owned(), ..GraphDefinition::default() };
        graph.orphan_collections = orphans(body)?;
        for definition in definitions {
            graph.add_edge_definition(EdgeDefinition::parse(definition)?)?;
        }
        graph.check_size()?;
        Ok(graph)
    }

    /// Reads a stored graph.
    ///
    /// Errors: 1941 for a document that is not a graph.
    pub fn from_document(document: Slice<'_>) -> Result<Self> {
        let corrupt = |what: &str| {
            let message = format!("internal graph data corrupt: {what}");
            Error::new(ErrorCode::GraphInternalDataCorrupt, message)
        };
        let key = document.get("_key").and_then(Slice::as_str).ok_or_else(|| corrupt("no name"))?;
        let body = Properties::of(document, "a graph").map_err(|error| corrupt(error.message()))?;
        let definitions = body.value(EDGE_DEFINITIONS).filter(|value| value.is_array());
        let definitions = definitions.ok_or_else(|| corrupt("'edgeDefinitions' must be an array"))?;
        let mut graph = GraphDefinition { name: key.to_owned(), ..GraphDefinition::default() };
        graph.orphan_collections = orphans(body).map_err(|error| corrupt(error.message()))?;
        for definition in definitions.elements() {
            let definition = EdgeDefinition::parse(definition).map_err(|error| corrupt(error.message()))?;
            graph.add_edge_definition(definition).map_err(|error| corrupt(error.message()))?;
        }
        Ok(graph)
    }

    /// Adds `edgeDefinitions` and `orphanCollections` to an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| {
            printer.objects(EDGE_DEFINITIONS, &self.edge_definitions, EdgeDefinition::print);
            printer.texts(ORPHAN_COLLECTIONS, &self.orphan_collections);
        })
    }

    /// Returns the names of the edge collections, sorted.
    pub fn edge_collections(&self) -> impl Iterator<Item = &str> {
        self.edge_definitions.iter().map(|definition| definition.collection.as_str())
    }

    /// Returns the names of all vertex collections, orphans included, sorted.
    pub fn vertex_collections(&self) -> BTreeSet<&str> {
        let orphans = self.orphan_collections.iter().map(String::as_str);
        self.connected_collections().chain(orphans).collect()
    }

    /// Returns the definition of an edge collection.
    pub fn edge_definition(&self, collection: &str) -> Option<&EdgeDefinition> {
        self.edge_definitions.iter().find(|definition| definition.collection == collection)
    }

    /// Returns true if the graph has vertices in a collection.
    pub fn has_vertex_collection(&self, collection: &str) -> bool {
        self.is_connected(collection) || self.is_orphan(collection)
    }

    /// Returns true if the graph names a collection, for edges or vertices.
    pub fn uses(&self, collection: &str) -> bool {
        self.edge_definition(collection).is_some() || self.has_vertex_collection(collection)
    }

    /// Returns true if a collection is in the list of orphans.
    pub fn is_orphan(&self, collection: &str) -> bool {
        self.orphan_collections.iter().any(|orphan| orphan == collection)
    }

    /// Returns true if an edge definition has a vertex collection.
    fn is_connected(&self, collection: &str) -> bool {
        self.connected_collections().any(|connected| connected == collection)
    }

    /// Returns the vertex collections of all edge definitions, with repetitions.
    fn connected_collections(&self) -> impl Iterator<Item = &str> {
        self.edge_definitions.iter().flat_map(EdgeDefinition::vertex_collections)
    }

    /// Checks the number of collections that the graph names.
    ///
    /// Errors: 32 if it is too large.
    fn check_size(&self) -> Result<()> {
        if self.edge_definitions.len() + self.vertex_collections().len() <= GRAPH_COLLECTIONS_MAX {
            return Ok(());
        }
        let message =
            format!("resource limit exceeded: a graph can have at most {GRAPH_COLLECTIONS_MAX} collections");
        Err(Error::new(ErrorCode::ResourceLimit, message))
    }
}

/// Returns the list of orphans, sorted.
fn orphans(body: Properties<'_>) -> Result<Vec<String>> {
    let malformed = || {
        Error::new(
            ErrorCode::GraphCreateMalformedOrphanList,
            "malformed orphan list: must be an array of names",
        )
    };
    match body.value(ORPHAN_COLLECTIONS) {
        None => Ok(Vec::new()),
        Some(value) => edge_definition::names(value).ok_or_else(malformed),
    }
}
