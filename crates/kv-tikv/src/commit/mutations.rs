//! The mutations of a transaction.

use crate::protocol::kv::{Mutation, Op};

/// The mutations of a transaction, by whether a store looks for conflicts. Keys ascend in each
/// part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutations {
    /// Keys that nobody else may have written since the transaction's start.
    pub(crate) checked: Vec<Mutation>,
    /// Keys that the transaction writes without a look at earlier commits.
    pub(crate) unchecked: Vec<Mutation>,
    /// The server cannot live without the transaction, which is small.
    pub(crate) is_vital: bool,
}

impl From<Vec<Mutation>> for Mutations {
    fn from(checked: Vec<Mutation>) -> Self {
        Mutations { checked, ..Mutations::default() }
    }
}

impl Mutations {
    pub(crate) fn len(&self) -> usize {
        self.checked.len() + self.unchecked.len()
    }

    /// Returns true if the transaction may use a disk that is almost full: it keeps the server
    /// alive, or it only removes, which makes room.
    pub(crate) fn may_fill_up(&self) -> bool {
        let stores = |mutation: &Mutation| [Op::Put as i32, Op::Insert as i32].contains(&mutation.op);
        self.is_vital || !self.checked.iter().chain(&self.unchecked).any(stores)
    }

    /// Returns the names of all keys, ascending.
    pub(crate) fn keys(&self) -> Vec<Vec<u8>> {
        let all = self.checked.iter().chain(&self.unchecked);
        let mut keys: Vec<Vec<u8>> = all.map(|mutation| mutation.key.clone()).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns all mutations by key.
    pub(crate) fn merged(&self) -> Vec<Mutation> {
        let mut all: Vec<Mutation> = self.checked.iter().chain(&self.unchecked).cloned().collect();
        all.sort_unstable_by(|left, right| left.key.cmp(&right.key));
        all
    }

    /// Returns the key that decides the transaction's outcome; `None` without mutations.
    ///
    /// It is a checked key: a store must notice if others have rolled the transaction back before
    /// its first message came. A key that is only locked leaves less behind, so it is the last
    /// choice.
    pub(crate) fn primary(&mut self) -> Option<Vec<u8>> {
        if self.checked.is_empty() && !self.unchecked.is_empty() {
            self.checked.push(self.unchecked.remove(0));
        }
        let written = self.checked.iter().find(|mutation| mutation.op != Op::Lock as i32);
        written.or(self.checked.first()).map(|mutation| mutation.key.clone())
    }
}
