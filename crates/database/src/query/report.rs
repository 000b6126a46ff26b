//! What is reported when a query has ended: `extra` of its reply.

use std::time::Duration;

use aql_exec::ExecutionStatistics;
use aql_value::Warning;
use velocypack::Slice;

use crate::cursor::value_writer::{ValueWriter, WriteValue};
use crate::query::prepare::PreparedQuery;

/// What `extra` of a reply is made of.
pub(super) struct Report<'a> {
    pub(super) query: &'a PreparedQuery,
    pub(super) statistics: &'a ExecutionStatistics,
    pub(super) warnings: &'a [Warning],
    pub(super) instantiating: Duration,
    pub(super) executing: Duration,
    pub(super) finalizing: Duration,
    /// From the first stage to the last.
    pub(super) taken: Duration,
    /// The plan, if the client asked for it.
    pub(super) plan: Option<Slice<'a>>,
}

impl WriteValue for Report<'_> {
    fn write(&self, out: &mut impl ValueWriter) -> velocypack::Result<()> {
        out.open_object()?;
        out.key("warnings")?;
        out.open_array()?;
        for warning in self.warnings {
            out.open_object()?;
            number_field(out, "code", warning.number.into())?;
            out.key("message")?;
            out.add_str(&warning.message)?;
            out.close_object()?;
        }
        out.close_array()?;
        self.stats(out)?;
        if self.query.request.options.profile >= 1 {
            self.profile(out)?;
        }
        if let Some(plan) = self.plan {
            out.key("plan")?;
            out.add_slice(plan)?;
        }
        out.close_object()
    }
}

impl Report<'_> {
    /// Counters under ArangoDB's names; those of a cluster and of caches that are not here are zero. One thread is what
    /// `searchParallelism` says of queries that search no view.
    fn stats(&self, out: &mut impl ValueWriter) -> velocypack::Result<()> {
        let own = self.statistics;
        out.key("stats")?;
        out.open_object()?;
        let counters = [
            ("writesExecuted", own.writes_executed),
            ("writesIgnored", own.writes_ignored),
            ("documentLookups", own.document_lookups),
            ("seeks", own.seeks),
            ("scannedFull", own.scanned_full),
            ("scannedIndex", own.scanned_index),
            ("searchParallelism", 1),
            ("cursorsCreated", own.cursors_created),
            ("cursorsRearmed", 0),
            ("cacheHits", 0),
            ("cacheMisses", 0),
            ("filtered", own.filtered),
            ("httpRequests", 0),
        ];
        for (name, value) in counters {
            number_field(out, name, value)?;
        }
        // A query that asks for it and has no LIMIT at its top is told 0, as by ArangoDB.
        let asked = self.query.request.options.full_count.then_some(0);
        if let Some(full_count) = own.full_count.or(asked) {
            number_field(out, "fullCount", full_count)?;
        }
        out.key("executionTime")?;
        out.add_f64(self.taken.as_secs_f64())?;
        number_field(out, "peakMemoryUsage", own.peak_memory_bytes)?;
        number_field(out, "intermediateCommits", own.intermediate_commits)?;
        if let Some(plan) = self.plan {
            self.nodes(out, plan)?;
        }
        out.close_object()
    }

    /// Of the nodes that the plan shows; others mean nothing to a client. `parallel` counts batches that were computed ahead, which no node does.
    fn nodes(&self, out: &mut impl ValueWriter, plan: Slice<'_>) -> velocypack::Result<()> {
        let nodes = plan.get("nodes").into_iter().flat_map(Slice::elements);
        let shown: Vec<u64> = nodes.filter_map(|node| node.get("id")?.as_u64()).collect();
        out.key("nodes")?;
        out.open_array()?;
        for node in self.statistics.nodes.iter().filter(|node| shown.contains(&node.id.0.into())) {
            out.open_object()?;
            number_field(out, "id", node.id.0.into())?;
            number_field(out, "calls", node.calls)?;
            number_field(out, "parallel", 0)?;
            number_field(out, "items", node.items)?;
            number_field(out, "filtered", node.filtered)?;
            for (name, time) in [("runtime", node.runtime), ("fetching", node.fetching)] {
                out.key(name)?;
                out.add_f64(time.as_secs_f64())?;
            }
            out.close_object()?;
        }
        out.close_array()
    }

    fn profile(&self, out: &mut impl ValueWriter) -> velocypack::Result<()> {
        let times = &self.query.times;
        out.key("profile")?;
        out.open_object()?;
        for (name, time) in [
            ("initializing", times.initializing),
            ("parsing", times.parsing),
            ("optimizing ast", times.binding),
            ("loading collections", Duration::ZERO),
            ("instantiating plan", times.building),
            ("optimizing plan", times.optimizing),
            ("instantiating executors", self.instantiating),
            ("executing", self.executing),
            ("finalizing", self.finalizing),
        ] {
            out.key(name)?;
            out.add_f64(time.as_secs_f64())?;
        }
        out.close_object()
    }
}

fn number_field(out: &mut impl ValueWriter, name: &'static str, value: u64) -> velocypack::Result<()> {
    out.key(name)?;
    out.add_u64(value)
}
