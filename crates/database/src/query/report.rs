//! The report on a query that has ended: `extra` of its reply.

use std::collections::HashMap;
use std::time::Duration;

use aql_exec::{ExecutionStatistics, NodeStatistics};
use aql_value::Warning;
use velocypack::json::JsonBuilder;
use velocypack::{Builder, Slice, ValueWriter};

use crate::query::prepare::PreparedQuery;
use crate::state::cursor::encoder::Format;

/// Bytes that `extra` of a reply usually takes, without warnings, profile and plan.
const ROOM_BYTES: usize = 512;

/// The parts of `extra` of a reply.
pub(super) struct Report<'a> {
    pub(super) query: &'a PreparedQuery,
    pub(super) statistics: &'a ExecutionStatistics,
    pub(super) warnings: &'a [Warning],
    pub(super) instantiating: Duration,
    pub(super) executing: Duration,
    pub(super) finalizing: Duration,
    /// The time from the first stage to the last.
    pub(super) taken: Duration,
    /// The plan, if the client asked for it.
    pub(super) plan: Option<Slice<'a>>,
}

impl Report<'_> {
    /// Returns `extra` in the format of the reply.
    pub(super) fn to_bytes(&self, format: Format) -> velocypack::Result<Vec<u8>> {
        match format {
            Format::Json => {
                let mut out = JsonBuilder::with_capacity(ROOM_BYTES);
                self.write(&mut out)?;
                Ok(out.into_vec())
            }
            Format::VelocyPack => {
                let mut out = Builder::with_capacity(ROOM_BYTES);
                self.write(&mut out)?;
                Ok(out.into_vec())
            }
        }
    }

    fn write(&self, out: &mut impl ValueWriter) -> velocypack::Result<()> {
        out.open_object()?;
        out.plain_key("warnings")?;
        out.open_array()?;
        for warning in self.warnings {
            out.open_object()?;
            number_field(out, "code", warning.code.number().into())?;
            out.plain_key("message")?;
            out.add_str(&warning.message)?;
            out.close_object()?;
        }
        out.close_array()?;
        self.stats(out)?;
        if self.query.request.options.profile >= 1 {
            self.profile(out)?;
        }
        if let Some(plan) = self.plan {
            out.plain_key("plan")?;
            out.add_slice(plan)?;
        }
        out.close_object()
    }

    /// Writes counters under ArangoDB's names. Those of a cluster are
    /// zero.
    fn stats(&self, out: &mut impl ValueWriter) -> velocypack::Result<()> {
        let own = self.statistics;
        out.plain_key("stats")?;
        out.open_object()?;
        let counters = [
            ("writesExecuted", own.writes_executed),
            ("writesIgnored", own.writes_ignored),
            ("documentLookups", own.document_lookups),
            ("seeks", own.seeks),
            ("scannedFull", own.scanned_full),
            ("scannedIndex", own.scanned_index),
            // ArangoDB reports one thread for queries without a search too.
            ("searchParallelism", own.search_threads.max(1)),
            ("cursorsCreated", own.cursors_created),
            ("cursorsRearmed", own.cursors_rearmed),
            ("cacheHits", own.cache.hits),
            ("cacheMisses", own.cache.misses),
            ("filtered", own.filtered),
            ("httpRequests", 0),
        ];
        for (name, value) in counters {
            number_field(out, name, value)?;
        }
        // Without a LIMIT at the top, the full count is the number of results.
        if own.full_count.is_some() || self.query.request.options.full_count {
            number_field(out, "fullCount", own.full_count.unwrap_or(0).max(own.results))?;
        }
        out.plain_key("executionTime")?;
        out.add_f64(self.taken.as_secs_f64())?;
        number_field(out, "peakMemoryUsage", own.peak_memory_bytes)?;
        number_field(out, "intermediateCommits", own.intermediate_commits)?;
        if let Some(plan) = self.plan {
            self.nodes(out, plan)?;
        }
        out.close_object()
    }

    /// Writes the counters of the nodes that the plan shows; others mean nothing to a client.
    ///
    /// `parallel` counts batches that were computed ahead. No node computes any, so it is zero.
    fn nodes(&self, out: &mut impl ValueWriter, plan: Slice<'_>) -> velocypack::Result<()> {
        let marks = marks(plan, &self.statistics.nodes);
        out.plain_key("nodes")?;
        out.open_array()?;
        for node in &self.statistics.nodes {
            let Some(marks) = marks.get(&u64::from(node.id.0)) else { continue };
            out.open_object()?;
            number_field(out, "id", node.id.0.into())?;
            number_field(out, "calls", node.calls)?;
            number_field(out, "parallel", 0)?;
            number_field(out, "items", node.items + marks)?;
            number_field(out, "filtered", node.filtered)?;
            for (name, time) in [("runtime", node.runtime), ("fetching", node.fetching)] {
                out.plain_key(name)?;
                out.add_f64(time.as_secs_f64())?;
            }
            out.close_object()?;
        }
        out.close_array()
    }

    fn profile(&self, out: &mut impl ValueWriter) -> velocypack::Result<()> {
        let times = &self.query.times;
        out.plain_key("profile")?;
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
            out.plain_key(name)?;
            out.add_f64(time.as_secs_f64())?;
        }
        out.close_object()
    }
}

/// Returns the nodes that the plan shows, each with the number of rows that mark the end of a
/// subquery's run.
///
/// In ArangoDB such a row passes through all nodes of the subquery, and through those of subqueries
/// in it, so items of profiles count it. Here no such rows exist.
fn marks(plan: Slice<'_>, measured: &[NodeStatistics]) -> HashMap<u64, u64> {
    let items =
        |id: u64| measured.iter().find(|node| u64::from(node.id.0) == id).map_or(0, |node| node.items);
    let mut runs: Vec<u64> = Vec::new();
    let mut marks = HashMap::new();
    for node in plan.get("nodes").into_iter().flat_map(Slice::elements) {
        let Some(id) = node.get("id").and_then(Slice::as_u64) else { continue };
        match node.get("type").and_then(Slice::as_str) {
            Some("SubqueryStartNode") => runs.push(items(id)),
            Some("SubqueryEndNode") => {
                runs.pop();
            }
            _ => {}
        }
        marks.insert(id, runs.iter().sum());
    }
    marks
}

fn number_field(out: &mut impl ValueWriter, name: &'static str, value: u64) -> velocypack::Result<()> {
    out.plain_key(name)?;
    out.add_u64(value)
}
