//! The metrics of queries and transactions: handles, names and help texts.
//!
//! [`crate::Instance::register_metrics`] registers them, together with those of the store.

use std::time::Duration;

use metrics::{Counter, Histogram, Metric};

/// ArangoDB's bucket bounds for the run times of queries, in seconds.
const TIME_CUTS: [f64; 19] = [
    0.000095, 0.000191, 0.000381, 0.000763, 0.001526, 0.003052, 0.006104, 0.012207, 0.024414, 0.048828,
    0.097656, 0.195312, 0.390625, 0.78125, 1.5625, 3.125, 6.25, 12.5, 25.0,
];

/// ArangoDB's bucket bounds for the run times of slow queries, in seconds.
const SLOW_TIME_CUTS: [f64; 9] =
    [4.904297, 8.808594, 16.617188, 32.234375, 63.46875, 125.9375, 250.875, 500.75, 1000.5];

/// The run times of queries that have ended.
#[derive(Debug)]
pub(crate) struct QueryTimes {
    pub(crate) all: Histogram<19>,
    pub(crate) slow: Histogram<9>,
}

impl Default for QueryTimes {
    fn default() -> Self {
        QueryTimes { all: Histogram::of_times(&TIME_CUTS), slow: Histogram::of_times(&SLOW_TIME_CUTS) }
    }
}

impl QueryTimes {
    /// Returns the number of queries that have ended.
    pub(crate) fn count(&self) -> u64 {
        self.all.summary().count()
    }

    /// Returns the total run time of all queries.
    pub(crate) fn total(&self) -> Duration {
        Duration::from_secs_f64(self.all.summary().sum)
    }
}

pub(crate) const QUERY_TIMES: &[Metric<QueryTimes>] = &[
    Metric::counter("arangodb_aql_all_query_total", "Total number of finished AQL queries.", |times| {
        times.count().into()
    }),
    Metric::counter(
        "arangodb_aql_total_query_time_msec_total",
        "Total execution time of AQL queries in milliseconds.",
        |times| (times.total().as_millis() as u64).into(),
    ),
    Metric::histogram("arangodb_aql_query_time", "Execution time of AQL queries in seconds.", |times| {
        (&times.all).into()
    }),
    Metric::histogram(
        "arangodb_aql_slow_query_time",
        "Execution time of slow AQL queries in seconds.",
        |times| (&times.slow).into(),
    ),
];

/// The lookups in the plan cache.
#[derive(Debug, Default)]
pub(crate) struct PlanLookups {
    pub(crate) hits: Counter,
    pub(crate) misses: Counter,
}

pub(crate) const PLAN_LOOKUPS: &[Metric<PlanLookups>] = &[
    Metric::counter(
        "arangodb_aql_query_plan_cache_hits_total",
        "Total number of plan lookups served by the plan cache.",
        |lookups| (&lookups.hits).into(),
    ),
    Metric::counter(
        "arangodb_aql_query_plan_cache_misses_total",
        "Total number of plan lookups not served by the plan cache.",
        |lookups| (&lookups.misses).into(),
    ),
];

/// The resources that queries, cursors and dumps use at one moment.
pub(crate) struct QueryResources {
    pub(crate) running_queries: usize,
    pub(crate) global_memory_limit_reached: u64,
    pub(crate) local_memory_limit_reached: u64,
    pub(crate) cursors: usize,
    pub(crate) dumps: usize,
    pub(crate) dump_memory_bytes: u64,
    pub(crate) dump_batches: usize,
    pub(crate) memory_used_bytes: u64,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) cached_plans: usize,
}

pub(crate) const RUNNING_QUERIES: &[Metric<QueryResources>] =
    &[Metric::gauge("arangodb_aql_current_query", "Number of running AQL queries.", |used| {
        used.running_queries.into()
    })];

pub(crate) const QUERY_RESOURCES: &[Metric<QueryResources>] = &[
    Metric::counter(
        "arangodb_aql_global_query_memory_limit_reached_total",
        "Total number of times that the memory limit of all queries was reached.",
        |used| used.global_memory_limit_reached.into(),
    ),
    Metric::counter(
        "arangodb_aql_local_query_memory_limit_reached_total",
        "Total number of times that the memory limit of a single query was reached.",
        |used| used.local_memory_limit_reached.into(),
    ),
    Metric::gauge("arangodb_aql_cursors_active", "Number of open cursors and exports.", |used| {
        used.cursors.into()
    }),
    Metric::gauge("arangodb_dump_ongoing", "Number of ongoing parallel dumps.", |used| used.dumps.into()),
    Metric::gauge(
        "arangodb_dump_memory_usage",
        "Size in bytes of dump results that are waiting for clients.",
        |used| used.dump_memory_bytes.into(),
    ),
    Metric::gauge("persea_dump_batches", "Number of snapshots held by dumps.", |used| {
        used.dump_batches.into()
    }),
    Metric::gauge("arangodb_aql_global_memory_usage", "Memory used by all queries in bytes.", |used| {
        used.memory_used_bytes.into()
    }),
    Metric::gauge("arangodb_aql_global_memory_limit", "Memory limit of all queries in bytes.", |used| {
        used.memory_limit_bytes.into()
    }),
];

pub(crate) const CACHED_PLANS: &[Metric<QueryResources>] =
    &[Metric::gauge("persea_query_plans_cached", "Number of plans in the plan cache.", |used| {
        used.cached_plans.into()
    })];

/// The change log and its readers at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChangeLogUse {
    pub(crate) size_bytes: u64,
    pub(crate) last_position: u64,
    pub(crate) feeds: usize,
    pub(crate) subscription_lag: u64,
}

pub(crate) const CHANGE_LOG: &[Metric<ChangeLogUse>] = &[
    Metric::gauge("persea_changes_size_bytes", "Estimated size of the change log on disk in bytes.", |log| {
        log.size_bytes.into()
    }),
    Metric::gauge(
        "persea_changes_last_position",
        "Last position of the change log; 0 while it is not written.",
        |log| log.last_position.into(),
    ),
    Metric::gauge("persea_changes_feeds", "Number of open feeds of changes.", |log| log.feeds.into()),
    Metric::gauge(
        "persea_changes_subscription_lag",
        "Number of positions of the change log that the slowest subscription is behind.",
        |log| log.subscription_lag.into(),
    ),
];

/// The work of following another server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FollowUse {
    pub(crate) is_copy: bool,
    pub(crate) lag_seconds: f64,
    pub(crate) lag_entries: u64,
    pub(crate) entries: u64,
    pub(crate) copied_documents: u64,
}

pub(crate) const FOLLOW: &[Metric<FollowUse>] = &[
    Metric::gauge(
        "persea_follow_active",
        "1 while the server is a copy of another one, 0 otherwise.",
        |follow| u64::from(follow.is_copy).into(),
    ),
    Metric::gauge(
        "persea_follow_lag_seconds",
        "Time in seconds for which something at the followed server may not have been applied.",
        |follow| follow.lag_seconds.into(),
    ),
    Metric::gauge(
        "persea_follow_lag_entries",
        "Number of positions of the followed server's log that have not been applied.",
        |follow| follow.lag_entries.into(),
    ),
    Metric::counter(
        "persea_follow_entries_total",
        "Total number of entries of the followed server's log that were applied.",
        |follow| follow.entries.into(),
    ),
    Metric::counter(
        "persea_follow_copied_documents_total",
        "Total number of documents copied from the followed server.",
        |follow| follow.copied_documents.into(),
    ),
];

/// The group of servers in which this one is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupUse {
    pub(crate) leads: bool,
    pub(crate) epoch: u64,
    pub(crate) set_aside: u64,
}

pub(crate) const GROUP: &[Metric<GroupUse>] = &[
    Metric::gauge("persea_group_leads", "1 while the server leads its group, 0 otherwise.", |group| {
        u64::from(group.leads).into()
    }),
    Metric::gauge(
        "persea_group_epoch",
        "Number of leaders that the group has appointed; 0 for a server in no group.",
        |group| group.epoch.into(),
    ),
    Metric::gauge(
        "persea_group_set_aside_files",
        "Number of files with writes that only the server had when another one became the leader.",
        |group| group.set_aside.into(),
    ),
];

/// The use of graph analytics at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnalyticsUse {
    pub(crate) projections: u64,
    pub(crate) projection_bytes: u64,
    pub(crate) running_jobs: u64,
    pub(crate) runs: u64,
}

pub(crate) const ANALYTICS: &[Metric<AnalyticsUse>] = &[
    Metric::gauge("persea_analytics_projections", "Number of graphs that stay in memory.", |used| {
        used.projections.into()
    }),
    Metric::gauge("persea_analytics_projection_bytes", "Bytes of the graphs that stay in memory.", |used| {
        used.projection_bytes.into()
    }),
    Metric::gauge("persea_analytics_running_jobs", "Number of jobs of graph analytics that run.", |used| {
        used.running_jobs.into()
    }),
    Metric::counter("persea_analytics_runs_total", "Total number of runs of graph algorithms.", |used| {
        used.runs.into()
    }),
];

/// The deliveries to webhooks since the start of the server.
#[derive(Debug, Default)]
pub(crate) struct WebhookCounts {
    pub(crate) deliveries: Counter,
    pub(crate) failures: Counter,
    pub(crate) dead_letters: Counter,
}

pub(crate) const WEBHOOK_COUNTS: &[Metric<WebhookCounts>] = &[
    Metric::counter(
        "persea_webhook_deliveries_total",
        "Total number of deliveries that webhooks' receivers accepted.",
        |counts| (&counts.deliveries).into(),
    ),
    Metric::counter(
        "persea_webhook_failures_total",
        "Total number of failed attempts to deliver to webhooks.",
        |counts| (&counts.failures).into(),
    ),
    Metric::counter(
        "persea_webhook_dead_letters_total",
        "Total number of deliveries given up after all attempts.",
        |counts| (&counts.dead_letters).into(),
    ),
];

/// The webhooks at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WebhookLags {
    pub(crate) webhooks: u64,
    pub(crate) total: u64,
    pub(crate) most: u64,
}

pub(crate) const WEBHOOK_LAGS: &[Metric<WebhookLags>] = &[
    Metric::gauge("persea_webhooks", "Number of webhooks.", |lags| lags.webhooks.into()),
    Metric::gauge(
        "persea_webhook_lag",
        "Number of entries of the change log that webhooks have not delivered, in total.",
        |lags| lags.total.into(),
    ),
    Metric::gauge(
        "persea_webhook_lag_max",
        "Number of entries of the change log that the slowest webhook has not delivered.",
        |lags| lags.most.into(),
    ),
];

/// The numbers of transactions since the start of the server.
#[derive(Debug, Default)]
pub struct TransactionCounts {
    /// Stream transactions that began.
    pub begun: Counter,
    /// Stream transactions that were committed.
    pub committed: Counter,
    /// Stream transactions that were aborted, for any reason.
    pub aborted: Counter,
    /// Stream transactions that were aborted after their idle time.
    pub expired: Counter,
    /// Those of [`TransactionCounts::read_only`] that any replica of the data may answer.
    pub dirty_read_only: Counter,
    /// Queries and other reads outside of stream transactions, and stream transactions that may
    /// write nothing.
    pub read_only: Counter,
}

pub(crate) const TRANSACTIONS: &[Metric<TransactionCounts>] = &[
    Metric::counter(
        "arangodb_transactions_expired_total",
        "Total number of stream transactions aborted after their idle timeout.",
        |counts| (&counts.expired).into(),
    ),
    Metric::counter(
        "arangodb_read_transactions_total",
        "Total number of read-only transactions, including single queries and reads.",
        |counts| (&counts.read_only).into(),
    ),
    Metric::counter(
        "arangodb_dirty_read_transactions_total",
        "Total number of read-only transactions whose reads any replica of the data may answer.",
        |counts| (&counts.dirty_read_only).into(),
    ),
    Metric::counter(
        "persea_stream_transactions_begun_total",
        "Total number of stream transactions.",
        |counts| (&counts.begun).into(),
    ),
    Metric::counter(
        "persea_stream_transactions_committed_total",
        "Total number of committed stream transactions.",
        |counts| (&counts.committed).into(),
    ),
    Metric::counter(
        "persea_stream_transactions_aborted_total",
        "Total number of aborted stream transactions.",
        |counts| (&counts.aborted).into(),
    ),
];

pub(crate) const OPEN_TRANSACTIONS: &[Metric<usize>] =
    &[Metric::gauge("persea_stream_transactions_open", "Number of open stream transactions.", |open| {
        (*open).into()
    })];
