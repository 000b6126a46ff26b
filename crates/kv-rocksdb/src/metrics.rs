//! The values of this engine for the metrics page, and the names of its own ones.

use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use kv::{ColumnFamilyStatistics, EngineStatistics, LocalStore};

use crate::store::Store;

/// RocksDB's properties that are reported under their own names. Properties that only make sense as
/// a rate are omitted.
const COUNTERS: [&str; 25] = [
    "rocksdb.actual-delayed-write-rate",
    "rocksdb.background-errors",
    "rocksdb.base-level",
    "rocksdb.block-cache-pinned-usage",
    "rocksdb.compaction-pending",
    "rocksdb.cur-size-active-mem-table",
    "rocksdb.estimate-live-data-size",
    "rocksdb.estimate-num-keys",
    "rocksdb.estimate-pending-compaction-bytes",
    "rocksdb.estimate-table-readers-mem",
    "rocksdb.is-file-deletions-enabled",
    "rocksdb.is-write-stopped",
    "rocksdb.mem-table-flush-pending",
    "rocksdb.min-log-number-to-keep",
    "rocksdb.num-deletes-active-mem-table",
    "rocksdb.num-deletes-imm-mem-tables",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-entries-imm-mem-tables",
    "rocksdb.num-immutable-mem-table",
    "rocksdb.num-immutable-mem-table-flushed",
    "rocksdb.num-live-versions",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
    "rocksdb.oldest-snapshot-time",
    "rocksdb.size-all-mem-tables",
];

/// The number of levels of tables.
const LEVELS: usize = 7;

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
            write_stalls: self.stalls.stalls(),
            write_stops: self.stalls.stops(),
            counters: self.counters(),
            ratios: self.compression_ratios(),
            column_families: vec![(rust_rocksdb::DEFAULT_COLUMN_FAMILY_NAME.to_owned(), self.only_family())],
            nodes: Vec::new(),
        }
    }

    fn only_family(&self) -> ColumnFamilyStatistics {
        ColumnFamilyStatistics {
            memory_bytes: self.property("rocksdb.size-all-mem-tables"),
            disk_bytes: self.disk_bytes(),
        }
    }

    /// Returns the ratio of uncompressed to compressed bytes by level. A level without tables has
    /// the ratio -1.
    fn compression_ratios(&self) -> Vec<(String, f64)> {
        let names = (0..LEVELS).map(|level| format!("rocksdb.compression-ratio-at-level{level}"));
        names.filter_map(|name| self.text_property(&name).map(|ratio| (name, ratio))).collect()
    }

    fn counters(&self) -> Vec<(String, u64)> {
        let mut counters: Vec<_> =
            COUNTERS.iter().map(|name| ((*name).to_owned(), self.property(name))).collect();
        let mut tables = 0;
        for level in 0..LEVELS {
            let name = format!("rocksdb.num-files-at-level{level}");
            let files: u64 = self.text_property(&name).unwrap_or_default();
            tables += files;
            counters.push((name, files));
        }
        counters.push(("rocksdb.total-sst-files".to_owned(), tables));
        counters.push(("rocksdb.wal-sequence".to_owned(), self.db.latest_sequence_number()));
        let entries = self.cache.get_occupancy_count() as u64;
        counters.push(("rocksdb.block-cache-entries".to_owned(), entries));
        let average = (self.cache.get_usage() as u64).checked_div(entries).unwrap_or_default();
        counters.push(("rocksdb.block-cache-charge-per-entry".to_owned(), average));
        counters.push(("rocksdb.read-only".to_owned(), u64::from(self.background_errors() > 0)));
        let dropped = self.dropped_log.as_ref().map_or(0, |dropped| dropped.bytes);
        counters.push(("rocksdb.dropped-log-bytes".to_owned(), dropped));
        let (files, bytes) = self.log_files();
        counters.push(("rocksdb.live-wal-files".to_owned(), files));
        counters.push(("rocksdb.live-wal-files-size".to_owned(), bytes));
        if let Ok(volume) = rustix::fs::statvfs(self.db.path()) {
            let of_volume = [
                ("rocksdb.free-disk-space", volume.f_bavail.saturating_mul(volume.f_frsize)),
                ("rocksdb.total-disk-space", volume.f_blocks.saturating_mul(volume.f_frsize)),
                ("rocksdb.free-inodes", volume.f_favail),
                ("rocksdb.total-inodes", volume.f_files),
            ];
            counters.extend(of_volume.map(|(name, value)| (name.to_owned(), value)));
        }
        counters
    }

    /// Returns the number of the log's files and their total bytes.
    fn log_files(&self) -> (u64, u64) {
        let entries = std::fs::read_dir(self.db.path()).into_iter().flatten().flatten();
        let logs =
            entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "log"));
        logs.filter_map(|entry| entry.metadata().ok())
            .fold((0, 0), |(files, bytes), file| (files + 1, bytes + file.len()))
    }

    /// Returns the bytes of all table files.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.property("rocksdb.total-sst-files-size")
    }

    /// Returns the number of flushes and compactions that have failed.
    pub(crate) fn background_errors(&self) -> u64 {
        self.property("rocksdb.background-errors")
    }

    /// Returns true if there may be a snapshot that is older than `sequence`.
    pub(crate) fn has_snapshot_before(&self, sequence: u64) -> bool {
        // A snapshot has the number 0 if only loads came before it, so the count is checked first.
        self.property("rocksdb.num-snapshots") > 0
            && self.property("rocksdb.oldest-snapshot-sequence") < sequence
    }

    /// Returns a property that RocksDB only has as text.
    fn text_property<T: FromStr>(&self, name: &str) -> Option<T> {
        self.db.property_value(name).ok().flatten()?.trim().parse().ok()
    }

    fn property(&self, name: &str) -> u64 {
        self.db.property_int_value(name).ok().flatten().unwrap_or_default()
    }
}
