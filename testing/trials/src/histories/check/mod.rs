//! The checker of histories.
//!
//! It follows Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental
//! Observations" (VLDB 2020). The lists that transactions read give the order of their appends, and
//! a register that a transaction reads and then writes gives the order of the two values. These
//! orders imply dependencies between transactions, and a cycle of dependencies is an anomaly.
//!
//! Snapshot isolation permits only cycles with two anti-dependencies (rw) in a row: write skew.
//!
//! A follower of the server must show states that the server had, in their order. A read there is a
//! transaction like any other, whose state may be an earlier one.

mod components;
mod graph;
mod cycles;
mod replay;
mod index;
mod real_time;
mod dependencies;
mod reads;
mod updates;

use std::fmt;

use crate::histories::history::Transaction;
use index::Index;

/// A contradiction between a history and snapshot isolation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anomaly {
    /// The name in the literature.
    pub(crate) name: &'static str,
    /// The observation.
    pub(crate) text: String,
    /// The numbers of the transactions that take part.
    pub(crate) transactions: Vec<usize>,
}

impl Anomaly {
    fn new(name: &'static str, transactions: &[usize], text: String) -> Self {
        Anomaly { name, text, transactions: transactions.to_vec() }
    }
}

/// Returns all anomalies that snapshot isolation prevents, in a stable order.
pub(crate) fn check(history: &[Transaction]) -> Vec<Anomaly> {
    let index = Index::new(history);
    let mut anomalies = replay::check(history);
    anomalies.extend(reads::check(&index));
    anomalies.extend(updates::check(&index));
    let (graph, disorders) = dependencies::infer(&index);
    anomalies.extend(disorders);
    anomalies.extend(cycles::check(&graph));
    anomalies
}

/// An anomaly with the transactions that take part, for people.
pub(crate) struct Report<'a> {
    pub(crate) anomaly: &'a Anomaly,
    pub(crate) history: &'a [Transaction],
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.anomaly.name, self.anomaly.text)?;
        for number in &self.anomaly.transactions {
            if let Some(transaction) = self.history.get(*number) {
                write!(formatter, "\n  T{number}: {transaction}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
