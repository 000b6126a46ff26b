//! The values of this engine for the metrics page, and the names of its own ones.

use std::sync::Arc;

use kv::{ColumnFamilyStatistics, EngineStatistics};

use crate::store::Store;

impl Store {
    pub(crate) fn statistics(&self) -> EngineStatistics {
        let (memtable_bytes, version) = {
            let layers = self.layers();
            (layers.memory_bytes() as u64, Arc::clone(&layers.base.version))
        };
        let log_bytes = self.log.writer().size_bytes();
        let disk_bytes = version.file_bytes();
        let cache_limit = self.options.encryption.as_ref().map(|_| self.options.page_cache_bytes());
        let counters = [
            ("mmfiles.mapped-file-size", disk_bytes),
            ("mmfiles.mapped-file-free", version.free_bytes()),
            ("mmfiles.log-size", log_bytes),
            ("mmfiles.dropped-log-bytes", self.dropped_log.bytes),
        ];
        let part = ColumnFamilyStatistics { memory_bytes: memtable_bytes, disk_bytes };
        EngineStatistics {
            cache_used_bytes: version.cached_bytes(),
            cache_limit_bytes: cache_limit.unwrap_or_default() as u64,
            memtable_bytes,
            disk_bytes,
            snapshots: self.living_snapshots.count(),
            oldest_snapshot_seconds: self.living_snapshots.oldest_seconds(),
            commits: self.conflicts().last_commit(),
            conflicts: self.conflicts().conflicts(),
            counters: counters.map(|(name, value)| (name.to_owned(), value)).into(),
            column_families: vec![("default".to_owned(), part)],
            ..EngineStatistics::default()
        }
    }
}
