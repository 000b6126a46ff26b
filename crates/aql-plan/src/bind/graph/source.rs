//! The source of edges of a traversal or path search: a named graph, or a list of edge collections.

use std::collections::HashSet;

use aql_syntax::ast::{Direction, EdgeCollection, GraphName, GraphSource};
use errors::{Error, ErrorCode, Result};

use crate::bind::Binder;
use crate::catalog::{CollectionInfo, GraphInfo};
use crate::error;
use crate::node::{EdgeAccess, EdgeDirection, EdgeLookup, GraphAccess};

impl Binder<'_> {
    pub(super) fn graph_source(&mut self, source: &GraphSource, direction: Direction) -> Result<GraphAccess> {
        match source {
            GraphSource::Named(name, _) => {
                let name = self.graph_name(name)?.to_owned();
                let graph = self.sources.graph(&name).ok_or_else(|| Error::graph_not_found(&name))?;
                self.named_graph(&graph, direction)
            }
            GraphSource::EdgeCollections(list) => self.edge_collections(list, direction),
        }
    }

    fn graph_name<'n>(&self, name: &'n GraphName) -> Result<&'n str>
    where
        Self: 'n,
    {
        match name {
            GraphName::Name(name) => Ok(name),
            GraphName::BindParameter(name) => {
                self.parameters.value(name)?.as_str().ok_or_else(|| error::parameter_type(name))
            }
            GraphName::DataSourceBindParameter(name) => self.parameters.data_source(name),
        }
    }

    /// Returns the edge collections of the graph, all in the same direction.
    fn named_graph(&mut self, graph: &GraphInfo, direction: Direction) -> Result<GraphAccess> {
        let mut edges = Vec::with_capacity(graph.edge_definitions.len());
        for definition in &graph.edge_definitions {
            self.add_edges(&mut edges, &definition.collection, direction)?;
        }
        if edges.is_empty() {
            return Err(Error::new(
                ErrorCode::GraphEmpty,
                format!("graph '{}' has no edge collections", graph.name),
            ));
        }
        let definitions = graph.edge_definitions.iter();
        let named = definitions.flat_map(|definition| definition.from.iter().chain(&definition.to));
        let mut seen: HashSet<&str> = HashSet::new();
        let mut vertex_collections = Vec::new();
        for name in named.chain(&graph.orphan_collections) {
            if seen.insert(name) {
                vertex_collections.push(self.sources.name(name)?.reference);
            }
        }
        let graph = Some(graph.name.clone());
        Ok(GraphAccess { edges, vertex_collections, graph })
    }

    /// Returns the listed collections. A collection listed twice counts once, and must have the
    /// same direction.
    fn edge_collections(&mut self, list: &[EdgeCollection], default: Direction) -> Result<GraphAccess> {
        let mut edges = Vec::with_capacity(list.len());
        let mut seen: Vec<(String, Direction)> = Vec::with_capacity(list.len());
        for item in list {
            let name = self.data_source_name(&item.collection)?.to_owned();
            let direction = item.direction.unwrap_or(default);
            match seen.iter().find(|(known, _)| *known == name) {
                Some((_, known)) if *known == direction => {}
                Some(_) => {
                    let message = format!("conflicting directions specified for collection '{name}'");
                    return Err(error::parse(message));
                }
                None => {
                    self.add_edges(&mut edges, &name, direction)?;
                    seen.push((name, direction));
                }
            }
        }
        let vertex_collections = self.with.clone();
        Ok(GraphAccess { edges, vertex_collections, graph: None })
    }

    fn add_edges(&mut self, edges: &mut Vec<EdgeAccess>, name: &str, direction: Direction) -> Result<()> {
        let info = self.sources.read(name)?;
        let directions: &[EdgeDirection] = match direction {
            Direction::Outbound => &[EdgeDirection::Outbound],
            Direction::Inbound => &[EdgeDirection::Inbound],
            Direction::Any => &[EdgeDirection::Outbound, EdgeDirection::Inbound],
        };
        for direction in directions {
            edges.push(EdgeAccess {
                collection: info.reference.clone(),
                direction: *direction,
                lookup: edge_lookup(&info)?,
                at_depth: Vec::new(),
            });
        }
        Ok(())
    }
}

/// Returns the lookup in the edge index, which every edge collection has.
///
/// Errors: 1218 for a collection of documents.
fn edge_lookup(info: &CollectionInfo) -> Result<EdgeLookup> {
    if !info.is_edge {
        return Err(error::not_an_edge_collection(&info.reference.name));
    }
    let index = info.indexes.iter().find(|index| index.is_edge_index());
    let index = index.ok_or_else(|| Error::internal("an edge collection without edge index"))?.clone();
    Ok(EdgeLookup::by_edge_index(index))
}
