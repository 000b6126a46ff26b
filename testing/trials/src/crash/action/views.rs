//! Views and their links.

use client::Request;
use serde_json::{Map, Value, json};

use super::{Maker, graphs};
use crate::crash::state::{Place, State};
use crate::crash::view;

/// Names of views.
const VIEWS: [&str; 3] = ["search", "texts", "find"];

/// Creates a view with links to some collections.
pub(super) fn create(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let name = free_name(maker, state)?;
    let mut definition = view::definition(&name);
    definition["links"] = change_links(maker, state, &name, false);
    state.views.insert(name);
    maker.is_synced = true;
    Some(Request::post("/_api/view").database(&maker.database).json(definition.to_string()))
}

/// Adds links to a view and removes others, or replaces all of them.
pub(super) fn change(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let name = existing(maker, state)?;
    let is_whole = maker.rng.bool();
    let verb = if is_whole { Request::put } else { Request::patch };
    let mut body = view::definition(&name);
    body["links"] = change_links(maker, state, &name, is_whole);
    let request = verb("/_api/view").segment(&name).segment("properties").database(&maker.database);
    Some(request.json(body.to_string()))
}

/// Drops a view with its links.
pub(super) fn drop(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let name = existing(maker, state)?;
    state.views.remove(&name);
    for place in own_places(maker, state) {
        state.collection(&place).views.remove(&name);
    }
    maker.is_synced = true;
    Some(Request::delete("/_api/view").segment(&name).database(&maker.database))
}

/// Renames a view.
pub(super) fn rename(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [old, new] = [existing(maker, state)?, free_name(maker, state)?];
    state.views.remove(&old);
    state.views.insert(new.clone());
    for place in own_places(maker, state) {
        let views = &mut state.collection(&place).views;
        if views.remove(&old) {
            views.insert(new.clone());
        }
    }
    let request = Request::put("/_api/view").segment(&old).segment("rename").database(&maker.database);
    Some(request.json(json!({"name": new}).to_string()))
}

/// Chooses links, and returns them as a request has them. A request that is not whole removes a
/// link by null.
fn change_links(maker: &mut Maker, state: &mut State, view: &str, is_whole: bool) -> Value {
    let mut links = Map::new();
    for place in own_places(maker, state) {
        let is_linked = maker.rng.bool();
        let views = &mut state.collection(&place).views;
        match (is_linked, is_whole) {
            (true, _) => {
                views.insert(view.to_owned());
                links.insert(place.collection, view::link());
            }
            (false, true) => {
                views.remove(view);
            }
            // The link stays as it is.
            (false, false) if maker.rng.bool() => (),
            (false, false) => {
                views.remove(view);
                links.insert(place.collection, Value::Null);
            }
        }
    }
    Value::Object(links)
}

/// Returns the collections that views may be linked to.
fn own_places(maker: &Maker, state: &State) -> Vec<Place> {
    let is_own = |place: &&Place| place.database == maker.database && !graphs::is_member(&place.collection);
    state.collections.keys().filter(is_own).cloned().collect()
}

fn existing(maker: &mut Maker, state: &State) -> Option<String> {
    maker.rng.choice(state.views.iter()).cloned()
}

fn free_name(maker: &mut Maker, state: &State) -> Option<String> {
    let name = maker.rng.choice(VIEWS)?;
    (!state.views.contains(name)).then(|| name.to_owned())
}
