//! A named graph: vertices that come and go with their edges.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{Failure, ask};
use serde_json::{Value, json};

use super::{Load, complain_of_rows, query};
use crate::journal::{Journal, Outcome};

/// Vertices that all clients insert and remove.
const SHARED: u32 = 16;

/// The edges whose vertices do not exist.
const DANGLING: &str = "FOR e IN roads FILTER DOCUMENT(e._from) == null || DOCUMENT(e._to) == null RETURN e";

/// A named graph.
#[derive(Default)]
pub(super) struct Graph {
    /// The outcome of each edge between vertices that nobody removes, by key.
    lasting: Mutex<BTreeMap<String, Outcome>>,
}

impl Load for Graph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn create(&self, client: &Client) -> Result<(), Failure> {
        let definition = json!({"collection": "roads", "from": ["towns"], "to": ["towns"]});
        let body = json!({"name": "map", "edgeDefinitions": [definition]});
        ask(client, Request::post("/_api/gharial"), &body)?;
        for name in ["north", "south"] {
            ask(client, Request::post("/_api/gharial/map/vertex/towns"), &json!({"_key": name}))?;
        }
        Ok(())
    }

    fn step(&self, client: &Client, rng: &mut Rng, journal: &Journal) -> bool {
        let town = |rng: &mut Rng| format!("t{}", rng.u32(..SHARED));
        let done = match rng.u8(..12) {
            0 => return complain_of_rows(client, DANGLING, "an edge without its vertices", journal),
            1..4 => {
                let body = json!({"_key": town(rng)});
                ask(client, Request::post("/_api/gharial/map/vertex/towns"), &body)
            }
            4..6 => {
                let request = Request::delete("/_api/gharial/map/vertex/towns").segment(&town(rng));
                ask(client, request, &Value::Null)
            }
            6..10 => insert_edge(client, &format!("s{:016x}", rng.u64(..)), [town(rng), town(rng)]),
            _ => {
                let key = format!("l{:016x}", rng.u64(..));
                let done = insert_edge(client, &key, ["north", "south"].map(str::to_owned));
                let outcome = journal.note(&done);
                self.lasting.lock().unwrap_or_else(PoisonError::into_inner).insert(key, outcome);
                return outcome == Outcome::Acknowledged;
            }
        };
        // A vertex that is there or not there is no failure.
        journal.note(&done) == Outcome::Acknowledged
            || done.is_err_and(|failure| [1202, 1210].contains(&failure.number))
    }

    fn verify(&self, client: &Client) -> Result<String, String> {
        let rows = query(client, DANGLING, &json!({})).map_err(|failure| failure.to_string())?;
        if let Some(edge) = rows.first() {
            return Err(format!("{} edges are without their vertices, for example {edge}", rows.len()));
        }
        let text = "FOR v, e IN 1..1 OUTBOUND 'towns/north' GRAPH 'map' RETURN e._key";
        let rows = query(client, text, &json!({})).map_err(|failure| failure.to_string())?;
        let found: BTreeSet<&str> = rows.iter().filter_map(Value::as_str).collect();
        let lasting = self.lasting.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, outcome) in lasting.iter() {
            let is_right = match outcome {
                Outcome::Acknowledged => found.contains(key.as_str()),
                Outcome::Refused => !found.contains(key.as_str()),
                Outcome::Unknown => true,
            };
            if !is_right {
                return Err(format!(
                    "the insertion of the edge {key} was {outcome:?}, and the edge says otherwise"
                ));
            }
        }
        Ok(format!("{} lasting edges of {} attempts", found.len(), lasting.len()))
    }
}

fn insert_edge(client: &Client, key: &str, [from, to]: [String; 2]) -> Result<Value, Failure> {
    let body = json!({"_key": key, "_from": format!("towns/{from}"), "_to": format!("towns/{to}")});
    ask(client, Request::post("/_api/gharial/map/edge/roads"), &body)
}
