//! Addition, replacement and removal of edge definitions.

use catalog::EdgeDefinition;
use errors::Result;
use storage::Durability;

use crate::graph::StoredGraph;
use crate::graph::change::Consequences;
use crate::session::Session;

impl Session {
    /// Adds an edge definition, and creates the collections that do not exist.
    ///
    /// Errors: 1924, 1920, 1921, 1944, 1208, 11.
    pub fn add_edge_definition(
        &self,
        graph: &str,
        definition: &EdgeDefinition,
        durability: Durability,
    ) -> Result<StoredGraph> {
        self.change_graph(graph, durability, |graph| {
            graph.add_edge_definition(definition.clone())?;
            let known = self.graph_definitions()?;
            let others = known.iter().filter(|other| other.name != graph.name);
            for other in others {
                graph.check_consistent_with(other)?;
            }
            Ok(Consequences::members_made())
        })
    }

    /// Replaces the definition of an edge collection in all graphs that have one.
    ///
    /// Collections that do not exist are created.
    ///
    /// Errors: 1924, 1930, 1208, 11.
    pub fn replace_edge_definition(
        &self,
        graph: &str,
        definition: &EdgeDefinition,
        durability: Durability,
    ) -> Result<StoredGraph> {
        self.change_graph(graph, durability, |graph| {
            graph.replace_edge_definition(definition)?;
            let mut consequences = Consequences::members_made();
            for mut other in self.graph_definitions()? {
                if other.name != graph.name && other.edge_definition(&definition.collection).is_some() {
                    other.replace_edge_definition(definition)?;
                    consequences.others.push(other);
                }
            }
            Ok(consequences)
        })
    }

    /// Removes an edge definition.
    ///
    /// With `drop_collection` the edge collection is dropped if no graph uses it any more.
    ///
    /// Errors: 1924, 1930, 11.
    pub fn remove_edge_definition(
        &self,
        graph: &str,
        collection: &str,
        drop_collection: bool,
        durability: Durability,
    ) -> Result<StoredGraph> {
        self.change_graph(graph, durability, |graph| {
            graph.remove_edge_definition(collection)?;
            // Edges of this collection may be vertices of another definition.
            let is_dropped = drop_collection && !graph.uses(collection);
            Ok(Consequences::members_dropped(self.to_drop(&graph.name, collection, is_dropped)?))
        })
    }
}
