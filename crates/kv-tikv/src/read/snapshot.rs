//! A snapshot: a timestamp.

use std::sync::Arc;

use kv::{PrefixScan, Result, Scan, ScanSpec, Snapshot, Values};

use crate::read::prefix_scan::{AHEAD_MAX, TikvPrefixScan};
use crate::read::scan::TikvScan;
use crate::read::state::State;
use crate::replica_reads::ReadAt;
use crate::shared::Shared;

/// The state at a timestamp.
pub(crate) struct TikvSnapshot {
    pub(crate) state: Arc<State>,
}

impl TikvSnapshot {
    /// Returns the snapshot of a state.
    pub(crate) fn at(store: Arc<Shared>, read: impl Into<ReadAt>) -> Arc<dyn Snapshot> {
        Arc::new(TikvSnapshot { state: Arc::new(State::new(store, read.into())) })
    }
}

impl Snapshot for TikvSnapshot {
    fn version(&self) -> u64 {
        self.state.read.at
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Values> {
        self.state.check()?;
        self.state.look_up(keys)
    }

    fn scan(&self, spec: ScanSpec) -> Result<Box<dyn Scan>> {
        Ok(Box::new(TikvScan::new(Arc::clone(&self.state), spec)))
    }

    fn prefix_scan(&self) -> Result<Box<dyn PrefixScan>> {
        Ok(Box::new(TikvPrefixScan::new(Arc::clone(&self.state))))
    }

    fn concurrent_reads(&self) -> usize {
        AHEAD_MAX
    }

    fn rehearsal(&self) -> Option<Arc<dyn Snapshot>> {
        Some(Arc::new(TikvSnapshot { state: Arc::new(self.state.rehearsal()) }))
    }
}
