//! Options of ArangoDB that are accepted but have no effect, so that its configuration files and
//! start scripts still work. The log reports each use.
//!
//! Options on which users may rely for security (encryption, auditing, hardening) are refused. So
//! are options that start another action instead of the server.

use options::Unsupported;

/// The options that have no effect, with the reasons.
pub(super) const IGNORED: &[Unsupported] = &[
    Unsupported {
        reason: "it configures V8 or the store of Foxx, which this server does not have",
        names: JAVASCRIPT,
    },
    Unsupported {
        reason: "it configures a cluster or replication of ArangoDB, which this server does not have",
        names: CLUSTER,
    },
    Unsupported {
        reason: "the storage engine tunes itself from --memory-limit and the machine",
        names: ENGINE,
    },
    Unsupported {
        reason: "the key of encrypted data is always random, and the processor's instructions are always used",
        names: ENCRYPTION,
    },
    Unsupported { reason: "text indexes tune themselves from --memory-limit and the machine", names: SEARCH },
    Unsupported {
        reason: "vector indexes always work, and train with the writes that call for it: no build is retried",
        names: VECTORS,
    },
    Unsupported {
        reason: "this server does not have the feature, or implements it without this setting",
        names: OTHER,
    },
];

/// The options that prevent the start, with the reasons.
pub(super) const REFUSED: &[Unsupported] = &[
    Unsupported { reason: "this server does not provide the protection that it asks for", names: SAFETY },
    Unsupported { reason: "this server does not have the action that it asks for", names: ACTIONS },
];

#[rustfmt::skip]
const JAVASCRIPT: &[&str] = &[
    "console",     "foxx.store",
    "frontend.version-check",
    "javascript.allow-external-process-control",
    "javascript.allow-port-testing", "javascript.copy-installation",
        "javascript.environment-variables-allowlist", "javascript.environment-variables-denylist",
    "javascript.files-allowlist", "javascript.files-denylist", "javascript.gc-frequency",
    "javascript.gc-interval", "javascript.harden", "javascript.module-directory",
    "javascript.startup-directory", "javascript.startup-options-allowlist",
    "javascript.startup-options-denylist",
        "javascript.v8-contexts-minimum",
    "javascript.v8-options", "web-interface.version-check",
];

#[rustfmt::skip]
const CLUSTER: &[&str] = &[
    "async-registry.cleanup-timeout", "cluster.my-role", "cluster.require-persisted-id",
    "cluster.shard-synchronization-attempt-timeout",
    "cluster.synchronous-replication-timeout-factor",
    "cluster.synchronous-replication-timeout-maximum",
    "cluster.synchronous-replication-timeout-minimum",
    "cluster.synchronous-replication-timeout-per-4k", "database.default-replication-version",
    "network.idle-connection-ttl", "network.io-threads", "network.max-open-connections",
    "network.max-requests-in-flight", "network.protocol", "network.verify-hosts",
    "replication.auto-start", "replication.connect-timeout",
    "replication.max-parallel-tailing-invocations", "replication.quick-keys-limit",
    "replication.request-timeout", "replication.sync-by-revision",
];

#[rustfmt::skip]
const ENGINE: &[&str] = &[
    "cache.acceleration-factor-for-edge-compression", "cache.high-water-multiplier",
    "cache.ideal-lower-fill-ratio", "cache.ideal-upper-fill-ratio", "cache.max-cache-value-size",
    "cache.max-spare-memory-usage", "cache.min-value-size-for-edge-compression",
    "cache.rebalancing-interval", "rocksdb.allow-fallocate",
    "rocksdb.auto-fill-index-caches-on-startup", "rocksdb.auto-flush-check-interval",
    "rocksdb.auto-flush-min-live-wal-files", "rocksdb.auto-refill-index-caches-on-followers",
    "rocksdb.auto-refill-index-caches-on-modify", "rocksdb.auto-refill-index-caches-queue-capacity",
    "rocksdb.blob-compression-type", "rocksdb.blob-file-size", "rocksdb.blob-file-starting-level",
    "rocksdb.blob-garbage-collection-age-cutoff", "rocksdb.blob-garbage-collection-force-threshold",
    "rocksdb.block-align-data-blocks", "rocksdb.block-cache-estimated-entry-charge",
    "rocksdb.block-cache-jemalloc-allocator", "rocksdb.block-cache-shard-bits",
    "rocksdb.block-cache-size", "rocksdb.block-cache-type", "rocksdb.bloom-filter-bits-per-key",
    "rocksdb.cache-index-and-filter-blocks",
    "rocksdb.cache-index-and-filter-blocks-with-high-priority", "rocksdb.checksum-type",
    "rocksdb.compaction-read-ahead-size", "rocksdb.compaction-style", "rocksdb.create-sha-files",
    "rocksdb.debug-logging", "rocksdb.delayed-write-rate", "rocksdb.dynamic-level-bytes",
    "rocksdb.enable-blob-cache", "rocksdb.enable-blob-files",
    "rocksdb.enable-blob-garbage-collection", "rocksdb.enable-index-compression",
    "rocksdb.enable-pipelined-write", "rocksdb.enable-statistics",
    "rocksdb.enforce-block-cache-size-limit", "rocksdb.exclusive-writes",
    "rocksdb.force-legacy-comparator", "rocksdb.format-version",
    "rocksdb.level0-compaction-trigger", "rocksdb.level0-slowdown-trigger",
    "rocksdb.level0-stop-trigger", "rocksdb.limit-open-files-at-startup",
    "rocksdb.max-bytes-for-level-base", "rocksdb.max-bytes-for-level-multiplier",
    "rocksdb.max-concurrent-index-fill-tasks", "rocksdb.max-parallel-compactions",
    "rocksdb.max-subcompactions", "rocksdb.max-write-buffer-number",
    "rocksdb.max-write-buffer-number-definitions", "rocksdb.max-write-buffer-number-documents",
    "rocksdb.max-write-buffer-number-edge", "rocksdb.max-write-buffer-number-fulltext",
    "rocksdb.max-write-buffer-number-geo", "rocksdb.max-write-buffer-number-mdi",
    "rocksdb.max-write-buffer-number-mdi-prefixed", "rocksdb.max-write-buffer-number-primary",
    "rocksdb.max-write-buffer-number-replicated-logs", "rocksdb.max-write-buffer-number-vector",
    "rocksdb.max-write-buffer-number-vpack", "rocksdb.max-write-buffer-size-to-maintain",
    "rocksdb.min-blob-size", "rocksdb.min-write-buffer-number-to-merge",
    "rocksdb.minimum-disk-free-bytes", "rocksdb.minimum-disk-free-percent", "rocksdb.num-levels",
    "rocksdb.num-threads-priority-high", "rocksdb.num-threads-priority-low",
    "rocksdb.num-uncompressed-levels", "rocksdb.optimize-filters-for-hits",
    "rocksdb.optimize-filters-for-memory", "rocksdb.partition-files-for-documents",
    "rocksdb.partition-files-for-edge-index", "rocksdb.partition-files-for-mdi-index",
    "rocksdb.partition-files-for-persistent-index", "rocksdb.partition-files-for-primary-index",
    "rocksdb.partition-files-for-vector-index", "rocksdb.pending-compactions-slowdown-trigger",
    "rocksdb.pending-compactions-stop-trigger", "rocksdb.periodic-compaction-ttl",
    "rocksdb.pin-l0-filter-and-index-blocks-in-cache", "rocksdb.pin-top-level-index-and-filter",
    "rocksdb.prepopulate-blob-cache", "rocksdb.prepopulate-block-cache",
    "rocksdb.recycle-log-file-num", "rocksdb.reserve-file-metadata-memory",
    "rocksdb.reserve-table-builder-memory", "rocksdb.reserve-table-reader-memory",
    "rocksdb.sync-delay-threshold", "rocksdb.table-block-size", "rocksdb.target-file-size-base",
    "rocksdb.target-file-size-multiplier", "rocksdb.throttle", "rocksdb.throttle-frequency",
    "rocksdb.throttle-lower-bound-bps", "rocksdb.throttle-max-write-rate",
    "rocksdb.throttle-scaling-factor", "rocksdb.throttle-slots",
    "rocksdb.throttle-slow-down-writes-trigger", "rocksdb.total-write-buffer-size",
    "rocksdb.transaction-lock-stripes", "rocksdb.transaction-lock-timeout",
    "rocksdb.use-file-logging", "rocksdb.use-fsync", "rocksdb.use-io_uring",
    "rocksdb.use-range-delete-in-wal", "rocksdb.wal-archive-size-limit", "rocksdb.wal-file-timeout",
    "rocksdb.wal-file-timeout-initial", "rocksdb.write-buffer-size",
];

#[rustfmt::skip]
const SEARCH: &[&str] = &[
    "arangosearch.columns-cache-limit", "arangosearch.columns-cache-only-leader",
    "arangosearch.commit-threads", "arangosearch.commit-threads-idle",
    "arangosearch.consolidation-threads", "arangosearch.consolidation-threads-idle",
    "arangosearch.default-parallelism", "arangosearch.execution-threads-limit",
    "arangosearch.fail-queries-on-out-of-sync", "arangosearch.skip-recovery",
    "arangosearch.threads", "arangosearch.threads-limit",
];

#[rustfmt::skip]
const ENCRYPTION: &[&str] = &[
    "rocksdb.encryption-gen-internal-key", "rocksdb.encryption-hardware-acceleration",
    "temp.intermediate-results-encryption-hardware-acceleration",
];

const VECTORS: &[&str] = &["experimental-vector-index", "vector-index", "vector-index-build-retry-backoff"];

#[rustfmt::skip]
const OTHER: &[&str] = &[
    "activities.registry-cleanup-timeout",
    "auth.maximal-jwt-expiry-time", "auth.minimal-jwt-expiry-time", "backup.files-per-batch",
    "backup.number-parallel-remote-copies",
    "database.auto-upgrade-full-compaction", "database.extended-names-databases",
    "database.force-sync-properties", "database.ignore-datafile-errors", "database.io-heartbeat",
    "database.upgrade-check", "default-language", "default-language-check", "dump.max-batch-size",
    "dump.max-docs-per-batch", "dump.max-memory-usage", "dump.max-parallelism", "fortune",
    "honor-nsswitch", "http.handle-content-encoding-for-unauthenticated-requests", "hund",
    "icu-language", "log.escape", "log.force-direct", "log.foreground-tty", "log.hostname",
    "log.ids", "log.keep-logrotate", "log.line-number", "log.max-queued-entries", "log.performance",
    "log.prefix", "log.request-parameters", "log.role", "log.shorten-filenames", "log.thread",
    "log.thread-name", "log.time-format", "log.use-local-time", "log.use-microtime", "nonce.size",
    "query.allow-collections-in-expressions", "query.log-failed", "query.log-memory-usage-threshold", "query.max-artifact-log-length",
    "query.max-nodes-per-callstack", "query.max-parallelism",
    "query.max-query-async-prefetch-slots", "query.max-total-async-prefetch-slots",
    "query.parallelize-gather-writes", "query.parallelize-traversals",
    "query.plan-cache-invalidation-time", "query.plan-cache-max-memory-usage", "query.smart-joins",
    "query.tracking-with-datasources", "random.generator", "rclone.argument", "rclone.executable",
    "server.allow-use-database",
    "server.authentication-timeout", "server.cluster-metrics-timeout",
    "server.count-descriptors-interval", "server.early-connections",
    "server.ensure-whitespace-metrics-format",
    "server.flush-interval", "server.io-threads", "server.license-check-interval",
    "server.license-disk-usage-grace-period-readonly",
    "server.license-disk-usage-grace-period-shutdown", "server.license-disk-usage-limit",
    "server.license-disk-usage-update-interval", "server.minimal-threads",
    "server.ongoing-low-priority-multiplier", "server.prio1-size", "server.prio2-size",
    "server.rest-server", "server.scheduler-queue-size", "server.statistics",
    "server.statistics-all-databases", "server.statistics-history", "server.telemetrics-api",
    "server.telemetrics-api-max-requests", "server.unavailability-queue-fill-grade",
    "server.validate-utf8-strings",
];

#[rustfmt::skip]
const SAFETY: &[&str] = &[
    "audit.hostname", "audit.max-entry-length", "audit.output", "audit.queue",
    "audit.write-log-level", "encryption.key-generator", "encryption.keyfile", "log.file-group", "log.file-mode",
    "rocksdb.wal-directory",
    "web-interface.proxy-request-check", "web-interface.trusted-proxy",
];

#[rustfmt::skip]
const ACTIONS: &[&str] = &[
    "database.check-version", "database.restore-admin",
    "javascript.script", "javascript.script-parameter", "rocksdb.verify-sst",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SERVER;

    #[test]
    fn names_are_sorted_and_not_those_of_options_with_an_effect() {
        for group in IGNORED.iter().chain(REFUSED) {
            assert!(group.names.is_sorted(), "{}", group.reason);
        }
        assert!(SERVER.definitions().all(|definition| SERVER.why_ignored(definition.name).is_none()));
        let refused = |name: &str| REFUSED.iter().any(|group| group.names.contains(&name));
        assert!(SERVER.definitions().all(|definition| !refused(definition.name)));
        assert!(REFUSED.iter().flat_map(|group| group.names).all(|name| SERVER.why_ignored(name).is_none()));
    }
}
