//! The record of all transactions of a run.

use std::fmt;
use std::time::Duration;

/// An object in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    /// A list, to which transactions append. A list without a document is empty.
    List(u32),
    /// A register, whose value transactions replace. A register without a document has none.
    Register(u32),
}

impl Key {
    /// Adds a write to the values of the object.
    pub(crate) fn apply(self, values: &mut Vec<u64>, value: u64) {
        if matches!(self, Key::Register(_)) {
            values.clear();
        }
        values.push(value);
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::List(number) => write!(formatter, "list {number}"),
            Key::Register(number) => write!(formatter, "register {number}"),
        }
    }
}

/// A part of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// An append to a list, or a new value of a register. No two writes have the same value.
    Write {
        /// The object.
        key: Key,
        /// The element or value.
        value: u64,
    },
    /// A read.
    Read {
        /// The object.
        key: Key,
        /// The elements of a list, or the value of a register if it has one.
        values: Vec<u64>,
    },
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Write { key: key @ Key::List(_), value } => {
                write!(formatter, "append {value} to {key}")
            }
            Operation::Write { key, value } => write!(formatter, "write {value} to {key}"),
            Operation::Read { key, values } => write!(formatter, "read {values:?} from {key}"),
        }
    }
}

/// The end of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The commit was acknowledged.
    Committed,
    /// The transaction was aborted, refused, or never asked to commit.
    Aborted,
    /// The reply to the commit is missing.
    Unknown,
}

/// A transaction as its client saw it.
#[derive(Clone, Debug)]
pub(crate) struct Transaction {
    /// The number of the client.
    pub(crate) client: usize,
    /// The number of the follower that it read, whose state may be an earlier one; `None` if it saw
    /// everything that was committed before it began.
    pub(crate) follower: Option<usize>,
    /// The time before its first request, since the start of the run.
    pub(crate) begin: Duration,
    /// The time after its last reply.
    pub(crate) end: Duration,
    /// The operations in order.
    pub(crate) operations: Vec<Operation>,
    /// Objects and values of writes that were refused, so that nobody may see them.
    pub(crate) refused: Vec<(Key, u64)>,
    /// The end of the transaction.
    pub(crate) outcome: Outcome,
}

impl Transaction {
    /// Returns the writes in order.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (Key, u64)> + '_ {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Write { key, value } => Some((*key, *value)),
            Operation::Read { .. } => None,
        })
    }

    /// Returns the reads in order.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (Key, &[u64])> + '_ {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Read { key, values } => Some((*key, &values[..])),
            Operation::Write { .. } => None,
        })
    }
}

impl fmt::Display for Transaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [begin, end] = [self.begin, self.end].map(|time| time.as_secs_f64());
        write!(formatter, "client {}, {begin:.6} to {end:.6} s, {:?}", self.client, self.outcome)?;
        if let Some(follower) = self.follower {
            write!(formatter, ", at follower {follower}")?;
        }
        self.operations.iter().try_for_each(|operation| write!(formatter, "; {operation}"))?;
        self.refused.iter().try_for_each(|(key, value)| write!(formatter, "; refused {value} of {key}"))
    }
}
