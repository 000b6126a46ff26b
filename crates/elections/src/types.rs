//! The types with which openraft works here.

use std::fmt;

use openraft::RaftTypeConfig;
use openraft::impls::{OneshotResponder, TokioRuntime};

use crate::member::Seat;
use crate::state::{Command, Outcome, State};

/// openraft's parameters: what its log holds, and how its members are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Types;

impl RaftTypeConfig for Types {
    type D = Command;
    type R = Outcome;
    type NodeId = u64;
    type Node = Seat;
    type Entry = Entry;
    type SnapshotData = State;
    type AsyncRuntime = TokioRuntime;
    type Responder = OneshotResponder<Types>;
}

pub(crate) type Raft = openraft::Raft<Types>;
pub(crate) type Entry = openraft::Entry<Types>;
pub(crate) type LogId = openraft::LogId<u64>;
pub(crate) type Vote = openraft::Vote<u64>;
pub(crate) type Membership = openraft::Membership<u64, Seat>;
pub(crate) type StoredMembership = openraft::StoredMembership<u64, Seat>;
pub(crate) type SnapshotMeta = openraft::SnapshotMeta<u64, Seat>;
pub(crate) type Snapshot = openraft::Snapshot<Types>;
pub(crate) type StorageError = openraft::StorageError<u64>;
pub(crate) type Metrics = openraft::RaftMetrics<u64, Seat>;

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
