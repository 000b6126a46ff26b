//! The model: the state of all that one writer owns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

/// The database of the collection that all writers share.
pub(crate) const SHARED_DATABASE: &str = "shared";

/// The collection that all writers share. Each owns the documents whose attribute `writer` has its
/// number.
pub(crate) const SHARED_COLLECTION: &str = "common";

/// A collection in its database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) database: String,
    pub(crate) collection: String,
}

impl Place {
    pub(crate) fn new(database: &str, collection: &str) -> Self {
        Place { database: database.to_owned(), collection: collection.to_owned() }
    }

    /// Returns the collection that all writers share.
    pub(crate) fn shared() -> Self {
        Place::new(SHARED_DATABASE, SHARED_COLLECTION)
    }
}

/// Documents without `_id` and `_rev` by their keys.
pub(crate) type Documents = BTreeMap<String, Arc<Value>>;

/// A collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Collection {
    pub(crate) is_edge: bool,
    pub(crate) documents: Documents,
    /// The names of indexes; see [`crate::crash::index::INDEXES`].
    pub(crate) indexes: BTreeSet<String>,
    /// The names of the views that are linked to it.
    pub(crate) views: BTreeSet<String>,
}

/// A user.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct User {
    pub(crate) is_active: bool,
    pub(crate) extra: Value,
    /// The right to the writer's database.
    pub(crate) grant: String,
}

/// All that a writer owns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) databases: BTreeSet<String>,
    pub(crate) collections: BTreeMap<Place, Arc<Collection>>,
    pub(crate) graphs: BTreeSet<String>,
    /// The views of the writer's own database.
    pub(crate) views: BTreeSet<String>,
    pub(crate) users: BTreeMap<String, User>,
}

impl State {
    /// Returns a collection to change it. A collection that is not there is created.
    pub(crate) fn collection(&mut self, place: &Place) -> &mut Collection {
        Arc::make_mut(self.collections.entry(place.clone()).or_default())
    }

    /// Returns the documents of a collection to change them.
    pub(crate) fn documents(&mut self, place: &Place) -> &mut Documents {
        &mut self.collection(place).documents
    }

    /// Describes the differences from this state to another, a line each.
    pub(crate) fn differences(&self, other: &State) -> Vec<String> {
        let mut lines = Vec::new();
        compare("databases", &self.databases, &other.databases, &mut lines);
        compare("graphs", &self.graphs, &other.graphs, &mut lines);
        compare("views", &self.views, &other.views, &mut lines);
        compare("users", &self.users, &other.users, &mut lines);
        let places: BTreeSet<&Place> = self.collections.keys().chain(other.collections.keys()).collect();
        for place in places {
            let name = format!("{}/{}", place.database, place.collection);
            match [self, other].map(|state| state.collections.get(place)) {
                [Some(expected), Some(found)] => compare_collections(&name, expected, found, &mut lines),
                [expected, _] => {
                    let text = if expected.is_some() { "is missing" } else { "should not be there" };
                    lines.push(format!("collection {name} {text}"));
                }
            }
        }
        lines
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(name: &str, expected: &T, found: &T, lines: &mut Vec<String>) {
    if expected != found {
        lines.push(format!("{name} must be {expected:?} and are {found:?}"));
    }
}

fn compare_collections(name: &str, expected: &Collection, found: &Collection, lines: &mut Vec<String>) {
    compare(&format!("the indexes of {name}"), &expected.indexes, &found.indexes, lines);
    compare(&format!("the views of {name}"), &expected.views, &found.views, lines);
    compare(&format!("the kinds of {name}"), &expected.is_edge, &found.is_edge, lines);
    let keys: BTreeSet<&String> = expected.documents.keys().chain(found.documents.keys()).collect();
    for key in keys {
        let [expected, found] = [expected, found].map(|side| side.documents.get(key));
        if expected != found {
            let text =
                |side: Option<&Arc<Value>>| side.map_or("missing".to_owned(), |value| value.to_string());
            lines.push(format!("{name}/{key} must be {} and is {}", text(expected), text(found)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state(documents: &[(&str, u32)]) -> State {
        let mut state = State::default();
        let documents = documents.iter().map(|(key, n)| ((*key).to_owned(), Arc::new(json!({"n": n}))));
        state.documents(&Place::new("d", "c")).extend(documents);
        state
    }

    #[test]
    fn a_lost_document_and_an_old_one_are_named() {
        let (expected, found) =
            (state(&[("a", 1), ("b", 2), ("c", 3)]), state(&[("a", 1), ("c", 2), ("d", 4)]));
        assert_eq!(
            expected.differences(&found),
            [
                r#"d/c/b must be {"n":2} and is missing"#,
                r#"d/c/c must be {"n":3} and is {"n":2}"#,
                r#"d/c/d must be missing and is {"n":4}"#,
            ]
        );
        assert_ne!(expected, found);
        assert_eq!(expected.differences(&expected.clone()), [""; 0]);
    }

    #[test]
    fn lost_definitions_are_named() {
        let mut found = state(&[]);
        found.collection(&Place::new("d", "c")).indexes.insert("geo".to_owned());
        found.collection(&Place::new("d", "more"));
        found.graphs.insert("graph".to_owned());
        found.views.insert("view".to_owned());
        found.collection(&Place::new("d", "c")).views.insert("view".to_owned());
        let lines = state(&[]).differences(&found);
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[4].contains("collection d/more should not be there"), "{lines:?}");
    }
}
