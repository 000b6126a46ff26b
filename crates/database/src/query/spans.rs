//! The spans of a traced query: the query, its planning, its execution, and slow nodes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use aql_exec::ExecutionStatistics;
use aql_plan::{NodeId, for_each_node};
use errors::Error;
use traces::Span;

use crate::query::prepare::PreparedQuery;

/// The times of an execution.
pub(super) struct Times {
    /// The moment when the first row was asked for.
    pub(super) began: Instant,
    pub(super) executing: Duration,
    /// The time from the first stage to the last.
    pub(super) taken: Duration,
}

/// Records the spans of a query that has ended.
pub(super) fn record(query: &PreparedQuery, times: &Times, statistics: &ExecutionStatistics) {
    let Some(mut span) = begin(query) else { return };
    for (name, value) in [
        ("persea.results", statistics.results),
        ("persea.writes", statistics.writes_executed),
        ("persea.scanned_full", statistics.scanned_full),
        ("persea.scanned_index", statistics.scanned_index),
        ("persea.peak_memory_bytes", statistics.peak_memory_bytes),
    ] {
        span.set(name, value);
    }
    if let Some(trace) = span.trace() {
        let mut execution = trace.part("execute", times.began);
        execution.set("persea.nodes", statistics.nodes.len() as u64);
        let parent = execution.trace();
        execution.end_after(times.executing);
        let slow = statistics.nodes.iter().filter(|node| node.runtime >= trace.node_threshold());
        let types = node_types(query);
        for node in slow {
            let Some(parent) = &parent else { break };
            // A node has no beginning of its own: its batches are spread over the execution.
            let name = format!("{}Node", types.get(&node.id).copied().unwrap_or_default());
            let mut part = parent.part(name, times.began);
            part.set("persea.node.id", u64::from(node.id.0));
            part.set("persea.node.calls", node.calls);
            part.set("persea.node.items", node.items);
            part.set("persea.node.filtered", node.filtered);
            let own = node.runtime.saturating_sub(node.fetching);
            part.set("persea.node.own_time_us", u64::try_from(own.as_micros()).unwrap_or(u64::MAX));
            part.end_after(node.runtime);
        }
    }
    span.end_after(times.taken);
}

/// Records the span of a query that has failed.
pub(super) fn record_failure(query: &PreparedQuery, error: &Error) {
    if let Some(mut span) = begin(query) {
        span.set("persea.error_num", u64::from(error.number()));
        span.fail(error.message());
    }
}

/// Begins the span of a query in the past, with the span of its planning.
fn begin(query: &PreparedQuery) -> Option<Span> {
    let trace = query.session.trace()?;
    let listed = query.registration.query();
    let mut span = trace.part("query", query.started);
    span.set("db.system.name", "arangodb");
    span.set("db.namespace", &*listed.database);
    span.set("db.query.text", listed.text.as_str());
    span.set("persea.query.id", listed.id);
    if let Some(parent) = span.trace() {
        let times = &query.times;
        let mut plan = parent.part("plan", query.started);
        plan.set("persea.plan_cache.hit", query.planned.was_cached);
        for (name, time) in [
            ("persea.plan.parse_us", times.parsing),
            ("persea.plan.bind_us", times.binding),
            ("persea.plan.build_us", times.building),
            ("persea.plan.optimize_us", times.optimizing),
        ] {
            plan.set(name, u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        }
        plan.end_after(
            times.initializing + times.parsing + times.binding + times.building + times.optimizing,
        );
    }
    Some(span)
}

/// Returns the types of all nodes of the plan. Explain puts `Node` after them.
fn node_types(query: &PreparedQuery) -> HashMap<NodeId, &'static str> {
    let mut types = HashMap::new();
    for_each_node(&query.planned.plan.nodes, &mut |node| {
        types.insert(node.id, node.kind.name());
    });
    types
}
