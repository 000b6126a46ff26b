//! All durations, derived from the length of the lease.

use std::time::Duration;

use crate::error::{Error, Result};

/// The default length of a lease.
pub const LEASE: Duration = Duration::from_secs(2);
/// The shortest lease. Shorter ones would end during an ordinary pause of a busy machine.
pub const LEASE_MIN: Duration = Duration::from_millis(400);
/// The longest lease.
pub const LEASE_MAX: Duration = Duration::from_secs(60);

/// The durations of one member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timing {
    /// The time from before a renewal is sent for which its sender may write.
    pub(crate) lease: Duration,
    /// The time after a renewal was applied before which no other leader is appointed: the lease
    /// and a tenth of it. It suffices while no clock runs more than a tenth faster than another.
    pub(crate) wait: Duration,
    /// The pause between two renewals.
    pub(crate) renewal: Duration,
    /// The pause after a failed attempt, and the resolution of waits.
    pub(crate) retry: Duration,
    /// The pause between two heartbeats of Raft's leader.
    pub(crate) heartbeat: Duration,
    /// The bounds of the random time without heartbeats after which a member calls an election of
    /// Raft. The upper one is also the time for which members refuse to vote after a heartbeat.
    pub(crate) election: (Duration, Duration),
    /// The longest wait for the answer to one question.
    pub(crate) answer: Duration,
    /// The longest handling of one message that asks for more than an answer, such as a handover.
    pub(crate) request: Duration,
}

impl Timing {
    /// Returns the durations for a lease. Errors: the lease is out of its bounds.
    pub(crate) fn new(lease: Duration) -> Result<Timing> {
        if !(LEASE_MIN..=LEASE_MAX).contains(&lease) {
            return Err(Error::Options(format!(
                "the lease is {lease:?}; it must be between {LEASE_MIN:?} and {LEASE_MAX:?}"
            )));
        }
        Ok(Timing {
            lease,
            wait: lease + lease / 10,
            renewal: lease / 3,
            retry: lease / 20,
            heartbeat: lease / 8,
            election: (lease * 3 / 10, lease * 9 / 20),
            answer: lease / 4,
            request: Duration::from_secs(30),
        })
    }
}
