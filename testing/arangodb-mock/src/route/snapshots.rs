//! The snapshots and dumps that clients hold.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use crate::model::Model;

/// The snapshots, dumps and cursors that clients hold open.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    pub(super) batches: BTreeMap<u64, Batch>,
    pub(super) dumps: BTreeMap<u64, Dump>,
    pub(super) cursors: BTreeMap<u64, VecDeque<Value>>,
    last_id: u64,
}

/// A snapshot of everything.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) model: Model,
    /// The position of the sequential dump of each collection, by database and name.
    pub(super) positions: BTreeMap<(String, String), usize>,
}

/// The batches of a parallel dump that nobody has fetched yet, and those that were fetched.
#[derive(Debug)]
pub(super) struct Dump {
    pub(super) waiting: VecDeque<(String, String)>,
    /// By the number that the client gave; kept until the client says that it has them.
    pub(super) fetched: BTreeMap<u64, (String, String)>,
}

impl Readers {
    pub(super) fn new_id(&mut self) -> u64 {
        self.last_id += 7;
        self.last_id
    }

    pub(crate) fn open_snapshots(&self) -> usize {
        self.batches.len() + self.dumps.len()
    }
}
