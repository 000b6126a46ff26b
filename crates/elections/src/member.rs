//! Members of the group, and their positions in the data.

/// The greatest id, term, index and number that messages and files may contain.
///
/// The bound leaves room for additions without an overflow.
pub(crate) const NUMBER_MAX: u64 = 1 << 60;
/// The greatest number of members of a group.
pub const MEMBERS_MAX: usize = 32;
/// The greatest length of an endpoint in bytes.
pub const ENDPOINT_MAX: usize = 1024;

/// A member of the group: a server that votes and that may lead.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The id, which never changes and which no other member ever had.
    pub id: u64,
    /// The address by which the transport reaches the member. This crate does not interpret it.
    pub endpoint: String,
}

/// A position in the data: how far a member has followed the leaders.
///
/// Positions are ordered by the epoch, then by the tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The epoch in which the last write of the member's data was made.
    pub epoch: u64,
    /// The tick of that write.
    pub tick: u64,
}

/// The seat of a member in the replicated membership.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seat {
    /// The endpoint with which the member was added.
    pub(crate) endpoint: String,
    /// The identity of the member's folder. A member whose folder was lost comes back with another
    /// one and is refused, because it has forgotten its votes.
    pub(crate) folder: u64,
}

/// One run of one member: a server that starts again is another holder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Holder {
    /// The id of the member.
    pub(crate) member: u64,
    /// The random number of the run.
    pub(crate) run: u64,
}
