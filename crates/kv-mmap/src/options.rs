//! The options of a store and the bounds that follow from them.

use std::sync::Arc;
use std::time::Duration;

use encryption::MasterKey;
use kv::LogRecovery;

/// The minimum memory in bytes. With less, layers are merged after a few hundred writes.
const MEMORY_BYTES_MIN: usize = 16 << 20;

/// The minimum cache of an encrypted store in bytes.
const CACHE_BYTES_MIN: usize = 4 << 20;

/// The share of the memory for one layer, as a divisor. There are at most two layers, and a merge
/// takes as much again for the pages that it changes.
const LAYER_SHARE: usize = 8;

/// The maximum size in bytes of one layer. A larger one does not make merges cheaper, and a start
/// after a crash takes longer.
const LAYER_BYTES_MAX: usize = 64 << 20;

/// The maximum size of the map in bytes: far more than any disk of one machine, and a hundredth
/// of the address space.
const MAP_BYTES_MAX: u64 = 1 << 40;

/// The minimum size of the map in bytes.
const MAP_BYTES_MIN: u64 = 64 << 20;

/// The options for opening a store.
#[derive(Clone, Debug)]
pub struct MmapOptions {
    /// The memory in bytes for writes that are not in the mapped file yet. The mapped file itself
    /// is in the page cache of the operating system. The minimum is 16 MiB.
    pub memory_bytes: usize,
    /// The time in milliseconds from a buffered commit to the sync of the log.
    pub sync_interval_ms: u64,
    /// The time in milliseconds from a commit to the merge of its layer into the mapped file.
    pub flush_interval_ms: u64,
    /// The size of the map in bytes, which bounds the data. `None` takes 1 TiB, or half of the
    /// process's limit of address space.
    pub map_bytes: Option<u64>,
    /// The bytes by which old snapshots may make the file grow. Beyond that the oldest ones expire.
    pub old_snapshot_bytes: u64,
    /// The reaction to a log that is damaged before its end.
    pub log_recovery: LogRecovery,
    /// The key of an encrypted store. A store is encrypted or not for its whole life.
    pub encryption: Option<Arc<MasterKey>>,
    /// The memory in bytes for decrypted pages of an encrypted store. Up to half of it are pages
    /// that a merge has changed. The minimum is 4 MiB.
    pub cache_bytes: usize,
}

impl Default for MmapOptions {
    fn default() -> Self {
        MmapOptions {
            memory_bytes: 256 << 20,
            sync_interval_ms: 100,
            flush_interval_ms: 1000,
            map_bytes: None,
            old_snapshot_bytes: 4 << 30,
            log_recovery: LogRecovery::Strict,
            encryption: None,
            cache_bytes: 64 << 20,
        }
    }
}

impl MmapOptions {
    /// Returns the size in bytes at which a layer is merged into the mapped file.
    pub(crate) fn layer_bytes(&self) -> usize {
        (self.memory_bytes.max(MEMORY_BYTES_MIN) / LAYER_SHARE).min(LAYER_BYTES_MAX)
    }

    /// Returns the memory in bytes for decrypted pages.
    pub(crate) fn page_cache_bytes(&self) -> usize {
        self.cache_bytes.max(CACHE_BYTES_MIN)
    }

    pub(crate) fn sync_interval(&self) -> Duration {
        Duration::from_millis(self.sync_interval_ms)
    }

    pub(crate) fn flush_interval(&self) -> Duration {
        Duration::from_millis(self.flush_interval_ms.max(1))
    }

    /// Returns the size of the map in bytes.
    pub(crate) fn map_size(&self) -> u64 {
        let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
        let bytes = self.map_bytes.unwrap_or_else(|| default_map_bytes(limit));
        bytes.max(MAP_BYTES_MIN).next_multiple_of(MAP_BYTES_MIN)
    }
}

/// Returns the size of the map for a limit of the address space in bytes. Half of it remains for
/// everything else.
fn default_map_bytes(address_space: Option<u64>) -> u64 {
    address_space.map_or(MAP_BYTES_MAX, |limit| (limit / 2).min(MAP_BYTES_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_leaves_half_of_a_limited_address_space() {
        assert_eq!(default_map_bytes(None), 1 << 40);
        assert_eq!(default_map_bytes(Some(8 << 30)), 4 << 30);
        assert_eq!(default_map_bytes(Some(u64::MAX)), 1 << 40);
        let options = MmapOptions { map_bytes: Some(1), ..MmapOptions::default() };
        assert_eq!(options.map_size(), 64 << 20);
    }
}
