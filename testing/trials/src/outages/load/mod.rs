//! The loads: kinds of writes, each with its own collections and its own promise.

mod counters;
mod graph;
mod names;
mod transfers;

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{self, Failure};
use serde_json::{Value, json};

use crate::journal::Journal;

/// A kind of writes, and what must hold for it.
pub(crate) trait Load: Sync {
    fn name(&self) -> &'static str;

    /// Creates its collections.
    fn create(&self, client: &Client) -> Result<(), Failure>;

    /// Writes or reads something through one of the servers. Returns false if the request did not
    /// reach its goal.
    fn step(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool;

    /// Checks that everything acknowledged exists. Returns statistics for people. Errors: text for
    /// the user.
    fn verify(&self, client: &Client) -> Result<String, String>;
}

/// Returns all loads.
pub(crate) fn all() -> Vec<Box<dyn Load>> {
    vec![
        Box::<transfers::Transfers>::default(),
        Box::<counters::Counters>::default(),
        Box::<names::Names>::default(),
        Box::<graph::Graph>::default(),
    ]
}

fn create_collection(client: &Client, name: &str) -> Result<(), Failure> {
    requests::ask(client, Request::post("/_api/collection"), &json!({"name": name})).map(drop)
}

fn query(client: &Client, text: &str, binds: &Value) -> Result<Vec<Value>, Failure> {
    requests::query(client, Request::post("/_api/cursor"), text, binds)
}

/// Runs a query whose rows are wrong, each of them. Returns false if it has no result.
fn complain_of_rows(client: &Client, text: &str, what: &str, journal: &Journal) -> bool {
    match query(client, text, &json!({})) {
        Ok(rows) => {
            rows.iter().for_each(|row| journal.complain(&format!("{what}: {row}")));
            true
        }
        Err(failure) => {
            journal.note_failure(&failure);
            false
        }
    }
}
