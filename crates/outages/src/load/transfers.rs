//! Transfers between accounts, each with an entry of the ledger.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use client::{Client, Request};
use fastrand::Rng;
use serde_json::{Value, json};
use server_process::requests::{Failure, ask};

use super::{Load, create_collection, query};
use crate::journal::{Journal, Outcome};

const ACCOUNTS: u64 = 12;
const INITIAL: i64 = 100;

/// Transfers between accounts.
#[derive(Default)]
pub(super) struct Transfers {
    /// The outcome of each transfer, by the key of its entry.
    outcomes: Mutex<BTreeMap<String, Outcome>>,
}

/// A transfer: the key of its entry, the accounts, and the amount.
struct Transfer {
    key: String,
    from: u64,
    to: u64,
    amount: i64,
}

impl Load for Transfers {
    fn name(&self) -> &'static str {
        "transfers"
    }

    fn create(&self, client: &Client) -> Result<(), Failure> {
        create_collection(client, "accounts")?;
        create_collection(client, "ledger")?;
        let text = "FOR n IN 0..@last INSERT {_key: TO_STRING(n), balance: @initial} INTO accounts";
        query(client, text, &json!({"last": ACCOUNTS - 1, "initial": INITIAL})).map(drop)
    }

    fn step(&self, client: &Client, _number: usize, rng: &mut Rng, journal: &Journal) -> bool {
        if rng.u8(..8) == 0 {
            return read_sum(client, journal);
        }
        let (from, to) = (rng.u64(..ACCOUNTS), rng.u64(1..ACCOUNTS));
        let to = (from + to) % ACCOUNTS;
        let transfer = Transfer { key: format!("{:016x}", rng.u64(..)), from, to, amount: rng.i64(1..20) };
        let done = if rng.bool() { transfer.by_query(client) } else { transfer.by_stream(client) };
        let outcome = journal.note(&done);
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.insert(transfer.key, outcome);
        outcome == Outcome::Acknowledged
    }

    fn verify(&self, client: &Client) -> Result<String, String> {
        let text = "RETURN {accounts: (FOR a IN accounts RETURN [a._key, a.balance]), \
                    ledger: (FOR l IN ledger RETURN [l._key, l.from, l.to, l.amount])}";
        let rows = query(client, text, &json!({})).map_err(|failure| failure.to_string())?;
        let state = rows.first().ok_or("there is no state")?;
        let ledger = state["ledger"].as_array().ok_or("there is no ledger")?;
        let mut balances: BTreeMap<String, i64> =
            (0..ACCOUNTS).map(|number| (number.to_string(), INITIAL)).collect();
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: BTreeMap<&str, Outcome> =
            outcomes.iter().map(|(key, outcome)| (key.as_str(), *outcome)).collect();
        for entry in ledger {
            let key = entry[0].as_str().unwrap_or_default();
            if !matches!(missing.remove(key), Some(Outcome::Acknowledged | Outcome::Unknown)) {
                return Err(format!(
                    "the ledger has an entry that was refused, or that nobody made: {entry}"
                ));
            }
            for (account, sign) in [(&entry[1], -1), (&entry[2], 1)] {
                let account = account.as_u64().unwrap_or_default().to_string();
                *balances.entry(account).or_default() += sign * entry[3].as_i64().unwrap_or_default();
            }
        }
        if let Some((key, _)) = missing.iter().find(|(_, outcome)| **outcome == Outcome::Acknowledged) {
            return Err(format!("the acknowledged transfer {key} is missing in the ledger"));
        }
        let found: BTreeMap<String, i64> = state["accounts"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|account| Some((account[0].as_str()?.to_owned(), account[1].as_i64()?)))
            .collect();
        if found != balances {
            return Err(format!("the balances are {found:?}; the ledger makes them {balances:?}"));
        }
        let count = ask(client, Request::get("/_api/collection/ledger/count"), &Value::Null);
        let count = count.map_err(|failure| failure.to_string())?["count"].as_u64();
        if count != Some(ledger.len() as u64) {
            return Err(format!("the count of the ledger is {count:?}; it has {} entries", ledger.len()));
        }
        Ok(format!("{} entries of {} attempts", ledger.len(), outcomes.len()))
    }
}

/// Reads the sum of all balances, which is always the same.
fn read_sum(client: &Client, journal: &Journal) -> bool {
    match query(client, "RETURN SUM(FOR a IN accounts RETURN a.balance)", &json!({})) {
        Ok(rows) => {
            let sum = rows.first().and_then(Value::as_i64);
            if sum != Some(INITIAL * ACCOUNTS as i64) {
                journal.complain(format!("the sum of all accounts is {sum:?}"));
            }
            true
        }
        Err(failure) => {
            journal.note_failure(&failure);
            false
        }
    }
}

impl Transfer {
    fn entry(&self) -> Value {
        json!({"_key": self.key, "from": self.from, "to": self.to, "amount": self.amount})
    }

    /// Makes the transfer by one query.
    fn by_query(&self, client: &Client) -> Result<(), Failure> {
        let text = "LET moved = (FOR m IN @moves LET a = DOCUMENT(accounts, m[0]) \
                    UPDATE a WITH {balance: a.balance + m[1]} IN accounts RETURN 1) \
                    INSERT @entry INTO ledger";
        let moves = json!([[self.from.to_string(), -self.amount], [self.to.to_string(), self.amount]]);
        query(client, text, &json!({"moves": moves, "entry": self.entry()})).map(drop)
    }

    /// Makes the transfer by a stream transaction.
    fn by_stream(&self, client: &Client) -> Result<(), Failure> {
        let body = json!({"collections": {"write": ["accounts", "ledger"]}, "lockTimeout": 10});
        let begun =
            ask(client, Request::post("/_api/transaction/begin"), &body).map_err(Failure::without_effect)?;
        let transaction = begun["result"]["id"].as_str().unwrap_or_default().to_owned();
        let one_by_one = || {
            for (account, change) in [(self.from, -self.amount), (self.to, self.amount)] {
                let place = |verb: fn(&str) -> Request| {
                    let request = verb("/_api/document/accounts").segment(&account.to_string());
                    request.header("x-arango-trx-id", &transaction)
                };
                let read = ask(client, place(Request::get), &Value::Null)?;
                let balance = read["balance"].as_i64().unwrap_or_default() + change;
                ask(client, place(Request::patch), &json!({"balance": balance}))?;
            }
            let insert = Request::post("/_api/document/ledger").header("x-arango-trx-id", &transaction);
            ask(client, insert, &self.entry()).map(drop)
        };
        let request = |verb: fn(&str) -> Request| verb("/_api/transaction").segment(&transaction);
        if let Err(failure) = one_by_one() {
            // It ends by itself otherwise.
            let _ = ask(client, request(Request::delete), &Value::Null);
            return Err(failure.without_effect());
        }
        ask(client, request(Request::put), &Value::Null).map(drop)
    }
}
