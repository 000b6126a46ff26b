//! Creation and removal of graphs.

use catalog::{AccessLevel, GraphDefinition, GraphOptions};
use errors::{Error, ErrorCode, Result};
use storage::{Durability, StoredDocument, Transaction, WriteOptions};
use velocypack::{Builder, Slice};

use crate::graph::StoredGraph;
use crate::graph::members::unused_by;
use crate::session::Session;

impl Session {
    /// Creates a graph from a client's description, and those of its collections that do not exist.
    ///
    /// Errors: 1922, 1221, 1923, 1943, 1936, 1925, 1920, 1921, 1927, 1944, 1208, 11.
    pub fn create_graph(&self, body: Slice<'_>, durability: Durability) -> Result<StoredGraph> {
        self.require_database(AccessLevel::ReadWrite)?;
        let graph = GraphDefinition::parse(body)?;
        let options = GraphOptions::parse(body)?;
        let _changes = self.instance().graph_changes();
        let known = self.graph_definitions()?;
        if known.iter().any(|other| other.name == graph.name) {
            return Err(duplicate());
        }
        known.iter().try_for_each(|other| graph.check_consistent_with(other))?;
        self.provide_members(&graph)?;
        let document = document(&graph, options.as_ref())?;
        let stored = self.write_graphs(durability, |transaction, graphs| {
            let options = WriteOptions { return_new: true, ..WriteOptions::default() };
            transaction.insert(graphs, Slice::new(&document), &options)
        });
        let outcome = stored.map_err(|error| match error.code() {
            ErrorCode::UniqueConstraintViolated => duplicate(),
            _ => error,
        })?;
        stored_graph(graph, outcome.new)
    }

    /// Drops a graph and, with `drop_collections`, its collections that no other graph uses.
    ///
    /// Errors: 1924, 1941, 11 also for a collection that would be dropped.
    pub fn drop_graph(&self, name: &str, drop_collections: bool, durability: Durability) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        let _changes = self.instance().graph_changes();
        let graph = self.graph(name)?.definition;
        let others: Vec<GraphDefinition> =
            self.graph_definitions()?.into_iter().filter(|other| other.name != name).collect();
        let members = if drop_collections { unused_by(&graph, &others) } else { Vec::new() };
        self.require_members(&members, AccessLevel::ReadWrite)?;
        self.require_all_of_members(&members)?;
        self.write_graphs(durability, |transaction, graphs| {
            transaction.remove(graphs, name, Slice::NONE, &WriteOptions::default())
        })?;
        self.drop_members(&members)
    }

    /// Stores changed definitions of existing graphs, and returns the first of them.
    pub(super) fn store_graphs(
        &self,
        changed: Vec<GraphDefinition>,
        durability: Durability,
    ) -> Result<StoredGraph> {
        let mut documents = Vec::with_capacity(changed.len());
        for graph in &changed {
            documents.push(document(graph, None)?);
        }
        let new = self.write_graphs(durability, |transaction, graphs| {
            let options = WriteOptions { return_new: true, ..WriteOptions::default() };
            let mut first = None;
            for (graph, document) in changed.iter().zip(&documents) {
                // Merged into the stored document, which may have further attributes.
                let new = transaction.update(graphs, &graph.name, Slice::new(document), &options)?.new;
                first = first.or(new);
            }
            Ok(first)
        })?;
        let first =
            changed.into_iter().next().ok_or_else(|| Error::new(ErrorCode::Internal, "no graph changed"))?;
        stored_graph(first, new)
    }

    fn write_graphs<T>(
        &self,
        durability: Durability,
        mut work: impl FnMut(&mut Transaction, &storage::Collection) -> Result<T>,
    ) -> Result<T> {
        let graphs = self.collection(catalog::GRAPHS_COLLECTION, AccessLevel::ReadWrite)?;
        self.in_transaction(&[std::sync::Arc::clone(&graphs)], &[], durability, |transaction| {
            work(transaction, &graphs)
        })
    }
}

fn stored_graph(definition: GraphDefinition, document: Option<StoredDocument>) -> Result<StoredGraph> {
    let document =
        document.ok_or_else(|| Error::new(ErrorCode::Internal, "a stored graph was not returned"))?;
    Ok(StoredGraph { definition, document })
}

fn document(graph: &GraphDefinition, options: Option<&GraphOptions>) -> Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(512);
    builder.open_object()?;
    builder.key("_key")?;
    builder.add_str(&graph.name)?;
    graph.print(&mut builder)?;
    if let Some(options) = options {
        options.print(&mut builder)?;
    }
    builder.close()?;
    Ok(builder.into_vec())
}

fn duplicate() -> Error {
    Error::of(ErrorCode::GraphDuplicate)
}
