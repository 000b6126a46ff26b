//! The metrics of engines: their names, help texts and values.
//!
//! An engine fills [`EngineStatistics`]. Its own values ([`EngineStatistics::counters`] and
//! [`EngineStatistics::ratios`]) have their names in `metrics.rs` of the engine's crate.

use metrics::{Kind, Metric, Page, Registry, Section, Summary, Value, labels};

use crate::NodeRole;

/// The upper ends, in seconds, of the buckets of [`NodeStatistics::replies`].
pub const REPLY_CUTS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 2.0, 8.0];

/// The statistics of an engine. A number without a meaning for the engine is zero.
#[derive(Clone, Debug, Default)]
pub struct EngineStatistics {
    /// Bytes in the block cache.
    pub cache_used_bytes: u64,
    /// The limit of the block cache in bytes.
    pub cache_limit_bytes: u64,
    /// Bytes in memtables.
    pub memtable_bytes: u64,
    /// Bytes of table files on disk.
    pub disk_bytes: u64,
    /// The number of living snapshots.
    pub snapshots: u64,
    /// The age of the oldest living snapshot in seconds.
    pub oldest_snapshot_seconds: u64,
    /// Commits since the start.
    pub commits: u64,
    /// Reported conflicts since the start.
    pub conflicts: u64,
    /// Number of times that the engine began to slow writes down, since the start.
    pub write_stalls: u64,
    /// Number of times that the engine stopped writes, since the start.
    pub write_stops: u64,
    /// Counters of the engine, under its own names.
    pub counters: Vec<(String, u64)>,
    /// Ratios of the engine, under its own names.
    pub ratios: Vec<(String, f64)>,
    /// The statistics of each part of the engine with files of its own, by name.
    pub column_families: Vec<(String, ColumnFamilyStatistics)>,
    /// The statistics of messages to each process of a shared store, by address.
    pub nodes: Vec<NodeStatistics>,
}

/// The statistics of one part of an engine with memory and files of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnFamilyStatistics {
    /// Bytes in its memtables.
    pub memory_bytes: u64,
    /// Bytes of its table files.
    pub disk_bytes: u64,
}

/// The statistics of messages from this server to one process of a shared store.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeStatistics {
    /// `HOST:PORT` of the process.
    pub address: String,
    /// The kind of the process.
    pub role: NodeRole,
    /// Messages without a reply.
    pub failures: u64,
    /// Messages whose reply is awaited now.
    pub in_flight: u64,
    /// Seconds from a message to its reply, by [`REPLY_CUTS`].
    pub replies: Summary,
    /// Bytes of messages.
    pub sent_bytes: u64,
    /// Bytes of replies.
    pub received_bytes: u64,
}

type EngineMetric = Metric<EngineStatistics>;

const COMMITS: &[EngineMetric] = &[
    Metric::counter(
        "arangodb_transactions_started_total",
        "Total number of transactions with writes.",
        |engine| (engine.commits + engine.conflicts).into(),
    ),
    Metric::counter(
        "arangodb_transactions_aborted_total",
        "Total number of transactions aborted by a write conflict.",
        |engine| engine.conflicts.into(),
    ),
    Metric::counter(
        "arangodb_transactions_committed_total",
        "Total number of committed transactions.",
        |engine| engine.commits.into(),
    ),
];

const CONFLICTS: &[EngineMetric] = &[Metric::counter(
    "persea_write_conflicts_total",
    "Total number of write conflicts between transactions.",
    |engine| engine.conflicts.into(),
)];

const BLOCK_CACHE: &[EngineMetric] = &[
    Metric::gauge("rocksdb_block_cache_capacity", "Capacity of the block cache in bytes.", |engine| {
        engine.cache_limit_bytes.into()
    }),
    Metric::gauge("rocksdb_block_cache_usage", "Size of the block cache in bytes.", |engine| {
        engine.cache_used_bytes.into()
    }),
];

const FILES: &[EngineMetric] = &[
    Metric::gauge("rocksdb_cur_size_all_mem_tables", "Size of all memtables in bytes.", |engine| {
        engine.memtable_bytes.into()
    }),
    Metric::gauge("rocksdb_total_sst_files_size", "Size of all table files in bytes.", |engine| {
        engine.disk_bytes.into()
    }),
    Metric::gauge("rocksdb_live_sst_files_size", "Size of all live table files in bytes.", |engine| {
        engine.disk_bytes.into()
    }),
    Metric::gauge("rocksdb_num_snapshots", "Number of open snapshots.", |engine| engine.snapshots.into()),
    Metric::gauge(
        "persea_oldest_snapshot_seconds",
        "Age of the oldest open snapshot in seconds.",
        |engine| engine.oldest_snapshot_seconds.into(),
    ),
    Metric::counter(
        "arangodb_rocksdb_write_stalls_total",
        "Total number of times that the engine slowed writes down.",
        |engine| engine.write_stalls.into(),
    ),
    Metric::counter(
        "arangodb_rocksdb_write_stops_total",
        "Total number of times that the engine stopped writes.",
        |engine| engine.write_stops.into(),
    ),
];

const NODES: &[Metric<[NodeStatistics]>] = &[
    Metric::counter(
        "persea_cluster_messages_total",
        "Total number of finished messages to each process of the shared store.",
        |nodes| of_each(nodes, |node| (node.replies.count() + node.failures).into()),
    ),
    Metric::counter(
        "persea_cluster_failed_messages_total",
        "Total number of messages to each process of the shared store that got no reply.",
        |nodes| of_each(nodes, |node| node.failures.into()),
    ),
    Metric::gauge(
        "persea_cluster_messages_in_flight",
        "Number of messages to each process of the shared store that are waiting for a reply.",
        |nodes| of_each(nodes, |node| node.in_flight.into()),
    ),
    Metric::counter(
        "persea_cluster_bytes_sent_total",
        "Total size in bytes of messages to each process of the shared store.",
        |nodes| of_each(nodes, |node| node.sent_bytes.into()),
    ),
    Metric::counter(
        "persea_cluster_bytes_received_total",
        "Total size in bytes of replies from each process of the shared store.",
        |nodes| of_each(nodes, |node| node.received_bytes.into()),
    ),
    Metric::histogram(
        "persea_cluster_reply_time",
        "Time until each process of the shared store replies, in seconds.",
        |nodes| of_each(nodes, |node| node.replies.clone().into()),
    ),
];

/// Registers the metrics of an engine, whose statistics `read` returns.
pub fn register(registry: &Registry, read: impl Fn() -> EngineStatistics + Send + Sync + 'static) {
    // Reading the statistics takes system calls, so all metrics share one reading.
    registry.register_writer(move |page| write(&read(), page));
}

fn write(engine: &EngineStatistics, page: &mut Page) {
    page.write_all(Section::Commits, COMMITS, engine);
    page.write_all(Section::Conflicts, CONFLICTS, engine);
    page.write_all(Section::BlockCache, BLOCK_CACHE, engine);
    page.write_all(Section::Engine, FILES, engine);
    for (name, value) in &engine.counters {
        write_own(name, &(*value).into(), page);
    }
    for (name, value) in &engine.ratios {
        write_own(name, &(*value).into(), page);
    }
    if !engine.nodes.is_empty() {
        page.write_all(Section::Cluster, NODES, engine.nodes.as_slice());
    }
}

/// Writes a value that the engine has under a name of its own.
fn write_own(name: &str, value: &Value, page: &mut Page) {
    let help = format!("The engine's own value '{name}'.");
    page.write(Section::Engine, &name.replace(['.', '-'], "_"), Kind::Gauge, &help, value);
}

fn of_each(nodes: &[NodeStatistics], value: fn(&NodeStatistics) -> Value) -> Value {
    Value::Labelled(nodes.iter().map(|node| (labels_of(node), value(node))).collect())
}

fn labels_of(node: &NodeStatistics) -> String {
    let role = match node.role {
        NodeRole::Data => "data",
        NodeRole::Placement => "placement",
    };
    labels(&[("store", &node.address), ("role", role)])
}

#[cfg(test)]
mod tests {
    use metrics::Histogram;

    use super::*;

    fn page(engine: &EngineStatistics) -> String {
        let (registry, engine) = (Registry::default(), engine.clone());
        register(&registry, move || engine.clone());
        registry.page()
    }

    #[test]
    fn values_of_the_engine_have_its_own_names() {
        let counters = vec![("engine.log-bytes".to_owned(), 7)];
        let page = page(&EngineStatistics { counters, ..EngineStatistics::default() });
        assert!(page.ends_with(
            "# HELP engine_log_bytes The engine's own value 'engine.log-bytes'.\n\
             # TYPE engine_log_bytes gauge\nengine_log_bytes 7\n"
        ));
        assert!(!page.contains("persea_cluster"), "{page}");
    }

    #[test]
    fn a_shared_store_has_the_metrics_of_each_process() {
        let replies = Histogram::of_times(&REPLY_CUTS);
        replies.add(1_500);
        let node = NodeStatistics {
            address: "a:1".to_owned(),
            role: NodeRole::Data,
            failures: 2,
            in_flight: 3,
            replies: replies.summary(),
            sent_bytes: 40,
            received_bytes: 50,
        };
        let page = page(&EngineStatistics { nodes: vec![node], ..EngineStatistics::default() });
        let of_node = r#"{store="a:1",role="data"}"#;
        let values = [
            ("persea_cluster_messages_total", "counter", 3),
            ("persea_cluster_failed_messages_total", "counter", 2),
            ("persea_cluster_messages_in_flight", "gauge", 3),
            ("persea_cluster_bytes_sent_total", "counter", 40),
            ("persea_cluster_bytes_received_total", "counter", 50),
        ];
        for (name, kind, value) in values {
            assert!(
                page.contains(&format!("# TYPE {name} {kind}\n{name}{of_node} {value}\n")),
                "{name}: {page}"
            );
        }
        assert!(page.contains("# TYPE persea_cluster_reply_time histogram\n"), "{page}");
        let bucket = r#"persea_cluster_reply_time_bucket{store="a:1",role="data",le="0.002"} 1"#;
        assert!(page.contains(bucket) && page.contains(&format!("reply_time_count{of_node} 1\n")), "{page}");
    }
}
