//! Figures for the metrics page.

use std::time::{SystemTime, UNIX_EPOCH};

use kv::{EngineStatistics, LocalStore};

use crate::store::Store;

/// RocksDB's properties that are passed on under their own names. Those that only make sense as a rate are left out.
const COUNTERS: [&str; 13] = [
    "rocksdb.actual-delayed-write-rate",
    "rocksdb.background-errors",
    "rocksdb.compaction-pending",
    "rocksdb.estimate-live-data-size",
    "rocksdb.estimate-num-keys",
    "rocksdb.estimate-pending-compaction-bytes",
    "rocksdb.is-write-stopped",
    "rocksdb.mem-table-flush-pending",
    "rocksdb.num-deletes-active-mem-table",
    "rocksdb.num-immutable-mem-table",
    "rocksdb.num-live-versions",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
];

impl Store {
    pub(crate) fn statistics(&self) -> EngineStatistics {
        let oldest_snapshot = self.property("rocksdb.oldest-snapshot-time");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        EngineStatistics {
            cache_used_bytes: self.cache.get_usage() as u64,
            cache_limit_bytes: self.cache.get_capacity() as u64,
            memtable_bytes: self.property("rocksdb.cur-size-all-mem-tables"),
            disk_bytes: self.disk_bytes(),
            snapshots: self.property("rocksdb.num-snapshots"),
            oldest_snapshot_seconds: if oldest_snapshot == 0 {
                0
            } else {
                now.saturating_sub(oldest_snapshot)
            },
            commits: self.conflict_table().last_commit(),
            conflicts: self.conflict_table().conflicts(),
            counters: COUNTERS.iter().map(|name| ((*name).to_owned(), self.property(name))).collect(),
        }
    }

    /// Bytes of all table files.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.property("rocksdb.total-sst-files-size")
    }

    /// How many flushes and compactions have failed.
    pub(crate) fn background_errors(&self) -> u64 {
        self.property("rocksdb.background-errors")
    }

    /// Whether there may be a snapshot that is older than `sequence`.
    pub(crate) fn has_snapshot_before(&self, sequence: u64) -> bool {
        // A snapshot can have the number 0, when until then everything was loaded, so their count is asked first.
        self.property("rocksdb.num-snapshots") > 0
            && self.property("rocksdb.oldest-snapshot-sequence") < sequence
    }

    fn property(&self, name: &str) -> u64 {
        self.db.property_int_value(name).ok().flatten().unwrap_or_default()
    }
}
