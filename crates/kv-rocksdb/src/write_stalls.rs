//! Counts of the times at which RocksDB slowed writes down or stopped them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rust_rocksdb::event_listener::{DBWriteStallCondition, EventListener, WriteStallInfo};

/// The counts since the store opened. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteStalls(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    stalls: AtomicU64,
    stops: AtomicU64,
}

impl WriteStalls {
    /// Returns how often RocksDB began to slow writes down.
    pub(crate) fn stalls(&self) -> u64 {
        self.0.stalls.load(Ordering::Relaxed)
    }

    /// Returns how often RocksDB began to delay writes.
    pub(crate) fn stops(&self) -> u64 {
        self.0.stops.load(Ordering::Relaxed)
    }

    fn note(&self, condition: DBWriteStallCondition) {
        let counter = match condition {
            DBWriteStallCondition::KDelayed => &self.0.stalls,
            DBWriteStallCondition::KStopped => &self.0.stops,
            DBWriteStallCondition::KNormal => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl EventListener for WriteStalls {
    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        self.note(info.cur());
    }
}

#[cfg(test)]
mod tests {
    use kv::conformance::wait_until;
    use rust_rocksdb::{DB, Options};

    use super::*;

    #[test]
    fn a_write_that_is_slowed_down_counts() {
        let folder = tempfile::tempdir().unwrap();
        let stalls = WriteStalls::default();
        let mut options = Options::default();
        options.create_if_missing(true);
        options.add_event_listener(stalls.clone());
        options.set_level_zero_file_num_compaction_trigger(2);
        options.set_level_zero_slowdown_writes_trigger(2);
        options.set_level_zero_stop_writes_trigger(60);
        let db = DB::open(&options, folder.path()).unwrap();
        assert_eq!((stalls.stalls(), stalls.stops()), (0, 0));
        for round in 0_u8..4 {
            db.put([round], [round]).unwrap();
            db.flush().unwrap();
        }
        // RocksDB calls the listener a moment after the flush.
        wait_until("the listener is called", || stalls.stalls() > 0);
        assert!(stalls.stalls() > 0 && stalls.stops() == 0, "{stalls:?}");
    }
}
