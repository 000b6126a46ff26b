//! The steps that every change of a graph's definition takes.

use catalog::{AccessLevel, GraphDefinition};
use errors::Result;
use storage::Durability;

use crate::graph::StoredGraph;
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
    /// Changes a graph. Concurrent changes of graphs wait until it is done.
    ///
    /// Errors: 1924, 1208, 11, and those of `change`.
    pub(super) fn change_graph(
        &self,
        graph: &str,
        durability: Durability,
        change: impl FnOnce(&mut GraphDefinition) -> Result<Consequences>,
    ) -> Result<StoredGraph> {
        self.require_database(AccessLevel::ReadWrite)?;
        let _changes = self.instance().graph_changes();
        let mut graph = self.graph(graph)?.definition;
        let Consequences { makes_members, others, dropped } = change(&mut graph)?;
        if makes_members {
            self.provide_members(&graph)?;
        }
        let changed = std::iter::once(graph).chain(others).collect();
        let stored = self.store_graphs(changed, durability)?;
        self.drop_members(&dropped)?;
        Ok(stored)
    }
}
