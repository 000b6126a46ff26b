//! The use of the block cache by scans.
//!
//! A sequential scan would evict the blocks that lookups need, so it fills no cache. But a query
//! that filters or groups a small collection usually comes again. From the cache it then gets
//! blocks that are already read, checked and decompressed. Such a scan is marked as repeated,
//! and may fill a part of the cache if its whole range fits there.

use kv::{KeyRange, ScanSpec};
use rust_rocksdb::{Range, SizeApproximationOptions};

use crate::handle::OwnedSnapshot;

/// The maximum number of bytes that one iterator returns.
///
/// An iterator pins all tables and memtables that existed when it was opened, even after they were
/// compacted and flushed. A long export must not pin them until its end. The limit is small in
/// tests, so that they reach it.
const ITERATOR_BYTES_MAX: usize = if cfg!(test) { 1000 } else { 64 << 20 };

/// The number of bytes after which the rest of a range is measured.
///
/// Measuring takes longer than reading a few pairs. Until then the scan counts as a small one.
const MEASURED_AFTER_BYTES: usize = if cfg!(test) { 500 } else { 1 << 20 };

/// The usual size of a range in the cache, where it is not compressed, as a multiple of its size in
/// tables.
const UNPACKED_FACTOR: u64 = 2;

/// The part of the limit that one of several scans may put into the cache, as a divisor. It matters
/// only if the estimate for all of them was wrong.
const PART_SHARES: usize = 4;

/// The effect of a scan on the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// The scan fills the cache, as lookups do.
    Full,
    /// The scan does not fill the cache.
    Spared,
    /// The scan fills the cache, but its range was not measured. It holds the bytes that may still
    /// enter the cache.
    Unmeasured(usize),
    /// The scan fills the cache because its range is small. It holds the bytes that may still
    /// enter, in case the estimate was wrong.
    Small(usize),
}

impl CacheUse {
    /// Returns the cache use of a scan. A repeated scan puts at most `limit_bytes` into the cache.
    ///
    /// A part of a range fills the cache only if the whole range fits.
    pub(crate) fn of_scan(spec: &ScanSpec, limit_bytes: usize, snapshot: &OwnedSnapshot) -> Self {
        match (spec.sequential, spec.repeated, &spec.part_of) {
            (false, _, _) => CacheUse::Full,
            (true, false, _) => CacheUse::Spared,
            (true, true, None) => CacheUse::Unmeasured(limit_bytes),
            (true, true, Some(whole)) if is_small(snapshot, whole, limit_bytes) => {
                CacheUse::Small(limit_bytes / PART_SHARES)
            }
            (true, true, Some(_)) => CacheUse::Spared,
        }
    }

    /// Returns true if the next iterator fills the cache.
    pub(crate) fn fills_cache(self) -> bool {
        self != CacheUse::Spared
    }

    /// Returns the number of bytes after which an iterator must be replaced.
    pub(crate) fn iterator_bytes_max(self) -> usize {
        match self {
            CacheUse::Full | CacheUse::Spared => ITERATOR_BYTES_MAX,
            CacheUse::Unmeasured(left) => left.min(MEASURED_AFTER_BYTES),
            CacheUse::Small(left) => left.min(ITERATOR_BYTES_MAX),
        }
    }

    /// Decides again for the rest of the range, after an iterator has returned `bytes` and is
    /// replaced.
    pub(crate) fn after_iterator(self, bytes: usize, snapshot: &OwnedSnapshot, rest: &KeyRange) -> Self {
        let left = match self {
            CacheUse::Full | CacheUse::Spared => return self,
            CacheUse::Unmeasured(left) | CacheUse::Small(left) => left.saturating_sub(bytes),
        };
        let is_small = match self {
            CacheUse::Small(_) => true,
            _ => is_small(snapshot, rest, left),
        };
        if left > 0 && is_small { CacheUse::Small(left) } else { CacheUse::Spared }
    }
}

/// Returns true if a range is estimated to fit in `limit_bytes` of the cache.
fn is_small(snapshot: &OwnedSnapshot, range: &KeyRange, limit_bytes: usize) -> bool {
    tables_bytes(snapshot, range)
        .is_some_and(|bytes| bytes.saturating_mul(UNPACKED_FACTOR) <= limit_bytes as u64)
}

/// Estimates the bytes that a range takes in tables; `None` if they cannot be estimated.
fn tables_bytes(snapshot: &OwnedSnapshot, range: &KeyRange) -> Option<u64> {
    if range.end.is_empty() {
        return None;
    }
    let range = Range::new(&range.start, &range.end);
    let sizes =
        snapshot.db().get_approximate_sizes_with_options(&SizeApproximationOptions::new(), &[range]).ok()?;
    sizes.first().copied()
}

#[cfg(test)]
mod tests {
    use kv::{BlockLimits, Scan};
    use rust_rocksdb::WriteBatch;

    use super::*;
    use crate::options::RocksOptions;
    use crate::store::Store;

    const PAIRS: u32 = 20_000;
    const PAIR_BYTES: usize = 104;

    /// Opens a store with 2 MB of pairs in tables. `random_bytes` bytes of each pair do not
    /// compress.
    fn filled(random_bytes: usize) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        let mut batch = WriteBatch::default();
        let mut random = 1_u64;
        for key in 0..PAIRS {
            let mut value = [0; PAIR_BYTES - 4];
            for byte in value.iter_mut().take(random_bytes) {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte = (random >> 56) as u8;
            }
            batch.put(key.to_be_bytes(), value);
        }
        store.write(&batch).unwrap();
        store.db.flush().unwrap();
        drop(store);
        // In a reopened store the cache holds no memory of memtables, which would be released some
        // time after they are flushed.
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        (folder, store)
    }

    /// Reads all pairs with a scan that may put `limit_bytes` into the cache. Returns the growth of
    /// the cache in bytes.
    fn growth(store: &Store, spec: ScanSpec, limit_bytes: usize) -> usize {
        let before = store.cache.get_usage();
        let mut scan = store.rocks_snapshot().unwrap().scan_with_cache(spec, limit_bytes);
        let mut pairs = 0;
        while let Some(block) = scan.next_block(BlockLimits { rows: 50, bytes: 1 << 20 }).unwrap() {
            pairs += block.len();
        }
        assert_eq!(pairs, PAIRS as usize);
        store.cache.get_usage().saturating_sub(before)
    }

    fn whole() -> ScanSpec {
        ScanSpec::forward(KeyRange::new([0], [1])).sequential()
    }

    const DATA_BYTES: usize = PAIRS as usize * PAIR_BYTES;

    #[test]
    fn repeated_scans_of_little_fill_the_cache() {
        let (_folder, store) = filled(50);
        let spared = growth(&store, whole(), 2 * DATA_BYTES);
        assert!(spared < DATA_BYTES / 4, "a sequential scan must not fill the cache: {spared}");
        let filled = growth(&store, whole().repeated(), 2 * DATA_BYTES);
        assert!(filled > DATA_BYTES / 10 * 9, "{filled} of {DATA_BYTES}");
        assert!(
            growth(&store, whole().repeated(), 2 * DATA_BYTES) < DATA_BYTES / 10,
            "the second scan must find its blocks in the cache"
        );
    }

    #[test]
    fn repeated_scans_of_much_spare_the_cache() {
        let (_folder, store) = filled(50);
        let limit = DATA_BYTES / 4;
        let grown = growth(&store, whole().repeated(), limit);
        assert!(grown < limit / 2, "{grown}");
    }

    #[test]
    fn parts_fill_the_cache_only_where_the_whole_fits() {
        let (_folder, store) = filled(50);
        let part = |part_of| ScanSpec { part_of, ..whole().repeated() };
        let range = whole().range;
        let fits = growth(&store, part(Some(range.clone())), 2 * PART_SHARES * DATA_BYTES);
        assert!(fits > DATA_BYTES / 10 * 9, "{fits} of {DATA_BYTES}");
        let (_folder, store) = filled(50);
        let spared = growth(&store, part(Some(range)), DATA_BYTES / 4);
        assert!(spared < DATA_BYTES / 10, "{spared}");
    }

    #[test]
    fn iterators_are_replaced_when_the_limit_is_reached() {
        assert_eq!(CacheUse::Small(10).iterator_bytes_max(), 10);
        assert_eq!(CacheUse::Unmeasured(10).iterator_bytes_max(), 10);
        assert_eq!(CacheUse::Small(usize::MAX).iterator_bytes_max(), ITERATOR_BYTES_MAX);
    }

    #[test]
    fn what_looked_small_stays_within_the_limit() {
        // The pairs take a hundredth of their size in tables.
        let (_folder, store) = filled(0);
        let limit = DATA_BYTES / 4;
        let grown = growth(&store, whole().repeated(), limit);
        assert!((limit / 2..limit * 2).contains(&grown), "{grown} of {limit}");
    }
}
