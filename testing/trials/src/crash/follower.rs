//! A follower of the change log: what it has must be what the server has.
//!
//! It reads after each restart, behind the last token that it got, and applies each change to its
//! own state. So a commit without entries, entries without a commit, and entries that come twice
//! or in another order are found.

use std::collections::BTreeMap;

use client::{Client, Request};
use serde_json::{Value, json};

use crate::crash::observe::{ask, query};

/// Changes of one reply.
const LIMIT: u64 = 20_000;

/// Collections by database and name, with their documents by key.
type Collections = BTreeMap<(String, String), BTreeMap<String, Value>>;

/// The state of the follower.
pub(crate) struct Follower {
    since: String,
    collections: Collections,
    changes: u64,
}

impl Follower {
    /// Returns a follower that has nothing yet, of a server with a log from the beginning.
    pub(crate) fn new() -> Self {
        Follower { since: "earliest".to_owned(), collections: Collections::new(), changes: 0 }
    }

    /// Returns the number of changes that were applied.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Reads what is new, and compares all documents with those of the server, on which nobody
    /// writes. Errors: text for the user.
    pub(crate) fn check(&mut self, client: &Client) -> Result<(), String> {
        self.catch_up(client)?;
        let databases = ask(client, &Request::get("/_api/database"))?;
        let mut found = Collections::new();
        for database in databases["result"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            read_database(client, database, &mut found)?;
        }
        match first_difference(&self.collections, &found) {
            Some(difference) => Err(format!("the change log up to {}: {difference}", self.since)),
            None => Ok(()),
        }
    }

    fn catch_up(&mut self, client: &Client) -> Result<(), String> {
        loop {
            let body = json!({"since": self.since, "global": true, "limit": LIMIT});
            let reply = ask(client, &Request::post("/_api/changes").json(body.to_string()))?;
            let changes = reply["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
            for change in changes {
                self.apply(change).map_err(|text| format!("{text}: {change}"))?;
            }
            let token = reply["token"].as_str().ok_or_else(|| format!("a reply without a token: {reply}"))?;
            self.since = token.to_owned();
            if changes.is_empty() {
                return Ok(());
            }
        }
    }

    fn apply(&mut self, change: &Value) -> Result<(), String> {
        self.changes += 1;
        let text = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
        let place = (text("database"), text("collection"));
        let operation = text("operation");
        if place.1.starts_with('_') {
            return Ok(());
        }
        match operation.as_str() {
            "createCollection" => {
                self.collections.insert(place, BTreeMap::new());
            }
            "dropCollection" => {
                self.collections.remove(&place).ok_or("a dropped collection was not there")?;
            }
            "renameCollection" => self.rename(&place, change)?,
            "truncate" => self.documents(&place)?.clear(),
            "dropDatabase" => {
                let name = change["definition"]["name"].as_str().unwrap_or_default();
                self.collections.retain(|(database, _), _| database != name);
            }
            "insert" | "update" | "replace" => {
                let old = self.documents(&place)?.insert(text("key"), without_id(&change["document"]));
                if old.is_some() == (operation == "insert") {
                    return Err(format!("{operation} after {old:?}"));
                }
            }
            "remove" => {
                let old = self.documents(&place)?.remove(&text("key"));
                let old = old.ok_or("a removed document was not there")?;
                if old["_rev"] != change["document"]["_rev"] {
                    return Err(format!("the removed document was {old}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn rename(&mut self, place: &(String, String), change: &Value) -> Result<(), String> {
        let documents = self.collections.remove(place).ok_or("a renamed collection was not there")?;
        let name = change["definition"]["name"].as_str().unwrap_or_default().to_owned();
        self.collections.insert((place.0.clone(), name), documents);
        Ok(())
    }

    fn documents(&mut self, place: &(String, String)) -> Result<&mut BTreeMap<String, Value>, String> {
        self.collections.get_mut(place).ok_or_else(|| format!("collection {place:?} is not there"))
    }
}

fn without_id(document: &Value) -> Value {
    let mut document = document.clone();
    if let Value::Object(attributes) = &mut document {
        attributes.remove("_id");
    }
    document
}

fn read_database(client: &Client, database: &str, found: &mut Collections) -> Result<(), String> {
    let reply = ask(client, &Request::get("/_api/collection?excludeSystem=true").database(database))?;
    for collection in reply["result"].as_array().into_iter().flatten() {
        let name = collection["name"].as_str().unwrap_or_default();
        let documents = query(client, database, &format!("FOR d IN `{name}` RETURN d"), &json!({}))?;
        let documents = documents.into_iter().map(|document| {
            (document["_key"].as_str().unwrap_or_default().to_owned(), without_id(&document))
        });
        found.insert((database.to_owned(), name.to_owned()), documents.collect());
    }
    Ok(())
}

fn first_difference(own: &Collections, found: &Collections) -> Option<String> {
    let names = |collections: &Collections| collections.keys().cloned().collect::<Vec<_>>();
    if names(own) != names(found) {
        return Some(format!("collections must be {:?} and are {:?}", names(found), names(own)));
    }
    for (place, documents) in found {
        let own = own.get(place)?;
        let keys = documents.keys().chain(own.keys());
        if let Some(key) = keys.into_iter().find(|key| documents.get(*key) != own.get(*key)) {
            let [expected, is] = [documents.get(key), own.get(key)];
            return Some(format!("{place:?}/{key} must be {expected:?} and is {is:?}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(operation: &str, key: &str, revision: &str) -> Value {
        json!({"operation": operation, "database": "d", "collection": "c", "key": key,
               "document": {"_key": key, "_id": format!("c/{key}"), "_rev": revision}})
    }

    #[test]
    fn changes_that_cannot_follow_each_other_are_found() {
        let mut follower = Follower::new();
        assert!(follower.apply(&change("insert", "a", "1")).is_err());
        follower.apply(&change("createCollection", "", "")).unwrap();
        assert!(follower.apply(&change("update", "a", "1")).is_err());
        follower.collections.clear();
        follower.apply(&change("createCollection", "", "")).unwrap();
        follower.apply(&change("insert", "a", "1")).unwrap();
        assert!(follower.apply(&change("remove", "a", "2")).is_err());
        assert!(follower.apply(&change("remove", "b", "1")).is_err());
    }

    #[test]
    fn a_lost_and_a_changed_document_are_found() {
        let of = |revision: &str| {
            let mut follower = Follower::new();
            follower.apply(&change("createCollection", "", "")).unwrap();
            follower.apply(&change("insert", "a", revision)).unwrap();
            follower.collections
        };
        assert_eq!(first_difference(&of("1"), &of("1")), None);
        assert!(first_difference(&of("1"), &of("2")).unwrap().contains("must be"));
        assert!(first_difference(&Collections::new(), &of("1")).unwrap().contains("collections"));
    }
}
