//! Named graphs: their definitions, and vertices and edges written by their rules.
//!
//! A graph is a document of the system collection `_graphs` ([`catalog::graph`] says what it means). Whoever changes a
//! definition, or a collection that a definition may name, holds [`GraphChanges`], so that definitions and collections
//! fit together. Vertices and edges are written in one transaction with all that follows: an edge holds the vertices
//! that it connects, and what is removed takes its edges with it.
//!
//! - [`lookup`]: definitions read. [`manage`]: graphs created and dropped. [`edge_definitions`],
//!   [`vertex_collections`]: definitions changed, by the steps of [`change`]. [`members`]: collections checked, made
//!   and dropped for a graph.
//! - [`vertex`], [`edge`]: documents. [`cascade`]: removal with edges.

mod cascade;
mod change;
pub(crate) mod definition_lock;
mod edge;
mod edge_definitions;
mod lookup;
mod manage;
mod members;
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
    /// What the document says.
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
    /// What is done.
    pub operation: WriteOperation,
    /// The document's key; of no meaning for an insert.
    pub key: &'a str,
    /// What is stored; of no meaning for a removal.
    pub body: Slice<'a>,
    /// How it is written.
    pub options: &'a WriteOptions,
    /// What the commit waits for.
    pub durability: Durability,
}
