//! Removal of a vertex or an edge together with all its edges, in all graphs.

use std::collections::BTreeSet;
use std::sync::Arc;

use catalog::GraphDefinition;
use errors::Result;
use kv::BlockLimits;
use storage::{Collection, Durability, EdgeDirection, Transaction, WriteOptions, WriteOutcome};
use velocypack::Slice;

use crate::session::Session;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1_000, bytes: 1 << 20 };

impl Session {
    /// Removes a document and, in the same transaction, its edges in every graph that uses its
    /// collection.
    ///
    /// If a removed edge is itself a vertex of other edges, these are removed as well. The limits
    /// of a transaction bound the number of edges.
    ///
    /// Errors: 1200, 1202, 32, and 11 for an edge in a collection that the user may not write.
    pub(super) fn remove_with_edges(
        &self,
        collection: &Arc<Collection>,
        key: &str,
        options: &WriteOptions,
        durability: Durability,
    ) -> Result<WriteOutcome> {
        let graphs = self.graph_definitions()?;
        let mut reach = Reach::of(self, collection, &graphs)?;
        if reach.edges.iter().any(|edges| edges.lacks_edge_index()) {
            reach.edges.iter().try_for_each(|edges| self.build_edge_index(edges, &|| Ok(())))?;
            reach = Reach::of(self, collection, &graphs)?;
        }
        let mut written = reach.edges.clone();
        written.push(Arc::clone(collection));
        self.in_transaction(&written, &[], durability, |transaction| {
            let outcome = transaction.remove(collection, key, Slice::NONE, options)?;
            let mut removed = vec![format!("{}/{key}", collection.name())];
            while let Some(vertex) = removed.pop() {
                for edges in &reach.edges {
                    self.remove_edges_of(transaction, edges, &vertex, &reach, &mut removed)?;
                }
            }
            Ok(outcome)
        })
    }

    /// Removes the edges of a vertex in one collection. Edges that are vertices themselves are
    /// added to `removed`.
    fn remove_edges_of(
        &self,
        transaction: &mut Transaction,
        edges: &Arc<Collection>,
        vertex: &str,
        reach: &Reach,
        removed: &mut Vec<String>,
    ) -> Result<()> {
        for direction in [EdgeDirection::Outbound, EdgeDirection::Inbound] {
            let mut scan = transaction.view().edges(edges, direction, &[vertex])?;
            while let Some(found) = scan.next_block(READ_LIMITS)? {
                self.require_writable(edges.name())?;
                for edge in found.iter() {
                    let key = edge?.key;
                    transaction.remove(edges, key, Slice::NONE, &WriteOptions::default())?;
                    if reach.vertices.contains(edges.name()) {
                        removed.push(format!("{}/{key}", edges.name()));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The collections that a removal may affect.
struct Reach {
    /// The edge collections that may have edges of removed documents.
    edges: Vec<Arc<Collection>>,
    /// The collections whose documents may have edges.
    vertices: BTreeSet<String>,
}

impl Reach {
    fn of(session: &Session, collection: &Collection, graphs: &[GraphDefinition]) -> Result<Self> {
        let concerned = graphs.iter().filter(|graph| graph.uses(collection.name()));
        let names: BTreeSet<&str> = concerned.flat_map(GraphDefinition::edge_collections).collect();
        let catalog = session.catalog();
        let database = session.database_in(&catalog)?;
        let edges = names.into_iter().filter_map(|name| database.collection(name).cloned());
        let vertices = graphs.iter().flat_map(GraphDefinition::vertex_collections).map(str::to_owned);
        Ok(Reach { edges: edges.filter(|edges| edges.is_edge()).collect(), vertices: vertices.collect() })
    }
}
