//! What a query has done, in numbers: `extra.stats` of a cursor reply.

use aql_plan::NodeId;
use std::time::Duration;

/// Counters of a query, under ArangoDB's names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecutionStatistics {
    /// Documents inserted, updated, replaced or removed.
    pub writes_executed: u64,
    /// Writes that failed and were passed over (`ignoreErrors`), or that found nothing to do (`overwriteMode:
    /// "ignore"`).
    pub writes_ignored: u64,
    /// Commits before the end, because much was written.
    pub intermediate_commits: u64,
    /// Documents fetched by their key after an index was read.
    pub document_lookups: u64,
    /// Times that an index of a `JoinNode` or a multi-dimensional one was positioned anew.
    pub seeks: u64,
    /// Look-ups in indexes by ranges, values and boxes.
    pub cursors_created: u64,
    /// Documents read by scans of whole collections.
    pub scanned_full: u64,
    /// Index entries read.
    pub scanned_index: u64,
    /// Rows that filters left out.
    pub filtered: u64,
    /// Rows before the last LIMIT of the query, if the option `fullCount` is set.
    pub full_count: Option<u64>,
    /// Results that were asked for and given.
    pub results: u64,
    /// The most bytes that the query had accounted for at one time.
    pub peak_memory_bytes: u64,
    /// Per node, in the order of their numbers; only with profiling.
    pub nodes: Vec<NodeStatistics>,
}

/// Counters of one node (`stats.nodes` of a query with `profile: 2`).
#[derive(Debug, Clone, PartialEq)]
pub struct NodeStatistics {
    /// The node in the plan.
    pub id: NodeId,
    /// Batches of rows that it was asked for, without the call that finds the end; at least 1 once it was called.
    pub calls: u64,
    /// Rows that it produced.
    pub items: u64,
    /// Rows that its filter left out.
    pub filtered: u64,
    /// Time in the node and in the nodes that it asked.
    pub runtime: Duration,
    /// Part of `runtime` that was spent in the nodes that it asked.
    pub fetching: Duration,
}
