//! Stores that several processes use concurrently.

use std::time::Duration;

use crate::{Nodes, Result};

/// The number of a process among those that share a store, from 0 to [`MEMBER_NUMBER_MAX`].
pub type MemberNumber = u8;

/// The greatest number of a member.
pub const MEMBER_NUMBER_MAX: MemberNumber = 254;

/// The maximum number of timestamps that one call of [`Sharing::timestamps`] takes.
pub const TIMESTAMPS_MAX: u32 = (1 << 18) - 1;

/// A process that has a shared store open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The number, which no other living member has.
    pub number: MemberNumber,
    /// A random number of this opening of the store. Another process that gets the same `number`
    /// later has another one.
    pub identity: u64,
    /// The moment when it opened the store, in milliseconds since 1970 by the store's clock.
    pub started_ms: u64,
    /// The address that it has set; empty before.
    pub address: String,
    /// A description of the process for people.
    pub process: String,
    /// The version of its program; empty if it is not known.
    pub version: String,
    /// The last announcement that it has acknowledged; 0 before the first one.
    pub acknowledged: u64,
    /// The parts of acknowledged announcements that it has not finished.
    pub pending: Vec<u64>,
}

impl Member {
    /// Returns true if it has acknowledged an announcement.
    pub fn has_acknowledged(&self, announcement: u64) -> bool {
        self.acknowledged >= announcement
    }

    /// Returns true if it has acknowledged an announcement and finished a part of it.
    pub fn has_finished(&self, announcement: u64, part: u64) -> bool {
        self.has_acknowledged(announcement) && !self.pending.contains(&part)
    }
}

/// The processes that share a store.
///
/// Opening the engine makes the process a *member* with the lowest free number, and a lease that
/// the engine prolongs. Times are those of the store, whatever the clocks of the machines say.
///
/// - No commit or load takes place at or after the end of the lease. It fails with
///   [`crate::Error::LeaseEnded`] then, and nothing was written.
/// - A process whose lease has ended no longer takes snapshots. Every call fails with
///   [`crate::Error::LeaseEnded`] until the engine is opened again.
/// - A member is gone once its lease has ended. Every snapshot that is taken after
///   [`Sharing::members`] no longer lists it shows everything that it has committed. Only then is
///   its number free for another process.
/// - The record of a new member precedes everything that it reads.
///
/// The layers above announce changes to each other by numbers of their own. The members only carry
/// the last number that each of them has acknowledged.
pub trait Sharing: Send + Sync {
    /// Returns the number of this process.
    fn member(&self) -> MemberNumber;

    /// Returns the random number of this opening of the store ([`Member::identity`]).
    fn identity(&self) -> u64;

    /// Returns the life of this process's lease without a sign of life.
    fn lease(&self) -> Duration;

    /// Returns the format of the data that all living members read, and that every later one must
    /// read. A process writes nothing that needs a newer one. It only ever grows while a process
    /// has the store open.
    fn format(&self) -> u32;

    /// Returns the living members by number, this process among them, as of now.
    fn members(&self) -> Result<Vec<Member>>;

    /// Returns the processes that keep the data of the store, as of now.
    fn nodes(&self) -> Result<Nodes>;

    /// Takes `count` timestamps of the store that follow one another, from 1 to [`TIMESTAMPS_MAX`],
    /// and returns the first.
    ///
    /// Nobody else gets one of them. They are greater than all timestamps that anybody was given
    /// before the call, and less than all that are given after it. A process that opens the store
    /// later than a call of [`Sharing::members`], which does not list it, gets only timestamps that
    /// are greater than those given before that call.
    fn timestamps(&self, count: u32) -> Result<u64>;

    /// Returns about the present time of the store's clock, in milliseconds since 1970, without
    /// asking it.
    fn clock_ms(&self) -> u64;

    /// Returns the timestamp at which the lease of this process ends, unless it is prolonged. Every
    /// commit that has returned is decided for snapshots from that timestamp on, also one with
    /// [`crate::Error::Undetermined`].
    fn lease_end(&self) -> u64;

    /// Tells the others the address at which this process serves clients. It has no white space.
    fn set_address(&self, address: &str) -> Result<()>;

    /// Tells the others that this process acts according to all announcements up to this one,
    /// except for the parts that are `pending`. Returns once [`Sharing::members`] shows it to
    /// everyone.
    fn acknowledge(&self, announcement: u64, pending: &[u64]) -> Result<()>;
}
