//! The values of this engine for the metrics page, and the names of its own ones.

use kv::{ColumnFamilyStatistics, EngineStatistics};

use crate::store::Store;

impl Store {
    pub(crate) fn statistics(&self) -> EngineStatistics {
        let (memtable_bytes, free_pages) = {
            let layers = self.layers();
            (layers.memory_bytes() as u64, layers.base.version.free_pages())
        };
        let log_bytes = self.log.writer().size_bytes();
        let disk_bytes = self.layers().base.version.file_bytes();
        let counters = [
            ("mmfiles.mapped-file-size", disk_bytes),
            ("mmfiles.mapped-file-free", free_pages * rustix::param::page_size() as u64),
            ("mmfiles.log-size", log_bytes),
            ("mmfiles.dropped-log-bytes", self.dropped_log.bytes),
        ];
        let part = ColumnFamilyStatistics { memory_bytes: memtable_bytes, disk_bytes };
        EngineStatistics {
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
