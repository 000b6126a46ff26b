//! `/_api/document`: single documents and many.

use std::sync::Arc;

use client::Request;
use serde_json::{Value, json};

use super::{Maker, document_path, merge};
use crate::crash::state::{Place, State};

/// Documents to change.
struct Chosen {
    place: Place,
    /// At least one key.
    keys: Vec<String>,
    /// PUT, which replaces, or PATCH.
    verb: fn(&str) -> Request,
    is_replace: bool,
}

impl Chosen {
    /// Chooses some documents of a collection.
    fn some(maker: &mut Maker, state: &State) -> Option<Self> {
        let place = maker.place(state)?;
        let keys = maker.some_keys(&state.collections.get(&place)?.documents)?;
        let is_replace = maker.rng.bool();
        let verb = if is_replace { Request::put } else { Request::patch };
        Some(Chosen { place, keys, verb, is_replace })
    }
}

/// Inserts a document, perhaps over one that is there.
pub(super) fn insert(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let collection = state.collection(&place);
    let taken = maker.some_keys(&collection.documents).filter(|_| maker.rng.u8(..3) == 0);
    let request = document_path(Request::post, &place);
    let (key, request) = match taken {
        Some(keys) => (keys.into_iter().next()?, request.query("overwriteMode", "replace")),
        None => (maker.free_key(&collection.documents)?, request),
    };
    let document = maker.document(&key, collection.is_edge);
    let request = maker.sync(request).json(document.to_string());
    collection.documents.insert(key, Arc::new(document));
    Some(request)
}

/// Inserts up to five documents.
pub(super) fn insert_many(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = maker.place(state)?;
    let collection = state.collection(&place);
    let mut documents = Vec::new();
    for _ in 0..maker.rng.usize(1..=5) {
        if let Some(key) = maker.free_key(&collection.documents) {
            let document = maker.document(&key, collection.is_edge);
            collection.documents.insert(key, Arc::new(document.clone()));
            documents.push(document);
        }
    }
    Some(maker.sync(document_path(Request::post, &place)).json(json!(documents).to_string()))
}

/// Updates or replaces a document.
pub(super) fn change(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let Chosen { place, keys, verb, is_replace } = Chosen::some(maker, state)?;
    let key = keys.first()?;
    let new = changed(maker, state, &place, key, is_replace)?;
    Some(maker.sync(document_path(verb, &place).segment(key)).json(new.to_string()))
}

/// Updates or replaces some documents.
pub(super) fn change_many(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let Chosen { place, keys, verb, is_replace } = Chosen::some(maker, state)?;
    let new: Option<Vec<Value>> =
        keys.iter().map(|key| changed(maker, state, &place, key, is_replace)).collect();
    Some(maker.sync(document_path(verb, &place)).json(json!(new?).to_string()))
}

/// Changes a document of the state, and returns it or the changed attributes as a request has them.
fn changed(
    maker: &mut Maker,
    state: &mut State,
    place: &Place,
    key: &str,
    is_replace: bool,
) -> Option<Value> {
    let collection = state.collection(place);
    let is_edge = collection.is_edge;
    let stored = collection.documents.get_mut(key)?;
    if is_replace {
        let document = maker.document(key, is_edge);
        *stored = Arc::new(document.clone());
        return Some(document);
    }
    let mut attributes = maker.attributes();
    merge(Arc::make_mut(stored), &attributes);
    attributes["_key"] = json!(key);
    Some(attributes)
}

/// Removes a document.
pub(super) fn remove(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let Chosen { place, keys, .. } = Chosen::some(maker, state)?;
    let key = keys.first()?;
    state.documents(&place).remove(key);
    Some(maker.sync(document_path(Request::delete, &place).segment(key)))
}

/// Removes some documents.
pub(super) fn remove_many(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let Chosen { place, keys, .. } = Chosen::some(maker, state)?;
    state.documents(&place).retain(|key, _| !keys.contains(key));
    Some(maker.sync(document_path(Request::delete, &place)).json(json!(keys).to_string()))
}
