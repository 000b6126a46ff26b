//! Dependencies between transactions.

use std::fmt;

use crate::histories::history::Key;

/// The kind of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The second overwrites a value of the first.
    WriteWrite,
    /// The second reads a value of the first.
    WriteRead,
    /// Anti-dependency: the second overwrites a value that the first read.
    ReadWrite,
    /// The second began after the first had committed.
    RealTime,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Kind::WriteWrite => "ww",
            Kind::WriteRead => "wr",
            Kind::ReadWrite => "rw",
            Kind::RealTime => "rt",
        })
    }
}

/// A dependency of `to` on `from`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: Kind,
    /// The object, and the value that is written or read; nothing for real time.
    pub(super) cause: Option<(Key, u64)>,
}

impl fmt::Display for Edge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "T{} -{}", self.from, self.kind)?;
        if let Some((key, value)) = self.cause {
            write!(formatter, " {value} of {key}")?;
        }
        write!(formatter, "-> T{}", self.to)
    }
}

/// The dependencies by the transaction that they begin at.
#[derive(Debug)]
pub(super) struct Graph {
    edges: Vec<Vec<Edge>>,
}

impl Graph {
    /// Returns a graph of this many transactions without dependencies.
    pub(super) fn new(transactions: usize) -> Self {
        Graph { edges: vec![Vec::new(); transactions] }
    }

    /// Adds a dependency, unless a transaction would depend on itself.
    pub(super) fn add(&mut self, from: usize, to: usize, kind: Kind, cause: Option<(Key, u64)>) {
        if from != to {
            self.edges[from].push(Edge { from, to, kind, cause });
        }
    }

    /// Returns the number of transactions.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Returns the dependencies on a transaction.
    pub(super) fn edges(&self, from: usize) -> &[Edge] {
        &self.edges[from]
    }
}
