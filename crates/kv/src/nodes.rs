//! The processes that keep the data of a shared store, and those that say where the data are.

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
