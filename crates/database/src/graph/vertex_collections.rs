//! Addition and removal of the vertex collections of a graph.

use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::Durability;

use crate::graph::StoredGraph;
use crate::graph::change::Consequences;
use crate::session::Session;

impl Session {
    /// Adds a vertex collection as an orphan, and creates it if it does not exist.
    ///
    /// Errors: 1924, 1927, 1929, 1938, 1208, 11.
    pub fn add_vertex_collection(
        &self,
        graph: &str,
        collection: &str,
        durability: Durability,
    ) -> Result<StoredGraph> {
        self.change_graph(graph, durability, |graph| {
            graph.add_orphan(collection)?;
            Ok(Consequences::members_made())
        })
    }

    /// Removes an orphan. With `drop_collection` it is dropped if no other graph uses it.
    ///
    /// Errors: 1924, 1926 for a collection that does not exist, 1928, 11.
    pub fn remove_vertex_collection(
        &self,
        graph: &str,
        collection: &str,
        drop_collection: bool,
        durability: Durability,
    ) -> Result<StoredGraph> {
        self.change_graph(graph, durability, |graph| {
            let catalog = self.catalog();
            if self.database_in(&catalog)?.collection(collection).is_none() && !graph.is_orphan(collection) {
                return Err(Error::of(ErrorCode::GraphVertexColDoesNotExist));
            }
            graph.remove_orphan(collection)?;
            Ok(Consequences::members_dropped(self.to_drop(&graph.name, collection, drop_collection)?))
        })
    }

    /// Returns the collection if it should be dropped and no other graph uses it. Errors: 11.
    pub(super) fn to_drop(&self, graph: &str, collection: &str, is_wanted: bool) -> Result<Vec<String>> {
        let others = self.graph_definitions()?;
        let is_used = others.iter().any(|other| other.name != graph && other.uses(collection));
        if !is_wanted || is_used {
            return Ok(Vec::new());
        }
        let members = vec![collection.to_owned()];
        self.require_members(&members, AccessLevel::ReadWrite)?;
        self.require_all_of_members(&members)?;
        Ok(members)
    }
}
