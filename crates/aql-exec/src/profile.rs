//! Time and rows of single nodes, measured only when the query asks for it.

use std::time::Duration;

use aql_plan::NodeId;

use crate::statistics::NodeStatistics;

/// The measurements of the wrappers.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    pub(crate) nodes: Vec<NodeStatistics>,
    /// Time of the nodes that the current one has called, since it was called.
    pub(crate) asked: Duration,
    /// Rows that the current node's filter has removed since it was called.
    pub(crate) filtered: u64,
}

impl Profile {
    /// Adds to the current node's filtered rows.
    pub(crate) fn count_filtered(&mut self, rows: u64) {
        self.filtered += rows;
    }

    /// Returns all measurements by number of node.
    pub(crate) fn take_nodes(&mut self) -> Vec<NodeStatistics> {
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.sort_by_key(|node| node.id);
        nodes
    }

    /// Adds a place for a node and returns its position.
    pub(crate) fn register(&mut self, id: NodeId) -> usize {
        let (runtime, fetching) = (Duration::ZERO, Duration::ZERO);
        self.nodes.push(NodeStatistics { id, calls: 0, items: 0, filtered: 0, runtime, fetching });
        self.nodes.len() - 1
    }
}
