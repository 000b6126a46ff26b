//! Creation and removal of graphs.

use catalog::{AccessLevel, GraphDefinition, GraphOptions};
use errors::{Error, ErrorCode, Result};
use storage::{Durability, WriteOptions};
use velocypack::Slice;

use crate::graph::StoredGraph;
use crate::graph::members::unused_by;
use crate::graph::stored::{document, stored_graph};
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
        let check = || {
            let known = self.graph_definitions()?;
            if known.iter().any(|other| other.name == graph.name) {
                return Err(duplicate());
            }
            known.iter().try_for_each(|other| graph.check_consistent_with(other))
        };
        check()?;
        self.provide_members(&graph)?;
        let document = document(&graph, options.as_ref())?;
        let stored = self.write_graphs(durability, |transaction, graphs| {
            check()?;
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
        let members = self.write_graphs(durability, |transaction, graphs| {
            let graph = self.graph(name)?.definition;
            let others: Vec<GraphDefinition> =
                self.graph_definitions()?.into_iter().filter(|other| other.name != name).collect();
            let members = if drop_collections { unused_by(&graph, &others) } else { Vec::new() };
            self.require_members(&members, AccessLevel::ReadWrite)?;
            self.require_all_of_members(&members)?;
            transaction.remove(graphs, name, Slice::NONE, &WriteOptions::default())?;
            Ok(members)
        })?;
        self.drop_members(&members)
    }
}

fn duplicate() -> Error {
    Error::of(ErrorCode::GraphDuplicate)
}
