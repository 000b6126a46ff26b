//! Reads the state that a writer owns from the server.

use std::collections::BTreeSet;
use std::sync::Arc;

use client::{Client, Request};
use serde_json::{Value, json};

use crate::crash::state::{Collection, Documents, Place, State, User};

/// Sends a request and returns the reply. Errors: text for the user.
pub(crate) fn ask(client: &Client, request: &Request) -> Result<Value, String> {
    let reply = client.call(request).map_err(|error| error.to_string())?;
    serde_json::from_slice(reply.body()).map_err(|error| error.to_string())
}

/// Returns the rows of a query. Errors: text for the user.
pub(crate) fn query(
    client: &Client,
    database: &str,
    text: &str,
    binds: &Value,
) -> Result<Vec<Value>, String> {
    let body = json!({"query": text, "bindVars": binds, "batchSize": 1_000_000}).to_string();
    let mut reply = ask(client, &Request::post("/_api/cursor").database(database).json(body))?;
    match reply["result"].take() {
        Value::Array(rows) => Ok(rows),
        _ => Err(format!("{text} has no result: {reply}")),
    }
}

/// Returns all that a writer owns, whose own database is `database`.
///
/// The names of its databases, graphs and users begin with the database's name.
pub(crate) fn state(client: &Client, database: &str, writer: usize) -> Result<State, String> {
    let mut state = State::default();
    let databases = ask(client, &Request::get("/_api/database"))?;
    let owned = |name: &&str| name.starts_with(database);
    state.databases = texts(&databases["result"]).filter(owned).map(str::to_owned).collect();
    let reply = ask(client, &Request::get("/_api/collection?excludeSystem=true").database(database))?;
    for collection in reply["result"].as_array().into_iter().flatten() {
        let name = collection["name"].as_str().unwrap_or_default();
        let place = Place::new(database, name);
        let read = read_collection(client, &place, None)?;
        state.collections.insert(place, Arc::new(read));
    }
    let shared = read_collection(client, &Place::shared(), Some(writer))?;
    state.collections.insert(Place::shared(), Arc::new(shared));
    let graphs = ask(client, &Request::get("/_api/gharial").database(database))?;
    let graphs = graphs["graphs"].as_array().into_iter().flatten();
    state.graphs = graphs.filter_map(|graph| graph["_key"].as_str().map(str::to_owned)).collect();
    read_views(client, database, &mut state)?;
    read_users(client, database, &mut state)?;
    Ok(state)
}

/// Reads a collection; of a shared one only the documents of `writer`.
pub(crate) fn read_collection(
    client: &Client,
    place: &Place,
    writer: Option<usize>,
) -> Result<Collection, String> {
    let Place { database, collection: name } = place;
    let reply = ask(client, &Request::get("/_api/collection").segment(name).database(database))?;
    let is_edge = reply["type"] == 3;
    let reply = ask(client, &Request::get("/_api/index").query("collection", name).database(database))?;
    let indexes = reply["indexes"].as_array().into_iter().flatten();
    let is_own = |index: &&Value| index["type"] != "primary" && index["type"] != "edge";
    let indexes =
        indexes.filter(is_own).filter_map(|index| index["name"].as_str().map(str::to_owned)).collect();
    let filter = if writer.is_some() { "FILTER d.writer == @writer" } else { "FILTER @writer == null" };
    let text = format!("FOR d IN {name} {filter} RETURN UNSET(d, '_id', '_rev')");
    let mut documents = Documents::new();
    for document in query(client, database, &text, &json!({"writer": writer}))? {
        let key = document["_key"].as_str().unwrap_or_default().to_owned();
        if documents.insert(key.clone(), Arc::new(document)).is_some() {
            return Err(format!("{database}/{name}/{key} is there twice"));
        }
    }
    Ok(Collection { is_edge, documents, indexes, views: BTreeSet::new() })
}

/// Reads the views of a database, and notes them in the state and in its collections. Errors: text
/// for the user.
pub(crate) fn read_views(client: &Client, database: &str, state: &mut State) -> Result<(), String> {
    let views = ask(client, &Request::get("/_api/view").database(database))?;
    for view in views["result"].as_array().into_iter().flatten() {
        let name = view["name"].as_str().unwrap_or_default();
        let request = Request::get("/_api/view").segment(name).segment("properties");
        let properties = ask(client, &request.database(database))?;
        for (linked, _) in properties["links"].as_object().into_iter().flatten() {
            let place = Place::new(database, linked);
            if !state.collections.contains_key(&place) {
                return Err(format!("{database}/{name} is linked to {linked}, which is not there"));
            }
            state.collection(&place).views.insert(name.to_owned());
        }
        state.views.insert(name.to_owned());
    }
    Ok(())
}

fn read_users(client: &Client, database: &str, state: &mut State) -> Result<(), String> {
    let reply = ask(client, &Request::get("/_api/user"))?;
    for user in reply["result"].as_array().into_iter().flatten() {
        let name = user["user"].as_str().unwrap_or_default();
        if !name.starts_with(database) {
            continue;
        }
        let request = Request::get("/_api/user").segment(name).segment("database").segment(database);
        let grant = ask(client, &request)?["result"].as_str().unwrap_or_default().to_owned();
        let is_active = user["active"] == true;
        state.users.insert(name.to_owned(), User { is_active, extra: user["extra"].clone(), grant });
    }
    Ok(())
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}
