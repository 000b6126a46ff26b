//! Databases, collections and their indexes.

use std::collections::{BTreeMap, BTreeSet};

use client::{Client, Request};
use velocypack::Slice;

use crate::Failure;

/// A collection as far as it is compared before its documents.
#[derive(Debug)]
pub(super) struct Definition {
    /// True for a collection of edges.
    is_edge: bool,
    /// Type, fields and rules of each index.
    indexes: BTreeSet<String>,
}

/// Lets a server answer that follows another one, and is a little behind.
pub(super) fn of_copies(request: Request) -> Request {
    request.header("x-arango-allow-dirty-read", "true")
}

/// Returns the names of the databases that the user may read.
pub(super) fn databases(client: &Client) -> Result<BTreeSet<String>, Failure> {
    let reply = client.call(&of_copies(Request::get("/_api/database/user")))?.value()?;
    let names = Slice::new(&reply).get("result").unwrap_or(Slice::EMPTY_ARRAY);
    Ok(names.elements().filter_map(Slice::as_str).map(str::to_owned).collect())
}

/// Returns the collections of the client's database, without those of the system.
pub(super) fn collections(client: &Client) -> Result<BTreeMap<String, Definition>, Failure> {
    /// The type of a collection of edges.
    const EDGE: u64 = 3;
    let request = of_copies(Request::get("/_api/collection").query("excludeSystem", "true"));
    let reply = client.call(&request)?.value()?;
    let list = Slice::new(&reply).get("result").unwrap_or(Slice::EMPTY_ARRAY);
    let mut collections = BTreeMap::new();
    for collection in list.elements() {
        let Some(name) = collection.get("name").and_then(Slice::as_str) else { continue };
        let is_edge = collection.get("type").and_then(Slice::as_u64) == Some(EDGE);
        collections.insert(name.to_owned(), Definition { is_edge, indexes: indexes(client, name)? });
    }
    Ok(collections)
}

/// Returns the indexes of a collection, but for those that every collection has.
fn indexes(client: &Client, collection: &str) -> Result<BTreeSet<String>, Failure> {
    let request = of_copies(Request::get("/_api/index").query("collection", collection));
    let reply = client.call(&request)?.value()?;
    let list = Slice::new(&reply).get("indexes").unwrap_or(Slice::EMPTY_ARRAY);
    let text = |index: Slice<'_>| {
        let kind = kind_of(index.get("type").and_then(Slice::as_str).unwrap_or_default());
        let fields = index.get("fields").map(Slice::to_json_string).unwrap_or_default();
        let has = |name| index.get(name).and_then(Slice::as_bool).unwrap_or(false);
        let mut text = format!("{kind} {fields}");
        for rule in ["unique", "sparse"] {
            if has(rule) {
                text.push(' ');
                text.push_str(rule);
            }
        }
        (!matches!(kind, "primary" | "edge")).then_some(text)
    };
    Ok(list.elements().filter_map(text).collect())
}

/// Returns the present name of a type of index.
fn kind_of(name: &str) -> &str {
    match name {
        "hash" | "skiplist" | "rocksdb" => "persistent",
        "zkd" => "mdi",
        other => other,
    }
}

impl Definition {
    /// Returns a line for each difference to the same collection here.
    pub(super) fn differences(&self, here: &Definition) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_edge != here.is_edge {
            lines.push("one is a collection of edges, the other of documents".to_owned());
        }
        let missing = self.indexes.difference(&here.indexes);
        lines.extend(missing.map(|index| format!("the index {index} is not here")));
        let more = here.indexes.difference(&self.indexes);
        lines.extend(more.map(|index| format!("the index {index} is not at the source")));
        lines
    }
}
