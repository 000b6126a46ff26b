//! Clients that write to whoever leads.

use std::time::Duration;

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{Failure, ask, query};
use serde_json::{Value, json};

use crate::journal::{Journal, Outcome};

/// The collection of all documents.
pub(crate) const COLLECTION: &str = "docs";

/// The pause after a request that was not acknowledged.
const PAUSE: Duration = Duration::from_millis(20);

/// Documents that were written together, by their keys. `number` is the value that they got.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) keys: Vec<String>,
    pub(crate) number: u64,
    pub(crate) outcome: Outcome,
}

/// A client.
pub(crate) struct Writer<'a> {
    pub(crate) number: usize,
    /// A client of each member.
    pub(crate) clients: &'a [Client],
    pub(crate) journal: &'a Journal,
    pub(crate) rng: Rng,
}

impl Writer<'_> {
    /// Writes until the time is over. Returns everything that it tried, in its order.
    pub(crate) fn run(mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut member = self.number % self.clients.len().max(1);
        let mut number = 0;
        while !self.journal.is_over() {
            let Some(client) = self.clients.get(member) else { return units };
            number += 1;
            let unit = self.write(client, number);
            if unit.outcome != Outcome::Acknowledged {
                member = (member + 1) % self.clients.len();
                std::thread::sleep(PAUSE);
            }
            units.push(unit);
        }
        units
    }

    /// Writes new documents, or the one that this client replaces again and again.
    fn write(&mut self, client: &Client, number: u64) -> Unit {
        let key = |part: usize| format!("{}-{number}-{part}", self.number);
        let (keys, done) = match self.rng.u8(..8) {
            0..3 => {
                let keys = vec![key(0)];
                let done = insert(client, &keys, number);
                (keys, done)
            }
            3..5 => {
                let keys = vec![format!("register-{}", self.number)];
                let request = Request::post("/_api/document/docs").query("overwriteMode", "replace");
                let done = ask(client, request, &json!({"_key": keys[0], "n": number})).map(drop);
                (keys, done)
            }
            5..7 => {
                let keys: Vec<String> = (0..3).map(key).collect();
                let done = insert_by_query(client, &keys, number);
                (keys, done)
            }
            _ => {
                let keys: Vec<String> = (0..2).map(key).collect();
                let done = insert_by_transaction(client, &keys, number);
                (keys, done)
            }
        };
        let outcome = self.journal.note(&done);
        Unit { keys, number, outcome }
    }
}

fn insert(client: &Client, keys: &[String], number: u64) -> Result<(), Failure> {
    keys.iter().try_for_each(|key| {
        ask(client, Request::post("/_api/document/docs"), &json!({"_key": key, "n": number})).map(drop)
    })
}

fn insert_by_query(client: &Client, keys: &[String], number: u64) -> Result<(), Failure> {
    let text = "FOR key IN @keys INSERT {_key: key, n: @number} INTO docs";
    query(client, Request::post("/_api/cursor"), text, &json!({"keys": keys, "number": number})).map(drop)
}

fn insert_by_transaction(client: &Client, keys: &[String], number: u64) -> Result<(), Failure> {
    let body = json!({"collections": {"write": [COLLECTION]}, "lockTimeout": 10});
    let begun =
        ask(client, Request::post("/_api/transaction/begin"), &body).map_err(Failure::without_effect)?;
    let transaction = begun["result"]["id"].as_str().unwrap_or_default();
    let request = |verb: fn(&str) -> Request| verb("/_api/transaction").segment(transaction);
    for key in keys {
        let insert = Request::post("/_api/document/docs").header("x-arango-trx-id", transaction);
        if let Err(failure) = ask(client, insert, &json!({"_key": key, "n": number})) {
            // It ends by itself otherwise.
            let _ = ask(client, request(Request::delete), &Value::Null);
            return Err(failure.without_effect());
        }
    }
    ask(client, request(Request::put), &Value::Null).map(drop)
}
