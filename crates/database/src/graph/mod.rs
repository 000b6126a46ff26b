//! Named graphs: their definitions, and writes of vertices and edges by their rules.
//!
//! A graph is a document of the system collection `_graphs`; [`catalog::graph`] describes its
//! attributes. A writer holds [`GraphChanges`] while it changes a definition or a collection that a
//! definition may name, so that definitions and collections stay consistent. A vertex or edge is
//! written in one transaction with all consequences: an edge locks the vertices that it connects,
//! and a removed document is removed together with its edges.
//!
//! [`GraphChanges`]: crate::state::graph_changes::GraphChanges
//!
//! - [`lookup`]: reads definitions. [`stored`]: writes them. [`manage`]: creates and drops graphs.
//!   [`edge_definitions`], [`vertex_collections`]: change definitions by the steps of [`change`].
//!   [`members`]: checks, creates and drops the collections of a graph.
//! - [`vertex`], [`edge`]: documents. [`cascade`]: removal with edges.

mod cascade;
mod change;
mod edge;
mod edge_definitions;
mod lookup;
mod manage;
mod members;
mod stored;
mod transaction;
mod vertex;
mod vertex_collections;

use catalog::GraphDefinition;
use storage::{Durability, StoredDocument, WriteOptions};
use velocypack::Slice;

use crate::documents::WriteOperation;

pub(crate) use lookup::definition_in;

/// A graph and the document that defines it.
#[derive(Clone, Debug)]
pub struct StoredGraph {
    /// The definition that the document holds.
    pub definition: GraphDefinition,
    /// The document of `_graphs`.
    pub document: StoredDocument,
}

/// One vertex or edge to be written.
#[derive(Clone, Copy, Debug)]
pub struct GraphWrite<'a> {
    /// The graph's name.
    pub graph: &'a str,
    /// The name of one of its collections.
    pub collection: &'a str,
    /// The operation.
    pub operation: WriteOperation,
    /// The document's key; ignored for an insert.
    pub key: &'a str,
    /// The document or patch; ignored for a removal.
    pub body: Slice<'a>,
    /// The options of the write.
    pub options: &'a WriteOptions,
    /// The durability that the commit waits for.
    pub durability: Durability,
}
