//! The processes that keep the data of a shared store, and those that say where the data are.

use crate::histogram::Summary;

/// The upper ends, in seconds, of the buckets of [`NodeStatistics::replies`].
pub const REPLY_CUTS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 2.0, 8.0];

/// The processes of a shared store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// The processes that keep data, by number.
    pub data: Vec<DataNode>,
    /// The processes that know the places of the data.
    pub placement: Vec<PlacementNode>,
}

/// The state of a process as far as others know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeHealth {
    /// It gives signs of life.
    Up,
    /// A sign of life is overdue, or it did not answer the last message of this server.
    Suspect,
    /// It has given no sign of life for long.
    Down,
}

/// A process that keeps data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataNode {
    /// Its number in the store, which stays the same for as long as it keeps data.
    pub id: u64,
    /// `HOST:PORT` at which it answers.
    pub address: String,
    /// The version of its program; empty if it has told none.
    pub version: String,
    /// Its state.
    pub health: NodeHealth,
    /// It gives its data to others, and will be removed then.
    pub is_leaving: bool,
    /// Milliseconds since 1970 of its last sign of life, by the store's clock, if that is known.
    pub seen_ms: Option<u64>,
    /// Bytes of its disk; 0 if it has told none.
    pub capacity_bytes: u64,
    /// Free bytes of its disk.
    pub available_bytes: u64,
    /// The number of key ranges that it has a copy of.
    pub ranges: u64,
}

/// A process that knows the places of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementNode {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// `HOST:PORT` at which it answers.
    pub address: String,
    /// Its state: up if it has answered just now.
    pub health: NodeHealth,
    /// It leads the others.
    pub is_leader: bool,
}

/// The kind of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRole {
    /// It keeps data.
    Data,
    /// It knows the places of the data.
    Placement,
}

/// Statistics of the messages from this server to one process of a shared store.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeStatistics {
    /// `HOST:PORT` of the process.
    pub address: String,
    /// The kind of the process.
    pub role: NodeRole,
    /// Messages without a reply.
    pub failures: u64,
    /// Messages whose reply is awaited now.
    pub in_flight: u64,
    /// Seconds from a message to its reply, by [`REPLY_CUTS`].
    pub replies: Summary,
    /// Bytes of messages.
    pub sent_bytes: u64,
    /// Bytes of replies.
    pub received_bytes: u64,
}
