//! `--query`: queries, their limits, and the caches of plans and results.

use std::time::Duration;

use database::query::QueryDefaults;
use database::query::query_log::QueryLogOptions;
use database::query::registry::TrackingProperties;
use database::query::request::MAX_TTL_SECONDS;
use database::query::results_cache::{CacheMode, CacheProperties};
use database::{Instance, InstanceOptions, Parallelism};
use options::{
    Bytes, Choice, Decimal, Flag, List, Maybe, Number, Opt, Options, Seconds, Text, bytes, choice, decimal,
    flag, number, seconds, text,
};
use storage::MemoryBudget;

use super::{rocksdb, unless_zero};

const CACHE_MODES: &[(&str, CacheMode); 3] =
    &[("off", CacheMode::Off), ("on", CacheMode::On), ("demand", CacheMode::Demand)];

options::section! {
    static CACHE_ENTRIES: Opt<Number> =
        number("query.cache-entries", "128", "Maximum number of results in the results cache of each database; 0 means the default.");
    static CACHE_ENTRIES_MAX_SIZE: Opt<Bytes> =
        bytes("query.cache-entries-max-size", "256MiB", "Maximum total size in bytes of the results cache of each database; 0 means the default.");
    static CACHE_ENTRY_MAX_SIZE: Opt<Bytes> =
        bytes("query.cache-entry-max-size", "16MiB", "Maximum size of a cached result in bytes; 0 means the default.");
    static CACHE_INCLUDE_SYSTEM_COLLECTIONS: Opt<Flag> =
        flag("query.cache-include-system-collections", false, "Cache results that were read from system collections.");
    static CACHE_MODE: Opt<Choice<CacheMode>> =
        choice("query.cache-mode", CACHE_MODES, "off", "Queries that use the results cache: `off` for none, `on` for all, `demand` for those that ask for it.");
    static COLLECTION_LOGGER_ALL_SLOW_QUERIES: Opt<Flag> =
        flag("query.collection-logger-all-slow-queries", true, "Log every slow query into the collection `_queries`, if queries are logged there.");
    static COLLECTION_LOGGER_CLEANUP_INTERVAL: Opt<Number> =
        number("query.collection-logger-cleanup-interval", "600000", "Milliseconds between two removals of old queries from the collection `_queries`.");
    static COLLECTION_LOGGER_ENABLED: Opt<Flag> =
        flag("query.collection-logger-enabled", false, "Log queries that have ended into the collection `_queries` of the system database.");
    static COLLECTION_LOGGER_INCLUDE_SYSTEM_DATABASE: Opt<Flag> =
        flag("query.collection-logger-include-system-database", false, "Log queries of the system database there, too.");
    static COLLECTION_LOGGER_MAX_BUFFERED_QUERIES: Opt<Number> =
        number("query.collection-logger-max-buffered-queries", "4096", "Maximum number of queries that wait to be logged there; further ones are lost.");
    static COLLECTION_LOGGER_PROBABILITY: Opt<Decimal> =
        decimal("query.collection-logger-probability", "0.1", "Chance of a query to be logged there, in percent.");
    static COLLECTION_LOGGER_PUSH_INTERVAL: Opt<Number> =
        number("query.collection-logger-push-interval", "3000", "Maximum time in milliseconds until a query is logged there.");
    static COLLECTION_LOGGER_RETENTION_TIME: Opt<Seconds> =
        seconds("query.collection-logger-retention-time", "28800", "Seconds since its start after which a query is removed there.");
    static FAIL_ON_WARNING: Opt<Flag> =
        flag("query.fail-on-warning", false, "Abort a query on its first warning, unless the query says otherwise.");
    static GLOBAL_MEMORY_LIMIT: Opt<Maybe<Bytes>> =
        bytes("query.global-memory-limit", "", "Maximum memory of all queries together in bytes. Default: a share of --memory-limit.").optional();
    static MAX_COLLECTIONS_PER_QUERY: Opt<Number> =
        number("query.max-collections-per-query", "2048", "Maximum number of collections in a query.");
    static MAX_DNF_CONDITION_MEMBERS: Opt<Number> =
        number("query.max-dnf-condition-members", "786432", "Maximum number of alternatives in a condition that are matched with indexes, unless the query says otherwise; 0 means no limit.");
    static MAX_RUNTIME: Opt<Seconds> =
        seconds("query.max-runtime", "0", "Maximum run time of a query in seconds, unless the query says otherwise; 0 means no limit.");
    static MEMORY_LIMIT: Opt<Bytes> =
        bytes("query.memory-limit", "0", "Maximum memory of a query in bytes; 0 means no limit of its own.");
    static MEMORY_LIMIT_OVERRIDE: Opt<Flag> =
        flag("query.memory-limit-override", true, "Allow queries to ask for a higher memory limit.");
    static OPTIMIZER_MAX_PLANS: Opt<Number> =
        number("query.optimizer-max-plans", "128", "Maximum number of plans to compare for a query, unless the query says otherwise.");
    static OPTIMIZER_RULES: Opt<List<Text>> =
        text("query.optimizer-rules", "", "Disable (-NAME) or enable (+NAME) an optimizer rule, unless a query says otherwise.").list();
    static PARALLELISM: Opt<Number> =
        number("query.parallelism", "0", "Maximum number of threads of a query that scans much of a collection for groups, counts or its first rows; 1 means no other thread, 0 one for each processor.");
    static PLAN_CACHE_MAX_ENTRIES: Opt<Number> =
        number("query.plan-cache-max-entries", "256", "Maximum number of plans in the plan cache of each database.");
    static PLAN_CACHE_MAX_ENTRY_SIZE: Opt<Bytes> =
        bytes("query.plan-cache-max-entry-size", "64KiB", "Maximum size in bytes of the text and parameters of a query in the plan cache.");
    static REGISTRY_TTL: Opt<Seconds> =
        seconds("query.registry-ttl", "0", "Seconds until an idle cursor expires, unless its query says otherwise; 0 means 30.");
    static REQUIRE_WITH: Opt<Flag> =
        flag("query.require-with", false, "Reject traversals of edge collections whose vertex collections are not declared by WITH.");
    static SLOW_STREAMING_THRESHOLD: Opt<Seconds> =
        seconds("query.slow-streaming-threshold", "10", "Seconds after which a streaming query counts as slow.");
    static SLOW_THRESHOLD: Opt<Seconds> =
        seconds("query.slow-threshold", "10", "Seconds after which a query counts as slow.");
    static TRACKING: Opt<Flag> =
        flag("query.tracking", true, "Track running and slow queries.");
    static TRACKING_SLOW_QUERIES: Opt<Flag> =
        flag("query.tracking-slow-queries", true, "Track slow queries.");
    static TRACKING_WITH_BINDVARS: Opt<Flag> =
        flag("query.tracking-with-bindvars", true, "Include bind parameters in the lists of queries.");
    static TRACKING_WITH_QUERYSTRING: Opt<Flag> =
        flag("query.tracking-with-querystring", true, "Include query texts in the lists of queries.");
}

/// Makes the part of the instance's options that concerns queries.
pub(super) fn settings(options: &Options, budget: &MemoryBudget) -> InstanceOptions {
    InstanceOptions {
        query_memory_bytes: unless_zero(options.get(&GLOBAL_MEMORY_LIMIT).unwrap_or(0), budget.query_bytes),
        query_memory_limit_bytes: options.get(&MEMORY_LIMIT),
        query_memory_limit_override: options.get(&MEMORY_LIMIT_OVERRIDE),
        query_max_runtime: Some(options.duration(&MAX_RUNTIME)).filter(|limit| !limit.is_zero()),
        query_requires_with: options.get(&REQUIRE_WITH),
        query_defaults: defaults(options),
        query_log: log(options),
        results_cache: results_cache(options),
        plan_cache_entries: options.size(&PLAN_CACHE_MAX_ENTRIES),
        plan_cache_key_bytes: options.size(&PLAN_CACHE_MAX_ENTRY_SIZE),
        ..InstanceOptions::default()
    }
}

/// Makes the options of the log in the collection `_queries`.
fn log(options: &Options) -> QueryLogOptions {
    QueryLogOptions {
        is_enabled: options.get(&COLLECTION_LOGGER_ENABLED),
        includes_system: options.get(&COLLECTION_LOGGER_INCLUDE_SYSTEM_DATABASE),
        probability: options.get(&COLLECTION_LOGGER_PROBABILITY),
        all_slow: options.get(&COLLECTION_LOGGER_ALL_SLOW_QUERIES),
        push_interval: Duration::from_millis(options.get(&COLLECTION_LOGGER_PUSH_INTERVAL)),
        max_waiting: options.size(&COLLECTION_LOGGER_MAX_BUFFERED_QUERIES),
        retention: options.duration(&COLLECTION_LOGGER_RETENTION_TIME),
        cleanup_interval: Duration::from_millis(options.get(&COLLECTION_LOGGER_CLEANUP_INTERVAL)),
    }
}

/// Makes the settings of queries that specify none themselves.
fn defaults(options: &Options) -> QueryDefaults {
    let default = QueryDefaults::default();
    let branches = options.size(&MAX_DNF_CONDITION_MEMBERS);
    let cursor_ttl = unless_zero(options.duration(&REGISTRY_TTL), default.cursor_ttl);
    QueryDefaults {
        fail_on_warning: options.get(&FAIL_ON_WARNING),
        max_collections: options.size(&MAX_COLLECTIONS_PER_QUERY),
        max_number_of_plans: options.size(&OPTIMIZER_MAX_PLANS).max(1),
        max_condition_branches: unless_zero(branches, default.max_condition_branches),
        parallelism: Parallelism::of_threads(options.size(&PARALLELISM)),
        rules: options.get(&OPTIMIZER_RULES).into_iter().map(str::to_owned).collect(),
        cursor_ttl: cursor_ttl.min(Duration::from_secs_f64(MAX_TTL_SECONDS)),
        ..rocksdb::query_defaults(options)
    }
}

/// Makes the properties of the results cache. Zero stands for the default, as in ArangoDB.
fn results_cache(options: &Options) -> CacheProperties {
    let default = CacheProperties::default();
    CacheProperties {
        mode: options.get(&CACHE_MODE),
        max_results: unless_zero(options.size(&CACHE_ENTRIES), default.max_results),
        max_results_bytes: unless_zero(options.get(&CACHE_ENTRIES_MAX_SIZE), default.max_results_bytes),
        max_entry_bytes: unless_zero(options.get(&CACHE_ENTRY_MAX_SIZE), default.max_entry_bytes),
        include_system: options.get(&CACHE_INCLUDE_SYSTEM_COLLECTIONS),
    }
}

/// Applies the options of query tracking to the instance.
pub(crate) fn track(options: &Options, instance: &Instance) {
    instance.queries().set_default_properties(TrackingProperties {
        enabled: options.get(&TRACKING),
        track_slow_queries: options.get(&TRACKING_SLOW_QUERIES),
        track_bind_vars: options.get(&TRACKING_WITH_BINDVARS),
        track_query_string: options.get(&TRACKING_WITH_QUERYSTRING),
        slow_query_threshold: options.get(&SLOW_THRESHOLD),
        slow_streaming_query_threshold: options.get(&SLOW_STREAMING_THRESHOLD),
        ..TrackingProperties::default()
    });
}
