//! Collections, indexes and databases.

use client::Request;
use serde_json::json;

use super::{Maker, graphs};
use crate::crash::index::INDEXES;
use crate::crash::state::{Place, State};

/// Names of collections.
const COLLECTIONS: [&str; 5] = ["red", "green", "blue", "links", "chains"];

/// Truncates a collection of the writer's own database.
pub(super) fn truncate(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    state.documents(&place).clear();
    let request = Request::put("/_api/collection").segment(&place.collection).segment("truncate");
    // Changes of definitions are synced before their reply.
    maker.is_synced = true;
    Some(request.database(&place.database))
}

/// Creates an index that the collection does not have.
pub(super) fn create_index(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    let collection = state.collection(&place);
    let index = maker.rng.choice(INDEXES)?;
    if !collection.indexes.insert(index.name.to_owned()) {
        return None;
    }
    maker.is_synced = true;
    let request = Request::post("/_api/index").query("collection", &place.collection);
    Some(request.database(&place.database).json(index.definition().to_string()))
}

/// Drops an index.
pub(super) fn drop_index(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    let collection = state.collection(&place);
    let name = maker.rng.choice(collection.indexes.iter().cloned().collect::<Vec<_>>())?;
    collection.indexes.remove(&name);
    maker.is_synced = true;
    let request = Request::delete("/_api/index").segment(&place.collection).segment(&name);
    Some(request.database(&place.database))
}

/// Creates a collection.
pub(super) fn create_collection(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = free_place(maker, state)?;
    let is_edge = is_edge(&place.collection);
    maker.is_synced = true;
    state.collection(&place).is_edge = is_edge;
    let body = json!({"name": place.collection, "type": if is_edge { 3 } else { 2 }, "waitForSync": maker.rng.bool()});
    Some(Request::post("/_api/collection").database(&place.database).json(body.to_string()))
}

/// Drops a collection.
pub(super) fn drop_collection(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let place = own_place(maker, state)?;
    state.collections.remove(&place);
    maker.is_synced = true;
    Some(Request::delete("/_api/collection").segment(&place.collection).database(&place.database))
}

/// Renames a collection.
pub(super) fn rename(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [old, new] = [own_place(maker, state)?, free_place(maker, state)?];
    let collection = state.collections.remove(&old)?;
    state.collections.insert(new.clone(), collection);
    let request = Request::put("/_api/collection").segment(&old.collection).segment("rename");
    Some(request.database(&old.database).json(json!({"name": new.collection}).to_string()))
}

/// Creates the writer's second database, or drops it.
pub(super) fn database(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let name = format!("{}-second", maker.database);
    if state.databases.remove(&name) {
        return Some(Request::delete("/_api/database").segment(&name));
    }
    let body = json!({"name": name}).to_string();
    state.databases.insert(name);
    // The definition is stored, and then the rights of users.
    maker.between.push(state.clone());
    Some(Request::post("/_api/database").json(body))
}

/// Returns a collection of the writer's own database, but not one of the graph.
pub(super) fn own_place(maker: &mut Maker, state: &State) -> Option<Place> {
    let places = state.collections.keys();
    let places =
        places.filter(|place| place.database == maker.database && !graphs::is_member(&place.collection));
    let places: Vec<Place> = places.cloned().collect();
    maker.rng.choice(places)
}

/// Returns the place of a collection that could be created.
pub(super) fn free_place(maker: &mut Maker, state: &State) -> Option<Place> {
    let place = Place::new(&maker.database, maker.rng.choice(COLLECTIONS)?);
    (!state.collections.contains_key(&place)).then_some(place)
}

/// Returns true if collections of this name are created for edges.
pub(super) fn is_edge(name: &str) -> bool {
    matches!(name, "links" | "chains")
}
