//! Names that are unique by an index, and for which all clients compete.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{Failure, ask};
use serde_json::{Value, json};

use super::{Load, complain_of_rows, create_collection, query};
use crate::journal::{Journal, Outcome};

/// Number of names for which clients compete concurrently.
const NAMES: u32 = 25;

/// Names that are unique by an index.
#[derive(Default)]
pub(super) struct Names {
    /// The documents that were tried, by key.
    documents: Mutex<BTreeMap<String, Document>>,
}

/// A document and what happened to it.
struct Document {
    inserted: Outcome,
    /// `None` if nobody has tried to remove it.
    removed: Option<Outcome>,
}

impl Load for Names {
    fn name(&self) -> &'static str {
        "unique names"
    }

    fn create(&self, client: &Client) -> Result<(), Failure> {
        create_collection(client, "names")?;
        let index = json!({"type": "persistent", "fields": ["name"], "unique": true});
        ask(client, Request::post("/_api/index").query("collection", "names"), &index).map(drop)
    }

    fn step(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool {
        match rng.u8(..8) {
            0 => {
                // The expression cannot be answered by the index.
                let text = "FOR d IN names COLLECT name = CONCAT(d.name, '') WITH COUNT INTO n FILTER n > 1 RETURN name";
                complain_of_rows(client, text, "a name has several documents", journal)
            }
            1..4 => self.remove(client, rng, journal),
            _ => self.insert(client, rng, journal),
        }
    }

    fn verify(&self, client: &Client) -> Result<String, String> {
        let text =
            "FOR d IN names RETURN [d._key, d.name, (FOR e IN names FILTER e.name == d.name RETURN e._key)]";
        let rows = query(client, text, &json!({})).map_err(|failure| failure.to_string())?;
        let mut found = BTreeSet::new();
        for row in &rows {
            if row[2] != json!([row[0]]) {
                return Err(format!("the index finds other documents than a scan: {row}"));
            }
            found.extend(row[0].as_str().map(str::to_owned));
        }
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, Document { inserted, removed }) in documents.iter() {
            let is_there = found.remove(key);
            let must_be = *inserted == Outcome::Acknowledged
                && !matches!(removed, Some(Outcome::Acknowledged | Outcome::Unknown));
            let may_be = *inserted != Outcome::Refused && *removed != Some(Outcome::Acknowledged);
            if (must_be && !is_there) || (is_there && !may_be) {
                return Err(format!(
                    "the document {key} {} there; its insertion was {inserted:?}, its removal {removed:?}",
                    if is_there { "is" } else { "is not" }
                ));
            }
        }
        match found.first() {
            Some(key) => Err(format!("nobody inserted the document {key}")),
            None => Ok(format!("{} documents of {} attempts", rows.len(), documents.len())),
        }
    }
}

impl Names {
    fn insert(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool {
        let (key, name) = (format!("{:016x}", rng.u64(..)), format!("name {}", rng.u32(..NAMES)));
        let done = ask(client, Request::post("/_api/document/names"), &json!({"_key": key, "name": name}));
        let outcome = journal.note(&done);
        let document = Document { inserted: outcome, removed: None };
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).insert(key, document);
        // A name that is taken is not a failure.
        outcome == Outcome::Acknowledged || done.is_err_and(|failure| failure.number == 1210)
    }

    /// Removes a document that nobody has tried to remove.
    fn remove(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool {
        let chosen = {
            let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            let is_free =
                |document: &Document| document.inserted != Outcome::Refused && document.removed.is_none();
            let free: Vec<_> = documents.iter_mut().filter(|(_, document)| is_free(document)).collect();
            let count = free.len();
            let mut free = free.into_iter();
            let Some((key, document)) = (count > 0).then(|| free.nth(rng.usize(..count))).flatten() else {
                return true;
            };
            document.removed = Some(Outcome::Unknown);
            key.clone()
        };
        let done = ask(client, Request::delete("/_api/document/names").segment(&chosen), &Value::Null);
        let outcome = journal.note(&done);
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(document) = documents.get_mut(&chosen) {
            // One that is not there may come later, if its insertion is unknown.
            document.removed = (outcome != Outcome::Refused).then_some(outcome);
            if done.is_err_and(|failure| failure.number == 1202) && document.inserted == Outcome::Acknowledged
            {
                journal.complain(&format!("the document {chosen} was inserted, and cannot be removed"));
            }
        }
        outcome == Outcome::Acknowledged
    }
}
