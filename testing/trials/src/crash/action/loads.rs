//! Imports and restores.

use std::sync::Arc;

use client::Request;
use serde_json::{Value, json};

use super::definitions::{free_place, is_edge, own_place};
use super::{KEYS, Maker, merge};
use crate::crash::index::INDEXES;
use crate::crash::state::{Collection, Documents, Place, State};

/// Documents of a mass import, which is a load that bypasses the log if there are no index entries.
const MASS: std::ops::Range<usize> = 50..400;

/// Imports documents, some of which may be there.
pub(super) fn import(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let collection = state.collection(&place);
    let mode = maker.rng.choice(["ignore", "replace", "update"])?;
    let mut documents = Vec::new();
    for _ in 0..maker.rng.usize(1..=10) {
        let key = format!("w{}-{}", maker.writer, maker.rng.usize(..KEYS));
        let document = maker.document(&key, collection.is_edge);
        match collection.documents.get_mut(&key) {
            Some(stored) if mode == "update" => merge(Arc::make_mut(stored), &document),
            Some(_) if mode == "ignore" => (),
            _ => drop(collection.documents.insert(key, Arc::new(document.clone()))),
        }
        documents.push(document);
    }
    let request = import_request(&place, "list").query("onDuplicate", mode);
    Some(maker.sync(request).json(json!(documents).to_string()))
}

/// Imports many new documents.
pub(super) fn import_many(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    let lines = mass(maker, state, &place);
    Some(maker.sync(import_request(&place, "documents")).json(lines))
}

/// Restores documents.
pub(super) fn restore(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    let lines = mass(maker, state, &place);
    let request = Request::put("/_api/replication/restore-data").query("collection", &place.collection);
    Some(request.database(&place.database).json(lines))
}

/// Adds new documents to a collection of the state, and returns them, a line each.
fn mass(maker: &mut Maker, state: &mut State, place: &Place) -> String {
    let collection = state.collection(place);
    let (batch, count) = (maker.next(), maker.rng.usize(MASS));
    let mut added = Documents::new();
    for number in 0..count {
        let key = format!("w{}-m{batch:08}-{number:03}", maker.writer);
        let mut document = maker.document(&key, collection.is_edge);
        document["mass"] = json!(batch);
        added.insert(key, Arc::new(document));
    }
    let lines: String = added.values().map(|document| format!("{document}\n")).collect();
    collection.documents.extend(added);
    lines
}

/// Restores a collection without documents, over one that is there or not.
pub(super) fn restore_collection(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let is_over = maker.rng.bool();
    let place = if is_over { own_place(maker, state) } else { free_place(maker, state) }?;
    let is_edge = is_edge(&place.collection);
    // A collection that is there is dropped first.
    state.collections.remove(&place);
    maker.between.push(state.clone());
    state.collections.insert(place.clone(), Arc::new(Collection { is_edge, ..Collection::default() }));
    let parameters = json!({"name": place.collection, "type": if is_edge { 3 } else { 2 }});
    let body = json!({"parameters": parameters, "indexes": []}).to_string();
    let request = Request::put("/_api/replication/restore-collection?overwrite=true");
    Some(request.database(&place.database).json(body))
}

/// Restores the indexes that a collection lacks, one after another.
pub(super) fn restore_indexes(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    let chosen: Vec<_> = INDEXES.iter().filter(|_| maker.rng.u8(..4) == 0).collect();
    for index in &chosen {
        state.collection(&place).indexes.insert(index.name.to_owned());
        maker.between.push(state.clone());
    }
    let definitions: Vec<Value> = chosen.iter().map(|index| index.definition()).collect();
    let body = json!({"parameters": {"name": place.collection}, "indexes": definitions}).to_string();
    Some(Request::put("/_api/replication/restore-indexes").database(&place.database).json(body))
}

fn import_request(place: &Place, kind: &str) -> Request {
    let request = Request::post("/_api/import").query("collection", &place.collection);
    request.query("type", kind).database(&place.database)
}
