//! The history as the checks look at it: who wrote a value, and which transactions committed.

use std::collections::HashMap;
use std::time::Duration;

use super::replay;
use crate::histories::history::{Key, Outcome, Transaction};

/// A write of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    /// The number of the transaction.
    pub(super) transaction: usize,
    /// True if it is the transaction's last write to the object.
    pub(super) is_last: bool,
    /// True if the server refused it.
    pub(super) is_refused: bool,
}

/// A history with lookups.
pub(super) struct Index<'h> {
    pub(super) history: &'h [Transaction],
    writes: HashMap<(Key, u64), Write>,
    /// For each transaction that committed the time by which it had.
    committed_by: Vec<Option<Duration>>,
    /// For each transaction the states that it read of others.
    external_reads: Vec<HashMap<Key, Vec<u64>>>,
}

impl<'h> Index<'h> {
    pub(super) fn new(history: &'h [Transaction]) -> Self {
        let mut index = Index {
            history,
            writes: writes(history),
            committed_by: Vec::new(),
            external_reads: history.iter().map(replay::external_reads).collect(),
        };
        index.committed_by = index.commits();
        index
    }

    /// Returns the write of a value, or nothing if nobody wrote it.
    pub(super) fn write(&self, key: Key, value: u64) -> Option<Write> {
        self.writes.get(&(key, value)).copied()
    }

    /// Returns the number of the committed transaction that wrote a value.
    pub(super) fn committed_writer(&self, key: Key, value: u64) -> Option<usize> {
        let write = self.write(key, value)?;
        self.committed_by(write.transaction).map(|_| write.transaction)
    }

    /// Returns the time by which a transaction had committed, or nothing if it had not or nobody
    /// knows.
    pub(super) fn committed_by(&self, transaction: usize) -> Option<Duration> {
        self.committed_by.get(transaction).copied().flatten()
    }

    /// Returns the committed transactions with their numbers.
    pub(super) fn committed(&self) -> impl Iterator<Item = (usize, &'h Transaction)> + '_ {
        self.history.iter().enumerate().filter(|(number, _)| self.committed_by(*number).is_some())
    }

    /// Returns the states that a transaction read of others, by object.
    pub(super) fn external_reads(&self, transaction: usize) -> &HashMap<Key, Vec<u64>> {
        &self.external_reads[transaction]
    }

    /// A transaction of unknown outcome has committed if another one read its write.
    fn commits(&self) -> Vec<Option<Duration>> {
        let acknowledged = |transaction: &Transaction| {
            (transaction.outcome == Outcome::Committed).then_some(transaction.end)
        };
        let mut commits: Vec<_> = self.history.iter().map(acknowledged).collect();
        for (reader, transaction) in self.history.iter().enumerate() {
            for (key, values) in transaction.reads() {
                for write in values.iter().filter_map(|value| self.write(key, *value)) {
                    let writer = write.transaction;
                    if writer != reader && self.history[writer].outcome == Outcome::Unknown {
                        let earliest =
                            commits[writer].map_or(transaction.end, |end| end.min(transaction.end));
                        commits[writer] = Some(earliest);
                    }
                }
            }
        }
        commits
    }
}

fn writes(history: &[Transaction]) -> HashMap<(Key, u64), Write> {
    let mut writes = HashMap::new();
    for (number, transaction) in history.iter().enumerate() {
        let last: HashMap<Key, u64> = transaction.writes().collect();
        for (key, value) in transaction.writes() {
            let is_last = last.get(&key) == Some(&value);
            writes.insert((key, value), Write { transaction: number, is_last, is_refused: false });
        }
        for (key, value) in &transaction.refused {
            let write = Write { transaction: number, is_last: true, is_refused: true };
            writes.insert((*key, *value), write);
        }
    }
    writes
}
