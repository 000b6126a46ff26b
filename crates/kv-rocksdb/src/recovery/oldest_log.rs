//! The oldest file of the log that is still needed.
//!
//! RocksDB removes older files once their content is in tables. A crash may prevent the removal, so
//! a file with a flaw may be one that nobody needs. Only the manifest knows. RocksDB passes its
//! numbers to a filter of the replay.

use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rust_rocksdb::wal_filter::{ColumnFamilyLogNumbers, WalFilter, WalRecordAction};
use rust_rocksdb::{DB, DBRecoveryMode, Options, WriteBatch};

/// A filter that keeps the manifest's number, and ends the replay before the first record.
struct NumberFilter(Arc<AtomicU64>);

impl WalFilter for NumberFilter {
    fn name(&self) -> &CStr {
        c"persea.oldest-log"
    }

    fn log_record_found(&self, _: u64, _: &[u8], _: &WriteBatch, _: &mut WriteBatch) -> WalRecordAction {
        WalRecordAction::StopReplay
    }

    fn column_family_log_number_map(&self, numbers: &ColumnFamilyLogNumbers<'_>) {
        let oldest = numbers.log_numbers().map(|(_, number)| number).min();
        self.0.store(oldest.unwrap_or_default(), Ordering::Relaxed);
    }
}

/// Returns the number of the oldest needed file, or 0 if it is unknown. Changes nothing.
pub(crate) fn oldest_needed_log(options: &Options, folder: &Path) -> u64 {
    let number = Arc::new(AtomicU64::new(0));
    let mut options = options.clone();
    options.set_wal_filter(NumberFilter(Arc::clone(&number)));
    options.set_wal_recovery_mode(DBRecoveryMode::SkipAnyCorruptedRecord);
    // Even if this fails, the filter may have got the number.
    let _ = DB::open_for_read_only(&options, folder, false);
    number.load(Ordering::Relaxed)
}
