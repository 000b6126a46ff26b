#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod anomalies;
mod followers;
mod permitted;
mod simulated;

use std::time::Duration;

use super::check;
use crate::histories::history::{Key, Operation, Outcome, Transaction};

/// Returns a transaction of operations such as `append x 1`, `read x 1 2`, `write r 1`, which is
/// concurrent with all others. Lists are `x` to `z`, registers `r` to `t`.
fn transaction(text: &str) -> Transaction {
    let operations = text.split(", ").map(operation).collect();
    let (client, refused) = (0, Vec::new());
    let [begin, end] = [0, 1000].map(Duration::from_millis);
    let follower = None;
    Transaction { client, follower, begin, end, operations, refused, outcome: Outcome::Committed }
}

fn operation(text: &str) -> Operation {
    let mut words = text.split(' ');
    let verb = words.next().unwrap();
    let key = key(words.next().unwrap());
    let values: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    match verb {
        "append" | "write" => Operation::Write { key, value: values[0] },
        "read" => Operation::Read { key, values },
        other => panic!("{other}"),
    }
}

fn key(name: &str) -> Key {
    match name.as_bytes()[0] {
        letter @ b'r'..=b't' => Key::Register(u32::from(letter)),
        letter => Key::List(u32::from(letter)),
    }
}

fn aborted(text: &str) -> Transaction {
    Transaction { outcome: Outcome::Aborted, ..transaction(text) }
}

fn unknown(text: &str) -> Transaction {
    Transaction { outcome: Outcome::Unknown, ..transaction(text) }
}

/// Returns a transaction that runs from one second to another.
fn timed(begin: u64, end: u64, text: &str) -> Transaction {
    let [begin, end] = [begin, end].map(Duration::from_secs);
    Transaction { begin, end, ..transaction(text) }
}

/// Returns the first word of the name of each anomaly, and the transactions in the order of their
/// numbers.
fn found(history: &[Transaction]) -> Vec<(String, Vec<usize>)> {
    let anomalies = check(history).into_iter().map(|mut anomaly| {
        anomaly.transactions.sort_unstable();
        (anomaly.name.split(" (").next().unwrap().to_owned(), anomaly.transactions)
    });
    anomalies.collect()
}

/// Checks that exactly these anomalies are found.
#[track_caller]
fn expect(history: &[Transaction], anomalies: &[(&str, &[usize])]) {
    let wanted: Vec<_> = anomalies.iter().map(|(name, who)| ((*name).to_owned(), who.to_vec())).collect();
    assert_eq!(found(history), wanted);
}
