//! The storage engine and the caches in front of it.

use std::fmt::Display;

use database::Session;

use super::Page;

pub(super) fn print(session: &Session, page: &mut Page) {
    let figures = session.engine_statistics();
    page.counter(
        "arangodb_transactions_started_total",
        "Transactions that wrote.",
        figures.commits + figures.conflicts,
    );
    page.counter(
        "arangodb_transactions_aborted_total",
        "Transactions that met the writes of another.",
        figures.conflicts,
    );
    page.counter(
        "arangodb_transactions_committed_total",
        "Transactions that were committed.",
        figures.commits,
    );
    page.counter(
        "arangodb_intermediate_commits_total",
        "Commits of queries before their end.",
        session.intermediate_commits(),
    );
    page.counter(
        "persea_write_conflicts_total",
        "Writes that met those of another transaction.",
        figures.conflicts,
    );
    page.gauge(
        "rocksdb_block_cache_capacity",
        "Bytes that the block cache may use.",
        figures.cache_limit_bytes,
    );
    page.gauge("rocksdb_block_cache_usage", "Bytes in the block cache.", figures.cache_used_bytes);
    let kept = session.read_cache_statistics();
    page.gauge(
        "rocksdb_cache_limit",
        "Bytes that documents and edges read lately may use.",
        kept.limit_bytes,
    );
    page.gauge("rocksdb_cache_allocated", "Bytes of documents and edges read lately.", kept.used_bytes);
    let look_ups = (kept.hits + kept.misses).max(1);
    page.gauge(
        "rocksdb_cache_hit_rate_lifetime",
        "Share of the lookups of documents and edges that found them there.",
        kept.hits as f64 / look_ups as f64,
    );
    page.gauge("rocksdb_cur_size_all_mem_tables", "Bytes in memtables.", figures.memtable_bytes);
    page.gauge("rocksdb_total_sst_files_size", "Bytes of table files on disk.", figures.disk_bytes);
    page.gauge("rocksdb_live_sst_files_size", "Bytes of table files on disk.", figures.disk_bytes);
    page.gauge("rocksdb_num_snapshots", "Snapshots that are alive.", figures.snapshots);
    page.gauge(
        "persea_oldest_snapshot_seconds",
        "Age of the oldest snapshot, whose versions cannot be forgotten.",
        figures.oldest_snapshot_seconds,
    );
    page.counter(
        "arangodb_rocksdb_write_stalls_total",
        "How often the engine began to slow writes down.",
        figures.write_stalls,
    );
    page.counter(
        "arangodb_rocksdb_write_stops_total",
        "How often the engine began to let writes wait.",
        figures.write_stops,
    );
    for (name, value) in &figures.counters {
        print_engine_figure(name, *value, page);
    }
    for (name, value) in &figures.ratios {
        print_engine_figure(name, *value, page);
    }
}

fn print_engine_figure(name: &str, value: impl Display, page: &mut Page) {
    page.gauge(&name.replace(['.', '-'], "_"), "As the engine reports it.", value);
}
