//! Counts of messages that did not reach the right leader of the right region, by kind.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::protocol::region::Error;

/// The kinds, as the engine's statistics name them.
const KINDS: [&str; 8] = [
    "not-leader",
    "region-not-found",
    "key-not-in-region",
    "epoch-not-match",
    "server-is-busy",
    "stale-command",
    "raft-entry-too-large",
    "other",
];

/// The counts.
#[derive(Debug, Default)]
pub(crate) struct RegionErrors([AtomicU64; KINDS.len()]);

impl RegionErrors {
    pub(crate) fn count(&self, error: &Error) {
        let present = [
            error.not_leader.is_some(),
            error.region_not_found.is_some(),
            error.key_not_in_region.is_some(),
            error.epoch_not_match.is_some(),
            error.server_is_busy.is_some(),
            error.stale_command.is_some(),
            error.raft_entry_too_large.is_some(),
            true,
        ];
        let counter = self.0.iter().zip(present).find(|(_, is_present)| *is_present);
        if let Some((counter, _)) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the counts under their names in the engine's statistics.
    pub(crate) fn counters(&self) -> impl Iterator<Item = (String, u64)> {
        let counts = self.0.iter().map(|counter| counter.load(Ordering::Relaxed));
        KINDS.iter().map(|kind| format!("tikv.region-errors-{kind}")).zip(counts)
    }
}
