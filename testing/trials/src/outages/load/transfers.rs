//! Transfers between accounts, each with an entry of the ledger.
//!
//! An account counts its transfers, and an entry has the counts that its transfer found. This
//! reveals two transfers that read the same state, one of which is lost.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{Failure, ask};
use serde_json::{Value, json};

use super::{Load, create_collection, query};
use crate::journal::{Journal, Outcome};

const ACCOUNTS: u64 = 12;
const INITIAL: i64 = 100;

/// Transfers between accounts.
#[derive(Default)]
pub(super) struct Transfers {
    /// The outcome of each transfer, by the key of its entry.
    outcomes: Mutex<BTreeMap<String, Outcome>>,
    /// A reader has seen that the ledger and the accounts do not agree. One complaint is enough.
    is_torn: AtomicBool,
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
        let text = "FOR n IN 0..@last INSERT {_key: TO_STRING(n), balance: @initial, count: 0} INTO accounts";
        query(client, text, &json!({"last": ACCOUNTS - 1, "initial": INITIAL})).map(drop)
    }

    fn step(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool {
        match rng.u8(..24) {
            0..3 => return read_sum(client, journal),
            3 => return self.read_all(client, journal),
            _ => {}
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
        let state = State::read(client).map_err(|failure| failure.to_string())?;
        state.check()?;
        let ledger = &state.ledger;
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: BTreeMap<&str, Outcome> =
            outcomes.iter().map(|(key, outcome)| (key.as_str(), *outcome)).collect();
        for entry in ledger {
            let key = entry["_key"].as_str().unwrap_or_default();
            if !matches!(missing.remove(key), Some(Outcome::Acknowledged | Outcome::Unknown)) {
                return Err(format!(
                    "the ledger has an entry that was refused, or that nobody made: {entry}"
                ));
            }
        }
        if let Some((key, _)) = missing.iter().find(|(_, outcome)| **outcome == Outcome::Acknowledged) {
            return Err(format!("the acknowledged transfer {key} is missing in the ledger"));
        }
        let count = ask(client, Request::get("/_api/collection/ledger/count"), &Value::Null);
        let count = count.map_err(|failure| failure.to_string())?["count"].as_u64();
        if count != Some(ledger.len() as u64) {
            return Err(format!("the count of the ledger is {count:?}; it has {} entries", ledger.len()));
        }
        Ok(format!("{} entries of {} attempts", ledger.len(), outcomes.len()))
    }
}

impl Transfers {
    /// Reads all accounts and the whole ledger, which agree at every moment.
    fn read_all(&self, client: &Client, journal: &Journal) -> bool {
        if self.is_torn.load(Ordering::Relaxed) {
            return true;
        }
        match State::read(client) {
            Ok(state) => {
                if let Err(text) = state.check() {
                    self.is_torn.store(true, Ordering::Relaxed);
                    journal.complain(&text);
                }
                true
            }
            Err(failure) => {
                journal.note_failure(&failure);
                false
            }
        }
    }
}

/// The accounts and the ledger at one moment.
struct State {
    accounts: Vec<Value>,
    ledger: Vec<Value>,
}

impl State {
    fn read(client: &Client) -> Result<Self, Failure> {
        let text = "RETURN {accounts: (FOR a IN accounts RETURN a), ledger: (FOR l IN ledger RETURN l)}";
        let mut state = query(client, text, &json!({}))?.pop().unwrap_or_default();
        let mut take = |name: &str| match state[name].take() {
            Value::Array(documents) => documents,
            _ => Vec::new(),
        };
        Ok(State { accounts: take("accounts"), ledger: take("ledger") })
    }

    /// Checks that the entries account for all balances. Errors: text for the user.
    fn check(&self) -> Result<(), String> {
        // The entry of each transfer of an account, by the count that it has found.
        let mut by_count: BTreeMap<(&str, u64), &Value> = BTreeMap::new();
        let mut balances: BTreeMap<&str, i64> = BTreeMap::new();
        for entry in &self.ledger {
            let amount = entry["amount"].as_i64().unwrap_or_default();
            for (side, change) in [("from", -amount), ("to", amount)] {
                let account = entry[side].as_str().unwrap_or_default();
                let count = entry["found"][account].as_u64().unwrap_or_default();
                if let Some(other) = by_count.insert((account, count), entry) {
                    return Err(format!(
                        "two transfers have found the same account {account}: {other} and {entry}"
                    ));
                }
                *balances.entry(account).or_insert(INITIAL) += change;
            }
        }
        for account in &self.accounts {
            let key = account["_key"].as_str().unwrap_or_default();
            let expected = balances.get(key).copied().unwrap_or(INITIAL);
            let count = by_count.range((key, 0)..=(key, u64::MAX)).count() as u64;
            let found = (account["balance"].as_i64(), account["count"].as_u64());
            if found != (Some(expected), Some(count)) {
                let last = by_count.range((key, 0)..=(key, u64::MAX)).next_back().map(|(_, entry)| entry);
                return Err(format!(
                    "{account} should have the balance {expected} after {count} transfers, of which {last:?} is the last"
                ));
            }
        }
        Ok(())
    }
}

/// Reads the sum of all balances, which is always the same.
fn read_sum(client: &Client, journal: &Journal) -> bool {
    match query(client, "RETURN SUM(FOR a IN accounts RETURN a.balance)", &json!({})) {
        Ok(rows) => {
            let sum = rows.first().and_then(Value::as_i64);
            if sum != Some(INITIAL * ACCOUNTS as i64) {
                journal.complain(&format!("the sum of all accounts is {sum:?}"));
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
    /// Returns the entry, without what the transfer has found.
    fn entry(&self, way: &str) -> Value {
        let [from, to] = [self.from, self.to].map(|account| account.to_string());
        json!({"_key": self.key, "from": from, "to": to, "amount": self.amount, "way": way})
    }

    /// Makes the transfer by one query.
    fn by_query(&self, client: &Client) -> Result<(), Failure> {
        let text = "LET found = (FOR m IN @moves LET a = DOCUMENT(accounts, m[0]) \
                    UPDATE a WITH {balance: a.balance + m[1], count: a.count + 1} IN accounts \
                    RETURN {[a._key]: a.count}) \
                    INSERT MERGE(@entry, {found: MERGE(found)}) INTO ledger";
        let moves = json!([[self.from.to_string(), -self.amount], [self.to.to_string(), self.amount]]);
        query(client, text, &json!({"moves": moves, "entry": self.entry("query")})).map(drop)
    }

    /// Makes the transfer by a stream transaction.
    fn by_stream(&self, client: &Client) -> Result<(), Failure> {
        let body = json!({"collections": {"write": ["accounts", "ledger"]}, "lockTimeout": 10});
        let begun =
            ask(client, Request::post("/_api/transaction/begin"), &body).map_err(Failure::without_effect)?;
        let transaction = begun["result"]["id"].as_str().unwrap_or_default().to_owned();
        let one_by_one = || {
            let mut entry = self.entry("stream");
            for (account, change) in [(self.from, -self.amount), (self.to, self.amount)] {
                let place = |verb: fn(&str) -> Request| {
                    let request = verb("/_api/document/accounts").segment(&account.to_string());
                    request.header("x-arango-trx-id", &transaction)
                };
                let read = ask(client, place(Request::get), &Value::Null)?;
                let balance = read["balance"].as_i64().unwrap_or_default() + change;
                let count = read["count"].as_u64().unwrap_or_default();
                ask(client, place(Request::patch), &json!({"balance": balance, "count": count + 1}))?;
                entry["found"][account.to_string()] = json!(count);
            }
            let insert = Request::post("/_api/document/ledger").header("x-arango-trx-id", &transaction);
            ask(client, insert, &entry).map(drop)
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
