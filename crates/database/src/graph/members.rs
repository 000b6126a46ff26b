//! The collections of a graph: checked, created if missing, and dropped with the graph.

use std::collections::BTreeSet;

use catalog::{AccessLevel, CollectionProperties, CollectionType, GraphDefinition};
use errors::{Error, ErrorCode, Result};

use crate::graph::stored::store_changed;
use crate::session::Session;

/// Returns the collections of a graph that no other graph uses.
pub(super) fn unused_by(graph: &GraphDefinition, others: &[GraphDefinition]) -> Vec<String> {
    let mut members: BTreeSet<&str> = graph.vertex_collections();
    members.extend(graph.edge_collections());
    let members = members.into_iter().filter(|member| !others.iter().any(|other| other.uses(member)));
    members.map(str::to_owned).collect()
}

impl Session {
    /// Creates the collections of a graph that do not exist. If one of them cannot be created, none
    /// of them is.
    ///
    /// Errors: 1944, 1927, 1208, 11.
    pub(super) fn provide_members(&self, graph: &GraphDefinition) -> Result<()> {
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let mut missing: Vec<(&str, CollectionType)> = Vec::new();
        for name in graph.edge_collections() {
            match database.collection(name) {
                Some(collection) if collection.is_edge() => {}
                Some(_) => return Err(no_edge_collection(name)),
                None => missing.push((name, CollectionType::Edge)),
            }
        }
        for name in graph.vertex_collections() {
            match database.collection(name) {
                Some(collection) if collection.is_edge() && graph.is_orphan(name) => {
                    return Err(no_vertex_collection(name));
                }
                // The vertices of an edge definition may be edges themselves.
                Some(_) => {}
                None if missing.iter().any(|(edges, _)| *edges == name) => {}
                None => missing.push((name, CollectionType::Document)),
            }
        }
        for name in graph.edge_collections().chain(graph.vertex_collections()) {
            self.require_collection(name, AccessLevel::ReadOnly)?;
        }
        let rules = self.instance().store().naming_rules();
        missing.iter().try_for_each(|(name, _)| rules.check_collection_name(name, false))?;
        missing.into_iter().try_for_each(|(name, collection_type)| self.make_member(name, collection_type))
    }

    fn make_member(&self, name: &str, collection_type: CollectionType) -> Result<()> {
        let wait_for_sync = self.instance().options().default_wait_for_sync;
        let properties =
            CollectionProperties { wait_for_sync, ..CollectionProperties::new(name, collection_type) };
        match self.instance().store().create_collection(self.database_name(), properties) {
            // Another server has just created it, probably for a graph of its own.
            Err(error) if error.code() == ErrorCode::DuplicateName => {
                let catalog = self.catalog();
                match self.database_in(&catalog)?.collection(name) {
                    Some(made) if made.is_edge() == (collection_type == CollectionType::Edge) => Ok(()),
                    _ => Err(error),
                }
            }
            made => made.map(drop),
        }
    }

    /// Checks that no rules of these collections restrict the user, who wants to drop them. Errors:
    /// 11.
    pub(super) fn require_all_of_members(&self, members: &[String]) -> Result<()> {
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let mut members = members.iter().filter_map(|member| database.collection(member));
        members.try_for_each(|member| self.require_unrestricted(member, "a removal"))
    }

    /// Checks that the user has `level` on all these collections. Errors: 11.
    pub(super) fn require_members(&self, members: &[String], level: AccessLevel) -> Result<()> {
        members.iter().try_for_each(|member| self.require_collection(member, level))
    }

    /// Drops collections that no graph names any more, and skips those that do not exist. Errors:
    /// 18.
    pub(super) fn drop_members(&self, members: &[String]) -> Result<()> {
        for member in members {
            let catalog = self.catalog();
            let Some(collection) = self.database_in(&catalog)?.collection(member) else { continue };
            match self.instance().store().drop_collection(collection, false) {
                Err(error) if error.code() == ErrorCode::DataSourceNotFound => {}
                dropped => dropped?,
            }
        }
        Ok(())
    }

    /// Refuses to drop a collection that a graph uses. The caller holds `GraphChanges`. Errors:
    /// 1942.
    pub(crate) fn check_unused_by_graphs(&self, collection: &str) -> Result<()> {
        let graphs = self.graph_definitions()?;
        match graphs.iter().find(|graph| graph.uses(collection)) {
            None => Ok(()),
            Some(graph) => Err(Error::new(
                ErrorCode::GraphMustNotDropCollection,
                format!(
                    "must not drop collection while part of graph: '{collection}' is part of graph '{}'",
                    graph.name
                ),
            )),
        }
    }

    /// Renames a collection in all graphs. The caller holds `GraphChanges`.
    pub(crate) fn rename_in_graphs(&self, name: &str, new_name: &str) -> Result<()> {
        if !self.graph_definitions()?.iter().any(|graph| graph.uses(name)) {
            return Ok(());
        }
        self.write_graphs(storage::Durability::Buffered, |transaction, graphs| {
            for mut graph in self.graph_definitions()? {
                if graph.rename_collection(name, new_name) {
                    store_changed(transaction, graphs, &graph)?;
                }
            }
            Ok(())
        })
    }
}

fn no_edge_collection(name: &str) -> Error {
    let message = format!("{name} edge definition collection is a document collection");
    Error::new(ErrorCode::GraphEdgeDefinitionIsDocument, message)
}

pub(super) fn no_vertex_collection(name: &str) -> Error {
    let message = format!("{name} collection not a vertex collection");
    Error::new(ErrorCode::GraphWrongCollectionTypeVertex, message)
}
