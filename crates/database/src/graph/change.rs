//! The steps that every change of a graph's definition takes.

use catalog::{AccessLevel, GraphDefinition};
use errors::Result;
use storage::Durability;

use crate::graph::StoredGraph;
use crate::graph::stored::{store_changed, stored_graph};
use crate::session::Session;

/// The further effects of a change of one graph.
#[derive(Default)]
pub(super) struct Consequences {
    /// True to create the collections that the graph names and that do not exist.
    pub(super) makes_members: bool,
    /// Other graphs that change with it.
    pub(super) others: Vec<GraphDefinition>,
    /// Collections that are dropped when the change is stored.
    pub(super) dropped: Vec<String>,
}

impl Consequences {
    /// Returns the effect that only creates the collections that do not exist.
    pub(super) fn members_made() -> Self {
        Self { makes_members: true, ..Self::default() }
    }

    /// Returns the effect that only drops collections.
    pub(super) fn members_dropped(dropped: Vec<String>) -> Self {
        Self { dropped, ..Self::default() }
    }
}

impl Session {
    /// Changes a graph. Concurrent changes of graphs wait until it is done. `change` runs more than
    /// once.
    ///
    /// Errors: 1924, 1208, 11, and those of `change`.
    pub(super) fn change_graph(
        &self,
        name: &str,
        durability: Durability,
        change: impl Fn(&mut GraphDefinition) -> Result<Consequences>,
    ) -> Result<StoredGraph> {
        self.require_database(AccessLevel::ReadWrite)?;
        let _changes = self.instance().graph_changes();
        let changed = || -> Result<(GraphDefinition, Consequences)> {
            let mut graph = self.graph(name)?.definition;
            let consequences = change(&mut graph)?;
            Ok((graph, consequences))
        };
        let (graph, consequences) = changed()?;
        if consequences.makes_members {
            self.provide_members(&graph)?;
        }
        let (stored, dropped) = self.write_graphs(durability, |transaction, graphs| {
            let (graph, Consequences { others, dropped, .. }) = changed()?;
            let mut stored = None;
            for graph in std::iter::once(&graph).chain(&others) {
                let new = store_changed(transaction, graphs, graph)?;
                stored = stored.or(new);
            }
            Ok((stored_graph(graph, stored)?, dropped))
        })?;
        self.drop_members(&dropped)?;
        Ok(stored)
    }
}
