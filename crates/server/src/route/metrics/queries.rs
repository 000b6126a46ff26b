//! Queries, their cursors and plans, and dumps.

use database::Session;
use database::query::registry::{SLOW_TIME_CUTS, Scope, TIME_CUTS as QUERY_TIME_CUTS};

use super::Page;

pub(super) fn print(session: &Session, page: &mut Page) {
    let instance = session.instance();
    let running = instance.queries().running(Scope::default()).len();
    page.gauge("arangodb_aql_current_query", "Queries that run.", running);
    page.counter("arangodb_aql_all_query_total", "Queries that have ended.", instance.queries().count());
    page.counter(
        "arangodb_aql_total_query_time_msec_total",
        "Milliseconds that queries ran.",
        instance.queries().total_time().as_millis(),
    );
    page.histogram(
        "arangodb_aql_query_time",
        "Seconds that queries ran.",
        &QUERY_TIME_CUTS,
        &instance.queries().times(),
    );
    page.histogram(
        "arangodb_aql_slow_query_time",
        "Seconds that slow queries ran.",
        &SLOW_TIME_CUTS,
        &instance.queries().slow_times(),
    );
    let (global, local) = instance.query_memory_limits_reached();
    page.counter(
        "arangodb_aql_global_query_memory_limit_reached_total",
        "How often all queries together would have used more memory than allowed.",
        global,
    );
    page.counter(
        "arangodb_aql_local_query_memory_limit_reached_total",
        "How often a query would have used more memory than its own limit.",
        local,
    );
    page.gauge("arangodb_aql_cursors_active", "Open cursors and exports.", instance.cursors().len());
    let dumps = instance.dump_contexts();
    page.gauge("arangodb_dump_ongoing", "Dumps that many requests fetch at once.", dumps.len());
    page.gauge(
        "arangodb_dump_memory_usage",
        "Bytes of dumps that wait for their clients.",
        dumps.memory_bytes(),
    );
    page.gauge("persea_dump_batches", "Snapshots that dumps hold.", instance.batches().len());
    let used = instance.query_memory_used_bytes();
    page.gauge("arangodb_aql_global_memory_usage", "Bytes that all queries use.", used);
    let limit = instance.options().query_memory_bytes;
    page.gauge("arangodb_aql_global_memory_limit", "Bytes that all queries may use.", limit);
    let (hits, misses) = instance.plan_cache().look_ups();
    page.counter("arangodb_aql_query_plan_cache_hits_total", "Plans that were found in the cache.", hits);
    page.counter(
        "arangodb_aql_query_plan_cache_misses_total",
        "Plans that were not found in the cache.",
        misses,
    );
    page.gauge(
        "persea_query_plans_cached",
        "Plans that are kept for queries that come again.",
        instance.plan_cache().len(),
    );
}
