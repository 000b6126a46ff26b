//! Writes of all kinds, with the state that each leaves behind.

mod definitions;
mod documents;
mod graphs;
mod loads;
mod queries;
mod users;
mod views;

use std::collections::BTreeSet;

use client::Request;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::crash::state::{Documents, Place, State};

/// Keys of single documents that a collection may have.
const KEYS: usize = 40;

/// Maximum number of writes of a stream transaction.
const TRANSACTION_MAX: usize = 5;

/// Makes a request, and changes the state as the request will. Returns nothing if the state does
/// not allow such a request.
type Generator = fn(&mut Maker, &mut State) -> Option<Request>;

/// Writes of documents, with a weight each.
const DOCUMENTS: &[(u32, Generator)] = &[
    (4, documents::insert),
    (3, documents::insert_many),
    (3, documents::change),
    (3, documents::change_many),
    (3, documents::remove),
    (2, documents::remove_many),
    (2, queries::insert),
    (2, queries::update),
    (1, queries::replace),
    (2, queries::upsert),
    (2, queries::remove),
];

/// All other writes, with a weight each.
const OTHERS: &[(u32, Generator)] = &[
    (2, loads::import),
    (1, loads::import_many),
    (1, loads::restore),
    (1, loads::restore_collection),
    (1, loads::restore_indexes),
    (1, definitions::truncate),
    (2, definitions::create_index),
    (2, definitions::drop_index),
    (2, definitions::create_collection),
    (1, definitions::drop_collection),
    (1, definitions::rename),
    (1, definitions::database),
    (1, graphs::create),
    (1, graphs::drop),
    (2, graphs::add_vertex),
    (2, graphs::add_edge),
    (1, graphs::change_vertex),
    (1, graphs::remove_vertex),
    (1, graphs::remove_edge),
    (2, users::change),
    (2, views::create),
    (2, views::change),
    (1, views::drop),
    (1, views::rename),
];

/// A write that a client can make.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) calls: Calls,
    /// The state if it takes place.
    pub(crate) after: State,
    /// States that a crash in the middle may leave, besides those before and after.
    pub(crate) between: Vec<State>,
    /// True if the reply means that the action is on disk.
    pub(crate) is_synced: bool,
}

/// The requests of an action.
#[derive(Clone, Debug)]
pub(crate) enum Calls {
    One(Request),
    /// Requests in a stream transaction.
    Transaction {
        begin: Request,
        database: String,
        requests: Vec<Request>,
        is_aborted: bool,
    },
}

/// Makes random actions for one writer.
#[derive(Debug)]
pub(crate) struct Maker {
    writer: usize,
    /// The writer's own database.
    database: String,
    rng: Rng,
    /// The number of the last value that is unique among those of this writer.
    last: u64,
    /// The database in which writes of documents take place; all if there is none.
    only: Option<String>,
    between: Vec<State>,
    is_synced: bool,
}

impl Maker {
    pub(crate) fn new(writer: usize, database: &str, rng: Rng) -> Self {
        let (only, between, is_synced) = Default::default();
        Maker { writer, database: database.to_owned(), rng, last: 0, only, between, is_synced }
    }

    /// Returns an action that is possible in this state.
    pub(crate) fn action(&mut self, state: &State) -> Action {
        loop {
            self.is_synced = false;
            if self.rng.u8(..6) == 0 {
                return self.transaction(state);
            }
            let generators = if self.rng.u8(..3) > 0 { DOCUMENTS } else { OTHERS };
            let mut after = state.clone();
            let request = self.pick(generators)(self, &mut after);
            let between = std::mem::take(&mut self.between);
            if let Some(request) = request {
                let is_synced = self.is_synced;
                return Action { calls: Calls::One(request), after, between, is_synced };
            }
        }
    }

    fn transaction(&mut self, state: &State) -> Action {
        let database = if self.rng.bool() { Place::shared().database } else { self.database.clone() };
        let is_synced = self.rng.bool();
        let collections: BTreeSet<&str> = state
            .collections
            .keys()
            .filter_map(|place| (place.database == database).then_some(place.collection.as_str()))
            .collect();
        let body = json!({"collections": {"write": collections}, "waitForSync": is_synced});
        let begin = Request::post("/_api/transaction/begin").database(&database).json(body.to_string());
        self.only = Some(database.clone());
        let mut after = state.clone();
        let requests = (0..self.rng.usize(1..=TRANSACTION_MAX))
            .filter_map(|_| self.pick(DOCUMENTS)(self, &mut after))
            .collect();
        self.only = None;
        let is_aborted = self.rng.u8(..6) == 0;
        let after = if is_aborted { state.clone() } else { after };
        let calls = Calls::Transaction { begin, database, requests, is_aborted };
        Action { calls, after, between: Vec::new(), is_synced: is_synced && !is_aborted }
    }

    fn pick(&mut self, generators: &[(u32, Generator)]) -> Generator {
        let sum: u32 = generators.iter().map(|(weight, _)| weight).sum();
        let mut at = self.rng.u32(..sum);
        let chosen = generators.iter().find(|(weight, _)| {
            let is_chosen = at < *weight;
            at = at.saturating_sub(*weight);
            is_chosen
        });
        chosen.map_or(documents::insert, |(_, generator)| *generator)
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Returns a collection for writes of documents, but not one of the graph.
    fn place(&mut self, state: &State) -> Option<Place> {
        let only = self.only.as_deref();
        let places = state.collections.keys().filter(|place| {
            only.is_none_or(|database| place.database == database) && !graphs::is_member(&place.collection)
        });
        self.rng.choice(places.collect::<Vec<_>>()).cloned()
    }

    /// Returns some keys of documents, at least one.
    fn some_keys(&mut self, documents: &Documents) -> Option<Vec<String>> {
        let mut keys: Vec<&String> = documents.keys().collect();
        self.rng.shuffle(&mut keys);
        keys.truncate(self.rng.usize(1..=5));
        (!keys.is_empty()).then(|| keys.into_iter().cloned().collect())
    }

    /// Returns a key that no document has.
    fn free_key(&mut self, documents: &Documents) -> Option<String> {
        let key = format!("w{}-{}", self.writer, self.rng.usize(..KEYS));
        (!documents.contains_key(&key)).then_some(key)
    }

    /// Returns a document with random attributes, each of which may be missing.
    fn document(&mut self, key: &str, is_edge: bool) -> Value {
        let mut document = json!({"_key": key, "writer": self.writer});
        if is_edge {
            let ends = ["_from", "_to"].map(|end| (end, format!("v/{}", self.rng.u8(..6))));
            ends.into_iter().for_each(|(end, vertex)| document[end] = json!(vertex));
        }
        merge(&mut document, &self.attributes());
        document
    }

    /// Returns random attributes, each of which may be missing.
    fn attributes(&mut self) -> Value {
        let unique = self.next() * 100 + self.writer as u64;
        let rng = &mut self.rng;
        let words = ["apple", "pear", "plum", "quince"];
        let text = [0; 3].map(|_| words[rng.usize(..words.len())]).join(" ");
        let tags: BTreeSet<u8> = (0..rng.usize(..4)).map(|_| rng.u8(..6)).collect();
        let place = [f64::from(rng.i16(-170..170)) + 0.5, f64::from(rng.i16(-80..80)) + 0.5];
        let all = json!({
            "n": rng.u8(..20), "u": unique, "tags": tags, "expires": 4_000_000_000_u64 + u64::from(rng.u8(..)),
            "place": place, "x": rng.u8(..), "y": rng.u8(..), "text": text,
            "filler": "f".repeat(rng.usize(..300)),
        });
        let mut some = json!({});
        for (name, value) in all.as_object().into_iter().flatten().filter(|_| rng.u8(..6) > 0) {
            some[name] = value.clone();
        }
        some
    }

    /// Adds the option to wait for the disk, or not.
    fn sync(&mut self, request: Request) -> Request {
        match self.rng.u8(..4) {
            0 => {
                self.is_synced = true;
                request.query("waitForSync", "true")
            }
            1 => request.query("waitForSync", "false"),
            _ => request,
        }
    }
}

/// Replaces attributes.
fn merge(document: &mut Value, attributes: &Value) {
    for (name, value) in attributes.as_object().into_iter().flatten() {
        document[name] = value.clone();
    }
}

/// Returns a path of the document API.
fn document_path(request: fn(&str) -> Request, place: &Place) -> Request {
    request("/_api/document").segment(&place.collection).database(&place.database)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::index::INDEXES;

    #[test]
    fn all_kinds_of_writes_take_place() {
        let mut maker = Maker::new(1, "own", Rng::with_seed(1));
        let mut state = State::default();
        state.collection(&Place::shared());
        let mut seen = State::default();
        let mut requests = BTreeSet::new();
        for _ in 0..20_000 {
            let action = maker.action(&state);
            if let Calls::One(request) = &action.calls {
                let path = format!("{request:?}").split(['"', '?']).nth(1).unwrap_or_default().to_owned();
                requests.insert(path.split('/').take(3).collect::<Vec<_>>().join("/"));
            }
            state = action.after;
            seen.databases.extend(state.databases.iter().cloned());
            seen.graphs.extend(state.graphs.iter().cloned());
            seen.users.extend(state.users.clone());
            seen.views.extend(state.views.iter().cloned());
            for (place, collection) in &state.collections {
                let seen = seen.collection(place);
                seen.indexes.extend(collection.indexes.iter().cloned());
                seen.views.extend(collection.views.iter().cloned());
            }
            let documents = state.collections.values().map(|collection| collection.documents.len());
            assert!(documents.sum::<usize>() < 50_000, "collections must not grow without end");
        }
        assert_eq!((seen.databases.len(), seen.graphs.len(), seen.users.len()), (1, 1, 2));
        assert_eq!((seen.views.len(), seen.collection(&Place::new("own", "red")).views.len()), (3, 3));
        assert_eq!(seen.collections.len(), 8);
        let red = seen.collection(&Place::new("own", "red")).indexes.len();
        assert_eq!(red, INDEXES.len());
        let families = [
            "collection",
            "cursor",
            "database",
            "document",
            "gharial",
            "import",
            "index",
            "replication",
            "user",
            "view",
        ];
        assert!(
            requests.iter().map(String::as_str).eq(families.map(|family| format!("/_api/{family}"))),
            "{requests:?}"
        );
    }
}
