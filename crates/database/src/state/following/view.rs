//! The other server that this one follows, as administrators see it.

use std::time::{Duration, Instant};

use errors::Error;

/// The reason for which a server follows another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowKind {
    /// It will take the other server's place.
    Migration,
    /// It is a copy that answers reads.
    #[default]
    Follower,
    /// It is a member of a group, and follows the member that leads.
    Member,
}

/// The state of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowPhase {
    /// No other server is followed.
    #[default]
    None,
    /// Definitions and documents are copied.
    Copying,
    /// The log is applied.
    Following,
    /// An administrator has stopped the work for a while.
    Paused,
    /// The other server refuses writes, the rest of its log is applied, and both are compared.
    CuttingOver,
    /// This server has taken the other one's place.
    Ended,
    /// The work has stopped with an error.
    Failed,
}

/// The other server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceView {
    /// Its address.
    pub endpoint: String,
    /// `arangodb` or `persea`; empty until it has answered.
    pub product: String,
    /// The version of ArangoDB that it has or is compatible with.
    pub version: String,
    /// Its number.
    pub server_id: String,
}

/// The progress of a copy.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyProgress {
    /// Databases that were copied, and all.
    pub databases_done: u64,
    /// All databases.
    pub databases: u64,
    /// Collections that were copied.
    pub collections_done: u64,
    /// Collections of the databases so far.
    pub collections: u64,
    /// Documents that were copied.
    pub documents: u64,
    /// Their bytes as they were sent.
    pub bytes: u64,
    /// The time of the copy.
    pub took: Duration,
}

/// The progress in the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogProgress {
    /// The tick up to which the log is applied.
    pub applied: u64,
    /// The other server's last tick, when it was asked last.
    pub last: u64,
    /// Entries that were applied since the start.
    pub entries: u64,
    /// Transactions among them.
    pub transactions: u64,
    /// The last moment at which everything was applied.
    pub caught_up: Option<Instant>,
    /// The moment until which silence means that there is nothing new; `None` while nobody asks.
    pub quiet_until: Option<Instant>,
}

/// Something that cannot be taken over, or that an operator must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The thing.
    pub what: String,
    /// The place: a database, or a database and a collection.
    pub place: String,
    /// The consequence.
    pub effect: String,
}

/// One collection in both servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The database.
    pub database: String,
    /// The collection.
    pub collection: String,
    /// The documents, or their keys and revisions, are equal.
    pub is_equal: bool,
    /// Documents at the other server.
    pub source: u64,
    /// Documents here.
    pub here: u64,
}

/// The state of the work, all together.
#[derive(Clone, Debug, Default)]
pub struct FollowView {
    /// The reason.
    pub kind: FollowKind,
    /// The phase.
    pub phase: FollowPhase,
    /// The other server.
    pub source: SourceView,
    /// The progress of the copy.
    pub copy: CopyProgress,
    /// The progress in the log.
    pub log: LogProgress,
    /// The last error. While the phase is not `Failed`, the work is repeated.
    pub error: Option<Error>,
    /// Attempts that failed since the start, and were made again.
    pub failed_attempts: u64,
    /// True if the error ended a cut-over: it stays until the next order.
    pub is_cut_over_refused: bool,
    /// The problems so far.
    pub problems: Vec<Problem>,
    /// The comparison before the end of a migration.
    pub comparison: Option<Vec<Compared>>,
}

impl FollowPhase {
    /// Returns the phase's name.
    pub fn name(self) -> &'static str {
        match self {
            FollowPhase::None => "none",
            FollowPhase::Copying => "copying",
            FollowPhase::Following => "following",
            FollowPhase::Paused => "paused",
            FollowPhase::CuttingOver => "cutting-over",
            FollowPhase::Ended => "ended",
            FollowPhase::Failed => "failed",
        }
    }

    /// Returns true if this server is a copy, which clients do not write.
    pub fn is_copy(self) -> bool {
        !matches!(self, FollowPhase::None | FollowPhase::Ended)
    }
}

impl FollowKind {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            FollowKind::Migration => "migration",
            FollowKind::Follower => "follower",
            FollowKind::Member => "member",
        }
    }
}

impl FollowView {
    /// Returns the time for which something may not have been applied: since the last moment at
    /// which everything was, if entries are missing or the other server does not answer. `None` if
    /// nothing was applied yet, and zero once this server is no copy any more.
    pub fn lag(&self) -> Option<Duration> {
        let is_level = self.log.applied >= self.log.last;
        match self.phase {
            // The other server accepts no writes while both are compared.
            FollowPhase::CuttingOver if is_level => self.log.caught_up.map(|_| Duration::ZERO),
            FollowPhase::None | FollowPhase::Ended => self.log.caught_up.map(|_| Duration::ZERO),
            _ => self.log.lag_at(Instant::now()),
        }
    }
}

impl LogProgress {
    fn lag_at(&self, now: Instant) -> Option<Duration> {
        let caught_up = self.caught_up?;
        let is_heard = self.quiet_until.is_some_and(|until| now <= until);
        if is_heard && self.applied >= self.last {
            return Some(Duration::ZERO);
        }
        Some(now.saturating_duration_since(caught_up))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_grows_with_missing_entries_and_with_silence() {
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let lag = |log: LogProgress, now| log.lag_at(at(now)).map(|lag| lag.as_secs());
        let log = LogProgress { applied: 9, last: 9, quiet_until: Some(at(6)), ..LogProgress::default() };
        assert_eq!(lag(log, 1), None, "nothing was applied yet");
        let log = LogProgress { caught_up: Some(began), ..log };
        assert_eq!((lag(log, 5), lag(log, 6), lag(log, 7)), (Some(0), Some(0), Some(7)));
        assert_eq!(lag(LogProgress { last: 10, ..log }, 5), Some(5), "an entry is missing");
        assert_eq!(lag(LogProgress { quiet_until: None, ..log }, 2), Some(2), "nobody asks");
    }
}
