//! The counters of a query: `extra.stats` of a cursor reply.

use std::time::Duration;

use aql_plan::NodeId;
use storage::CacheUse;

/// Counters of a query, under ArangoDB's names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecutionStatistics {
    /// Documents inserted, updated, replaced or removed.
    pub writes_executed: u64,
    /// Writes that failed and were ignored (`ignoreErrors`), or that had nothing to do
    /// (`overwriteMode: "ignore"`).
    pub writes_ignored: u64,
    /// Commits before the end of the query.
    pub intermediate_commits: u64,
    /// Documents fetched by their key after an index was read.
    pub document_lookups: u64,
    /// Seeks in an index of a `JoinNode` or an `IndexCollectNode`, or in a multi-dimensional one.
    pub seeks: u64,
    /// Cursors for lookups in indexes by ranges, values and boxes.
    pub cursors_created: u64,
    /// Lookups that reused the cursor of an earlier row.
    pub cursors_rearmed: u64,
    /// Documents read by scans of whole collections.
    pub scanned_full: u64,
    /// Index entries read.
    pub scanned_index: u64,
    /// The most threads that worked on one search in a text index; 0 without a search.
    pub search_threads: u64,
    /// The use of index entries in the read cache.
    pub cache: CacheUse,
    /// Rows that filters removed.
    pub filtered: u64,
    /// Rows before the last LIMIT of the query, if the option `fullCount` is set.
    pub full_count: Option<u64>,
    /// Results that were requested and returned.
    pub results: u64,
    /// The peak of the bytes that the query accounted for.
    pub peak_memory_bytes: u64,
    /// Counters of the nodes, in the order of their numbers; only with profiling.
    pub nodes: Vec<NodeStatistics>,
}

impl ExecutionStatistics {
    /// Returns the statistics without those that tell how many documents exist that the rules of
    /// collections hide from the user.
    #[must_use]
    pub fn concealed(self) -> Self {
        ExecutionStatistics {
            writes_executed: self.writes_executed,
            writes_ignored: self.writes_ignored,
            intermediate_commits: self.intermediate_commits,
            full_count: self.full_count,
            results: self.results,
            peak_memory_bytes: self.peak_memory_bytes,
            ..ExecutionStatistics::default()
        }
    }

    /// Adds the counters of another thread that reads for the query.
    pub(crate) fn add(&mut self, other: &ExecutionStatistics) {
        self.document_lookups += other.document_lookups;
        self.seeks += other.seeks;
        self.cursors_created += other.cursors_created;
        self.cursors_rearmed += other.cursors_rearmed;
        self.scanned_full += other.scanned_full;
        self.scanned_index += other.scanned_index;
        self.search_threads = self.search_threads.max(other.search_threads);
        self.filtered += other.filtered;
        self.cache += other.cache;
    }
}

/// Counters of one node (`stats.nodes` of a query with `profile: 2`).
#[derive(Debug, Clone, PartialEq)]
pub struct NodeStatistics {
    /// The node in the plan.
    pub id: NodeId,
    /// Batches requested from it, without the call that finds the end; at least 1 once it was
    /// called.
    pub calls: u64,
    /// Rows that it produced.
    pub items: u64,
    /// Rows that its filter removed.
    pub filtered: u64,
    /// Time in the node and in the nodes that it called.
    pub runtime: Duration,
    /// The part of `runtime` spent in the nodes that it called.
    pub fetching: Duration,
}

/// The use that an operator makes of its cursors in indexes.
///
/// Each range of a scan has a cursor for an incoming row, which reads all members of a list after
/// IN. The next row reuses it.
#[derive(Debug, Default)]
pub(crate) struct CursorUse {
    created: u64,
    /// The cursors that the present row uses.
    in_row: u64,
}

impl CursorUse {
    pub(crate) fn begin_row(&mut self) {
        self.in_row = 0;
    }

    /// Counts lookups of the present row.
    pub(crate) fn count(&mut self, lookups: u64, statistics: &mut ExecutionStatistics) {
        self.in_row += lookups;
        let created = self.in_row.saturating_sub(self.created);
        self.created += created;
        statistics.cursors_created += created;
        statistics.cursors_rearmed += lookups - created;
    }
}
