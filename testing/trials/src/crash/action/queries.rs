//! AQL that writes.

use std::sync::Arc;

use client::Request;
use serde_json::{Value, json};

use super::{Maker, merge};
use crate::crash::state::{Collection, Place, State};

/// The documents of this writer that a query changes.
const FILTER: &str = "FILTER d.writer == @writer AND d.n == @n";

/// Inserts up to twenty documents.
pub(super) fn insert(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let collection = state.collection(&place);
    let mut documents = Vec::new();
    for _ in 0..maker.rng.usize(1..=20) {
        if let Some(key) = maker.free_key(&collection.documents) {
            let document = maker.document(&key, collection.is_edge);
            collection.documents.insert(key, Arc::new(document.clone()));
            documents.push(document);
        }
    }
    let text = format!("FOR d IN @documents INSERT d INTO {}", place.collection);
    Some(query(maker, &place, &text, &json!({"documents": documents})))
}

/// Updates the documents with one value of `n`.
pub(super) fn update(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let (n, mut attributes) = (maker.rng.u8(..20), maker.attributes());
    // Several documents must not get one unique value.
    attributes.as_object_mut()?.remove("u");
    for document in matching(maker, state.collection(&place), n) {
        merge(Arc::make_mut(document), &attributes);
    }
    let text = format!("FOR d IN {0} {FILTER} UPDATE d WITH @attributes IN {0}", place.collection);
    Some(query(maker, &place, &text, &json!({"writer": maker.writer, "n": n, "attributes": attributes})))
}

/// Replaces the documents with one value of `n`.
pub(super) fn replace(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let (n, m) = (maker.rng.u8(..20), maker.next());
    for document in matching(maker, state.collection(&place), n) {
        let mut new = json!({"writer": document["writer"], "x": m});
        for name in ["_key", "_from", "_to"] {
            if let Some(value) = document.get(name) {
                new[name] = value.clone();
            }
        }
        *document = Arc::new(new);
    }
    let text = format!(
        "FOR d IN {0} {FILTER} REPLACE d WITH MERGE(KEEP(d, '_from', '_to'), {{writer: @writer, x: @m}}) IN {0}",
        place.collection
    );
    Some(query(maker, &place, &text, &json!({"writer": maker.writer, "n": n, "m": m})))
}

/// Updates a document, or inserts it.
pub(super) fn upsert(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let collection = state.collection(&place);
    let key = format!("w{}-{}", maker.writer, maker.rng.usize(..super::KEYS));
    let (document, attributes) = (maker.document(&key, collection.is_edge), maker.attributes());
    let stored = collection.documents.entry(key.clone());
    stored
        .and_modify(|stored| merge(Arc::make_mut(stored), &attributes))
        .or_insert_with(|| Arc::new(document.clone()));
    let text = format!("UPSERT {{_key: @key}} INSERT @document UPDATE @attributes IN {}", place.collection);
    let binds = json!({"key": key, "document": document, "attributes": attributes});
    Some(query(maker, &place, &text, &binds))
}

/// Removes the documents with one value of `n`, or those that are loaded in masses.
pub(super) fn remove(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let n = maker.rng.u8(..20);
    let (writer, documents) = (maker.writer, state.documents(&place));
    if maker.rng.bool() {
        documents.retain(|_, document| document.get("mass").is_none());
        let text =
            format!("FOR d IN {0} FILTER d.writer == @writer AND d.mass REMOVE d IN {0}", place.collection);
        return Some(query(maker, &place, &text, &json!({"writer": writer})));
    }
    documents.retain(|_, document| document["n"] != n);
    let text = format!("FOR d IN {0} {FILTER} REMOVE d IN {0}", place.collection);
    Some(query(maker, &place, &text, &json!({"writer": writer, "n": n})))
}

fn matching<'a>(
    maker: &Maker,
    collection: &'a mut Collection,
    n: u8,
) -> impl Iterator<Item = &'a mut Arc<Value>> {
    let writer = maker.writer;
    let documents = collection.documents.values_mut();
    documents.filter(move |document| document["n"] == n && document["writer"] == writer)
}

fn query(maker: &mut Maker, place: &Place, text: &str, binds: &Value) -> Request {
    let is_synced = maker.rng.u8(..4) == 0;
    maker.is_synced |= is_synced;
    let options = if is_synced { " OPTIONS {waitForSync: true}" } else { "" };
    let body = json!({"query": format!("{text}{options}"), "bindVars": binds});
    Request::post("/_api/cursor").database(&place.database).json(body.to_string())
}
