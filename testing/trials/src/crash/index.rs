//! Indexes: their definitions, and the check of each against the documents.

use std::collections::{BTreeMap, BTreeSet};

use client::{Client, Request};
use harness::ask_until_right;
use serde_json::{Value, json};

use crate::crash::observe::{ask, query};
use crate::crash::state::{Collection, Documents, Place};

/// An index and a query that reads it.
pub(crate) struct Index {
    /// The name, which the query hints at.
    pub(crate) name: &'static str,
    definition: &'static str,
    /// The condition of the query; for a fulltext index the words. Empty if no query reads it.
    condition: &'static str,
    /// Returns true if a document fulfils the condition.
    holds: fn(&Value) -> bool,
}

/// All indexes that a collection may have.
pub(crate) const INDEXES: &[Index] = &[
    Index {
        name: "persistent",
        definition: r#"{"type": "persistent", "fields": ["n"], "storedValues": ["x"]}"#,
        condition: "d.n >= 0",
        holds: |document| document["n"].is_number(),
    },
    Index {
        name: "unique",
        definition: r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#,
        condition: "d.u >= 0",
        holds: |document| document["u"].is_number(),
    },
    Index {
        name: "array",
        definition: r#"{"type": "persistent", "fields": ["tags[*]"]}"#,
        condition: "3 IN d.tags[*]",
        holds: |document| document["tags"].as_array().is_some_and(|tags| tags.contains(&json!(3))),
    },
    Index {
        name: "ttl",
        definition: r#"{"type": "ttl", "fields": ["expires"], "expireAfter": 1000000}"#,
        condition: "",
        holds: |document| document["expires"].is_number(),
    },
    Index {
        name: "geo",
        definition: r#"{"type": "geo", "fields": ["place"], "geoJson": true}"#,
        condition: "GEO_DISTANCE(d.place, [10, 10]) <= 30000000",
        holds: |document| document["place"].is_array(),
    },
    Index {
        name: "mdi",
        definition: r#"{"type": "mdi", "fields": ["x", "y"], "fieldValueTypes": "double", "sparse": true}"#,
        condition: "d.x >= 0 AND d.y >= 0",
        holds: |document| document["x"].is_number() && document["y"].is_number(),
    },
    Index {
        name: "fulltext",
        definition: r#"{"type": "fulltext", "fields": ["text"]}"#,
        condition: "apple",
        holds: |document| document["text"].as_str().is_some_and(|text| text.contains("apple")),
    },
    Index {
        name: LATE,
        definition: r#"{"type": "inverted", "fields": ["n", {"name": "text", "analyzer": "text_en"}],
            "commitIntervalMsec": 50, "consolidationIntervalMsec": 50}"#,
        condition: "",
        holds: |_| true,
    },
];

/// The index that follows the documents after a moment.
const LATE: &str = "inverted";

impl Index {
    /// Returns the definition with the name.
    pub(crate) fn definition(&self) -> Value {
        let mut definition: Value = serde_json::from_str(self.definition).unwrap_or_default();
        definition["name"] = json!(self.name);
        definition
    }

    fn query(&self, collection: &str) -> String {
        let Index { name, condition, .. } = self;
        if *name == "fulltext" {
            return format!("FOR d IN FULLTEXT({collection}, 'text', '{condition}') RETURN d._key");
        }
        format!(
            "FOR d IN {collection} OPTIONS {{indexHint: '{name}', forceIndexHint: true}} FILTER {condition} RETURN d._key"
        )
    }
}

/// Checks the count and every index of a collection against its documents. Errors: text for the
/// user.
pub(crate) fn check(client: &Client, place: &Place, collection: &Collection) -> Result<(), String> {
    let Place { database, collection: name } = place;
    let wrong = |text: String| Err(format!("{database}/{name}: {text}"));
    let count = query(client, database, &format!("RETURN LENGTH({name})"), &json!({}))?;
    if count != [json!(collection.documents.len())] {
        return wrong(format!(
            "the count is {count:?}, and {} documents are there",
            collection.documents.len()
        ));
    }
    for index in INDEXES.iter().filter(|index| collection.indexes.contains(index.name)) {
        let expected = collection.documents.iter().filter(|(_, document)| (index.holds)(document));
        let expected: Vec<&str> = expected.map(|(key, _)| key.as_str()).collect();
        if index.condition.is_empty() {
            let wanted = Some(expected.len() as u64);
            let ask = || count_entries(client, place, index);
            let is_late = index.name == LATE;
            let entries = ask_until_right(ask, |entries| !is_late || *entries == wanted)?;
            if entries != wanted {
                return wrong(format!(
                    "the index {} has {entries:?} entries, {} documents have its field",
                    index.name,
                    expected.len()
                ));
            }
            continue;
        }
        let rows = query(client, database, &index.query(name), &json!({}))?;
        let found = keys(&rows);
        if found != expected {
            return wrong(format!("the index {} has {found:?}, the documents {expected:?}", index.name));
        }
    }
    if collection.is_edge { check_edges(client, place, &collection.documents) } else { Ok(()) }
}

/// Returns the number of entries of an index, which is the only one of its type.
fn count_entries(client: &Client, place: &Place, index: &Index) -> Result<Option<u64>, String> {
    let request = Request::get("/_api/collection").segment(&place.collection).segment("figures");
    let reply = ask(client, &request.query("details", "true").database(&place.database))?;
    let indexes = reply["figures"]["engine"]["indexes"].as_array();
    let known = indexes.into_iter().flatten().find(|known| known["type"] == index.name);
    Ok(known.and_then(|known| known["count"].as_u64()))
}

/// Returns the keys in order; a key that is there twice is there twice.
fn keys(rows: &[Value]) -> Vec<&str> {
    let mut keys: Vec<&str> = rows.iter().filter_map(Value::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Checks the edges of each vertex: by both directions of the index, and by traversals.
fn check_edges(client: &Client, place: &Place, documents: &Documents) -> Result<(), String> {
    let vertices: BTreeSet<&str> = documents
        .values()
        .flat_map(|edge| [edge["_from"].as_str(), edge["_to"].as_str()])
        .flatten()
        .collect();
    for (attribute, direction) in [("_from", "OUTBOUND"), ("_to", "INBOUND")] {
        let name = &place.collection;
        let text = format!(
            "FOR v IN @vertices RETURN [v, (FOR e IN {name} FILTER e.{attribute} == v RETURN e._key), (FOR w, e IN 1..1 {direction} v {name} RETURN e._key)]"
        );
        let rows = query(client, &place.database, &text, &json!({"vertices": vertices}))?;
        let mut expected: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (key, edge) in documents {
            expected.entry(edge[attribute].as_str().unwrap_or_default()).or_default().push(key);
        }
        for row in &rows {
            let vertex = row[0].as_str().unwrap_or_default();
            let expected = expected.get(vertex).cloned().unwrap_or_default();
            let found = [1, 2].map(|at| keys(row[at].as_array().map(Vec::as_slice).unwrap_or_default()));
            if found.iter().any(|found| *found != expected) {
                return Err(format!(
                    "{}/{name}: the edges {attribute} {vertex} are {expected:?}, and index and traversal have {found:?}",
                    place.database
                ));
            }
        }
    }
    Ok(())
}
