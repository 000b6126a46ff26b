//! Options of ArangoDB that are accepted but have no effect, so that its configurations can be
//! used. Their subject does not exist here (JavaScript, a cluster, its caches) or works
//! differently. The log reports each use.
//!
//! Options on which users may rely for security (TLS, encryption, hardening) are not among them:
//! they are refused.

use options::Unsupported;

/// All of these options, with the reason.
pub(super) const ROWS: &[Unsupported] =
    &[Unsupported { reason: "their subject does not exist here, or is done in another way", names: NAMES }];

/// The names of these options, sorted.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "arangosearch.commit-threads", "arangosearch.consolidation-threads", "arangosearch.default-parallelism",
    "arangosearch.execution-threads-limit", "arangosearch.threads", "cache.rebalancing-interval",
    "crash-handler.enable-dumps", "database.auto-upgrade-full-compaction",
    "database.default-replication-version", "database.extended-names-databases",
    "database.force-sync-properties", "database.ignore-datafile-errors", "database.io-heartbeat",
    "default-language", "default-language-check", "dump.max-batch-size", "dump.max-docs-per-batch",
    "dump.max-memory-usage", "dump.max-parallelism", "experimental-vector-index", "fortune",
    "foxx.allow-install-from-remote", "foxx.api", "foxx.enable", "foxx.force-update-on-startup",
    "foxx.queues", "foxx.queues-poll-interval", "foxx.store", "frontend.version-check", "icu-language",
    "javascript.allow-admin-execute", "javascript.allow-external-process-control",
    "javascript.allow-port-testing", "javascript.app-path", "javascript.copy-installation",
    "javascript.enabled", "javascript.endpoints-allowlist", "javascript.endpoints-denylist",
    "javascript.files-allowlist", "javascript.files-denylist", "javascript.harden",
    "javascript.module-directory", "javascript.startup-directory", "javascript.tasks",
    "javascript.transactions", "javascript.user-defined-functions", "javascript.v8-contexts",
    "javascript.v8-contexts-minimum", "javascript.v8-max-heap", "javascript.v8-options", "log.escape",
    "log.force-direct", "log.foreground-tty", "log.hostname", "log.ids", "log.keep-logrotate",
    "log.line-number", "log.performance", "log.prefix",
    "log.request-parameters", "log.role", "log.shorten-filenames", "log.thread", "log.thread-name",
    "log.time-format", "log.use-microtime", "nonce.size", "query.allow-collections-in-expressions",
    "query.collection-logger-enabled", "query.log-failed",
    "query.log-memory-usage-threshold", "query.max-artifact-log-length",
    "query.max-nodes-per-callstack", "query.max-parallelism", "query.max-query-async-prefetch-slots",
    "query.max-total-async-prefetch-slots", "query.parallelize-gather-writes",
    "query.parallelize-traversals", "query.plan-cache-invalidation-time",
    "query.plan-cache-max-memory-usage", "query.tracking-with-datasources",
    "random.generator", "replication.auto-start",
    "rocksdb.auto-refill-index-caches-on-modify", "rocksdb.block-cache-shard-bits",
    "rocksdb.block-cache-size", "rocksdb.create-sha-files", "rocksdb.dynamic-level-bytes",
    "rocksdb.enable-pipelined-write", "rocksdb.enable-statistics",
    "rocksdb.level0-compaction-trigger", "rocksdb.max-write-buffer-number", "rocksdb.total-write-buffer-size", "rocksdb.use-range-delete-in-wal",
    "rocksdb.wal-file-timeout", "rocksdb.write-buffer-size", "server.allow-use-database",
    "server.authentication-timeout",
    "server.count-descriptors-interval", "server.ensure-whitespace-metrics-format",
    "server.export-read-write-metrics", "server.export-shard-usage-metrics", "server.flush-interval",
    "server.io-threads", "server.license-disk-usage-limit", "server.minimal-threads", "server.prio1-size",
    "server.prio2-size", "server.scheduler-queue-size", "server.statistics",
    "server.statistics-all-databases", "server.statistics-history",
    "server.unavailability-queue-fill-grade", "server.validate-utf8-strings",
    "vector-index", "web-interface.version-check",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SERVER;

    #[test]
    fn names_are_sorted_and_not_those_of_options_with_an_effect() {
        assert!(NAMES.is_sorted());
        assert!(SERVER.definitions().all(|definition| SERVER.why_ignored(definition.name).is_none()));
    }

    #[test]
    fn what_is_there_for_safety_is_not_ignored() {
        for name in [
            "ssl.cafile",
            "ssl.require-peer-certificate",
            "encryption.keyfile",
            "server.harden",
            "audit.output",
        ] {
            assert!(SERVER.why_ignored(name).is_none(), "{name}");
        }
    }
}
