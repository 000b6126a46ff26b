//! Operations on whole ranges of keys: drop, estimate the size, divide, compact.

use kv::Scan;
use kv::{BlockLimits, KeyRange, Result, ScanSpec};
use rust_rocksdb::{
    BottommostLevelCompaction, CompactOptions, FlushOptions, Range, SizeApproximationOptions, WriteBatch,
};

use crate::error::map;
use crate::store::Store;

/// The size in bytes up to which a range is divided by a scan of its keys. RocksDB knows the sizes
/// in tables only by blocks of 16 KiB.
const SCANNED_BYTES_MAX: u64 = 2 << 20;

/// The same limit for ranges that are mostly in memtables, where RocksDB only guesses the number of
/// keys between two keys.
const SCANNED_MEMTABLE_BYTES_MAX: u64 = 32 << 20;

/// The maximum number of keys that are scanned to divide a range, which takes 20 ms.
const SCANNED_KEYS_MAX: usize = 200_000;

/// The number of bytes of a key, after the common prefix of the range, that take part in dividing
/// a range.
const DIGITS: usize = 16;

impl Store {
    /// Drops a range in O(1): one range tombstone hides the pairs from all later snapshots.
    ///
    /// Table files that lie entirely in the range are then deleted immediately, if no snapshot is
    /// older than the tombstone. Deleting a file would take its pairs from older snapshots too,
    /// because a snapshot keeps no file alive. No older snapshot can appear later, so one check is
    /// enough. Compactions free the remaining space: there, a tombstone counts as the data that it
    /// covers.
    pub(crate) fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.check_open()?;
        let Some(last) = self.last_key(range)? else { return Ok(()) };
        let mut batch = WriteBatch::default();
        let end = if range.end.is_empty() { kv::successor(&last) } else { range.end.clone() };
        batch.delete_range(&range.start, &end);
        self.write(&batch)?;
        // The tombstone must not be lost in a crash after the files are deleted.
        self.db.flush_wal(true).map_err(map("syncing the log"))?;
        let tombstone = self.db.latest_sequence_number();
        if !self.has_snapshot_before(tombstone) {
            // RocksDB counts a file's last key as inside the range if it equals the given end, so
            // the end is the last key.
            self.db.delete_file_in_range(&range.start, &last).map_err(map("deleting tables"))?;
        }
        // Once the tombstone is in a table, it takes part in compactions.
        let mut options = FlushOptions::new();
        options.set_wait(false);
        self.db.flush_opt(&options).map_err(map("flushing"))
    }

    /// Estimates the bytes of a range's pairs, compressed in tables and uncompressed in memtables.
    pub(crate) fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.check_open()?;
        if range.is_empty() {
            return Ok(0);
        }
        let end = match range.end.is_empty() {
            false => range.end.clone(),
            true => match self.last_key(range)? {
                Some(last) => kv::successor(&last),
                None => return Ok(0),
            },
        };
        self.size_between(&range.start, &end, true)
    }

    /// Returns keys that divide a range into pieces of similar size.
    pub(crate) fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        self.check_open()?;
        let (Some(first), Some(last)) = (self.first_key(range)?, self.last_key(range)?) else {
            return Ok(Vec::new());
        };
        if parts < 2 || first == last {
            return Ok(Vec::new());
        }
        let end = kv::successor(&last);
        let total = self.size_between(&first, &end, true)?;
        let in_memtables = total.saturating_sub(self.size_between(&first, &end, false)?);
        let is_scanned = total <= SCANNED_BYTES_MAX
            || (in_memtables > total / 2 && in_memtables <= SCANNED_MEMTABLE_BYTES_MAX);
        let scanned = if is_scanned { self.scanned_points(range, parts)? } else { None };
        let mut points = match scanned {
            Some(points) => points,
            None => self.measured_points(&first, &end, total, parts)?,
        };
        points.retain(|point| *point > first && range.contains(point));
        points.dedup();
        Ok(points)
    }

    /// Rewrites the tables of a range.
    pub(crate) fn compact(&self, range: &KeyRange) -> Result<()> {
        self.check_open()?;
        if range.is_empty() {
            return Ok(());
        }
        let mut options = CompactOptions::default();
        // Include the lowest level, whose tables may hold pairs that were only kept for a snapshot.
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        options.set_exclusive_manual_compaction(false);
        let end = (!range.end.is_empty()).then_some(&range.end);
        let errors = self.background_errors();
        self.db.compact_range_opt(Some(&range.start), end, &options);
        // RocksDB's C interface does not report the outcome of the compaction.
        if self.background_errors() > errors {
            let reason = "the engine reports an error in the background; its LOG file says which".to_owned();
            return Err(kv::Error::Io { action: "compacting".to_owned(), reason });
        }
        Ok(())
    }

    /// Returns the keys at equal distances among all keys of the range; `None` if there are too
    /// many keys.
    fn scanned_points(&self, range: &KeyRange, parts: usize) -> Result<Option<Vec<Vec<u8>>>> {
        let mut scan = self.rocks_snapshot()?.rocks_scan(ScanSpec::forward(range.clone()).keys_only());
        let limits = BlockLimits { rows: SCANNED_KEYS_MAX, bytes: kv::BLOCK_LIMIT_BYTES_MAX };
        let keys = scan.next_block(limits)?.unwrap_or_default();
        if keys.len() == SCANNED_KEYS_MAX {
            return Ok(None);
        }
        let step = keys.len().div_ceil(parts).max(1);
        Ok(Some((step..keys.len()).step_by(step).map(|i| keys.key(i).to_vec()).collect()))
    }

    /// Returns keys that divide `total` bytes into equal parts by RocksDB's estimates.
    ///
    /// Each key is found by a binary search between the first and the last key, read as numbers. It
    /// is then moved to the next stored key.
    fn measured_points(&self, first: &[u8], end: &[u8], total: u64, parts: usize) -> Result<Vec<Vec<u8>>> {
        let common = first.iter().zip(end).take_while(|(left, right)| left == right).count();
        let prefix = first.get(..common).unwrap_or_default();
        let (lowest, highest) = (digits(first, common), digits(end, common));
        let mut points = Vec::with_capacity(parts - 1);
        for part in 1..parts {
            let wanted = (u128::from(total) * part as u128 / parts as u128) as u64;
            let (mut low, mut high) = (lowest, highest);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if self.size_between(first, &key_of(prefix, middle), true)? < wanted {
                    low = middle;
                } else {
                    high = middle;
                }
                // A search more exact than RocksDB's estimates is useless.
                if self.size_between(&key_of(prefix, low), &key_of(prefix, high), true)? == 0 {
                    break;
                }
            }
            points.extend(self.first_key(&KeyRange::new(key_of(prefix, high), end))?);
        }
        Ok(points)
    }

    fn first_key(&self, range: &KeyRange) -> Result<Option<Vec<u8>>> {
        self.outermost_key(ScanSpec::forward(range.clone()))
    }

    fn last_key(&self, range: &KeyRange) -> Result<Option<Vec<u8>>> {
        self.outermost_key(ScanSpec::backward(range.clone()))
    }

    fn outermost_key(&self, spec: ScanSpec) -> Result<Option<Vec<u8>>> {
        let mut scan = self.rocks_snapshot()?.rocks_scan(spec.keys_only());
        let block = scan.next_block(BlockLimits { rows: 1, bytes: 1 })?;
        Ok(block.and_then(|block| block.last_key().map(<[u8]>::to_vec)))
    }

    fn size_between(&self, start: &[u8], end: &[u8], with_memtables: bool) -> Result<u64> {
        let mut options = SizeApproximationOptions::new();
        options.set_include_memtables(with_memtables);
        let sizes = self.db.get_approximate_sizes_with_options(&options, &[Range::new(start, end)]);
        Ok(sizes.map_err(map("measuring a range"))?.iter().sum())
    }
}

/// Returns the bytes of a key from `from` on as a number.
fn digits(key: &[u8], from: usize) -> u128 {
    let mut digits = [0; DIGITS];
    for (digit, byte) in digits.iter_mut().zip(key.get(from..).unwrap_or_default()) {
        *digit = *byte;
    }
    u128::from_be_bytes(digits)
}

/// Returns the key that consists of `prefix` and the digits of `number`.
fn key_of(prefix: &[u8], number: u128) -> Vec<u8> {
    [prefix, &number.to_be_bytes()].concat()
}
