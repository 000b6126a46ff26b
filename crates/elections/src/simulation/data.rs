//! The data of the members: only how far each of them is.

use std::collections::{BTreeMap, BTreeSet};

use crate::member::Position;

/// The data of all members.
#[derive(Default)]
pub(super) struct Data {
    positions: BTreeMap<u64, Position>,
    /// The members that have said that they cannot lead.
    pub(super) unable: BTreeSet<u64>,
    /// The members whose writes are stopped for a handover.
    pub(super) stopped: BTreeSet<u64>,
    /// The members that do not catch up.
    pub(super) lagging: BTreeSet<u64>,
}

impl Data {
    /// Returns the position of a member.
    pub(super) fn position(&self, id: u64) -> Position {
        self.positions.get(&id).copied().unwrap_or(Position { epoch: 0, tick: 0 })
    }

    /// Moves a member to a position.
    pub(super) fn set(&mut self, id: u64, position: Position) {
        self.positions.insert(id, position);
    }

    /// Writes as the leader of an epoch, and copies that to followers.
    pub(super) fn write(&mut self, id: u64, epoch: u64, followers: impl Iterator<Item = u64>) {
        let position = Position { epoch, tick: self.position(id).tick + 1 };
        self.set(id, position);
        for follower in followers {
            if self.position(follower).epoch <= epoch {
                self.set(follower, position);
            }
        }
    }
}
