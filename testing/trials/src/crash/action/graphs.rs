//! The writer's named graph: its definition, vertices and edges.

use std::sync::Arc;

use client::Request;
use serde_json::{Value, json};

use super::{Maker, merge};
use crate::crash::state::{Place, State};

/// The graph, its collection of vertices, and its collection of edges.
const GRAPH: &str = "graph";
const VERTICES: &str = "vertices";
const EDGES: &str = "edges";

/// Returns true for the collections of the graph.
pub(super) fn is_member(collection: &str) -> bool {
    collection == VERTICES || collection == EDGES
}

/// Creates the graph and its collections.
pub(super) fn create(maker: &mut Maker, state: &mut State) -> Option<Request> {
    if !state.graphs.is_empty() {
        return None;
    }
    let before = state.clone();
    let [vertices, edges] = places(maker);
    for members in [vec![&vertices], vec![&edges], vec![&vertices, &edges]] {
        // Collections are created one after another, and then the definition.
        let mut between = before.clone();
        for place in members {
            between.collection(place).is_edge = place.collection == EDGES;
        }
        state.clone_from(&between);
        maker.between.push(between);
    }
    state.graphs.insert(GRAPH.to_owned());
    let definition = json!({"collection": EDGES, "from": [VERTICES], "to": [VERTICES]});
    let body = json!({"name": GRAPH, "edgeDefinitions": [definition]});
    Some(maker.sync(Request::post("/_api/gharial").database(&maker.database)).json(body.to_string()))
}

/// Drops the graph, perhaps with its collections.
pub(super) fn drop(maker: &mut Maker, state: &mut State) -> Option<Request> {
    if !state.graphs.remove(GRAPH) {
        return None;
    }
    let request = Request::delete("/_api/gharial").segment(GRAPH).database(&maker.database);
    if maker.rng.bool() {
        return Some(request);
    }
    let [vertices, edges] = places(maker);
    let without = |places: &[&Place]| {
        let mut state = state.clone();
        state.collections.retain(|place, _| !places.contains(&place));
        state
    };
    // The definition is removed, and then one collection after the other.
    maker.between = vec![without(&[]), without(&[&vertices]), without(&[&edges])];
    *state = without(&[&vertices, &edges]);
    Some(request.query("dropCollections", "true"))
}

/// Inserts a vertex.
pub(super) fn add_vertex(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [vertices, _] = existing(maker, state)?;
    let documents = state.documents(&vertices);
    let key = maker.free_key(documents)?;
    let document = maker.document(&key, false);
    let request = path(maker, Request::post, "vertex", &vertices);
    documents.insert(key, Arc::new(document.clone()));
    Some(maker.sync(request).json(document.to_string()))
}

/// Updates a vertex.
pub(super) fn change_vertex(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [vertices, _] = existing(maker, state)?;
    let documents = state.documents(&vertices);
    let key = maker.some_keys(documents)?.into_iter().next()?;
    let attributes = maker.attributes();
    merge(Arc::make_mut(documents.get_mut(&key)?), &attributes);
    let request = path(maker, Request::patch, "vertex", &vertices).segment(&key);
    Some(maker.sync(request).json(attributes.to_string()))
}

/// Removes a vertex and its edges.
pub(super) fn remove_vertex(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [vertices, edges] = existing(maker, state)?;
    let documents = state.documents(&vertices);
    let key = maker.some_keys(documents)?.into_iter().next()?;
    documents.remove(&key);
    let id = json!(format!("{VERTICES}/{key}"));
    let touches = |edge: &Value| edge["_from"] == id || edge["_to"] == id;
    state.documents(&edges).retain(|_, edge| !touches(edge));
    let request = path(maker, Request::delete, "vertex", &vertices).segment(&key);
    Some(maker.sync(request))
}

/// Inserts an edge.
pub(super) fn add_edge(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [vertices, edges] = existing(maker, state)?;
    let ends = [0; 2].map(|_| maker.some_keys(state.documents(&vertices)));
    let documents = state.documents(&edges);
    let key = maker.free_key(documents)?;
    let mut edge = maker.document(&key, true);
    for (name, keys) in ["_from", "_to"].into_iter().zip(ends) {
        edge[name] = json!(format!("{VERTICES}/{}", keys?.first()?));
    }
    documents.insert(key, Arc::new(edge.clone()));
    let request = path(maker, Request::post, "edge", &edges);
    Some(maker.sync(request).json(edge.to_string()))
}

/// Removes an edge.
pub(super) fn remove_edge(maker: &mut Maker, state: &mut State) -> Option<Request> {
    let [_, edges] = existing(maker, state)?;
    let documents = state.documents(&edges);
    let key = maker.some_keys(documents)?.into_iter().next()?;
    documents.remove(&key);
    let request = path(maker, Request::delete, "edge", &edges).segment(&key);
    Some(maker.sync(request))
}

fn places(maker: &Maker) -> [Place; 2] {
    [VERTICES, EDGES].map(|name| Place::new(&maker.database, name))
}

/// Returns the collections of vertices and edges, if the graph is there.
fn existing(maker: &Maker, state: &State) -> Option<[Place; 2]> {
    state.graphs.contains(GRAPH).then(|| places(maker))
}

fn path(maker: &Maker, verb: fn(&str) -> Request, kind: &str, place: &Place) -> Request {
    let request = verb("/_api/gharial").segment(GRAPH).segment(kind).segment(&place.collection);
    request.database(&maker.database)
}
