//! The time that elections take.

/// The longest election of a region with TiKV's defaults: a replica waits for ten to twenty ticks
/// of a second (`raft-election-timeout-ticks`, `raft-base-tick-interval`).
const STORE_MS: u64 = 20_000;

/// The longest election of PD with its defaults, measured with three members.
const PD_MS: u64 = 12_000;

/// The divisor for tests that are about something else.
const DIVISOR: u64 = 100;

/// The elections of a cluster, which may be shorter than real ones.
#[derive(Clone, Copy)]
pub(super) struct Elections {
    divisor: u64,
}

impl Default for Elections {
    fn default() -> Self {
        Elections { divisor: DIVISOR }
    }
}

impl Elections {
    /// Returns elections that take the `divisor`th part of the longest real ones.
    pub(super) fn divided_by(divisor: u64) -> Self {
        Elections { divisor: divisor.max(1) }
    }

    /// Returns the milliseconds of the election of a region's leader.
    pub(super) fn store_ms(self) -> u64 {
        STORE_MS / self.divisor
    }

    /// Returns the milliseconds of the election of PD's leader.
    pub(super) fn pd_ms(self) -> u64 {
        PD_MS / self.divisor
    }
}
