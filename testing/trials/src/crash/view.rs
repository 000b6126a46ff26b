//! Views: their links, and the check of each against the documents of its collections.

use client::Client;
use harness::ask_until_right;
use serde_json::{Value, json};

use crate::crash::observe::query;
use crate::crash::state::State;

/// Returns the definition of a link.
pub(crate) fn link() -> Value {
    json!({"fields": {"n": {}, "text": {"analyzers": ["text_en"]}}})
}

/// Returns the definition of a view without links.
pub(crate) fn definition(name: &str) -> Value {
    let policy = json!({"type": "tier", "minDeletionRatio": 0.2});
    json!({"name": name, "type": "arangosearch", "commitIntervalMsec": 50,
        "consolidationIntervalMsec": 50, "consolidationPolicy": policy, "links": {}})
}

/// Checks that each view of a database finds its documents. Errors: text for the user.
pub(crate) fn check(client: &Client, database: &str, state: &State) -> Result<(), String> {
    for view in &state.views {
        let numbers = |document: &Value| document["n"].is_number();
        let expected = expect(database, state, view, numbers);
        let found = ask_until_right(|| find(client, database, view, "d.n >= 0"), |found| *found == expected)?;
        same(database, view, &found, &expected)?;
        let apples = |document: &Value| document["text"].as_str().is_some_and(|text| text.contains("apple"));
        let condition =
            "ANALYZER(d.text IN TOKENS('apple', 'text_en'), 'text_en') OPTIONS {waitForSync: true}";
        let found = find(client, database, view, condition)?;
        same(database, view, &found, &expect(database, state, view, apples))?;
    }
    Ok(())
}

/// Returns the documents that the view finds, in order; one that is found twice is there twice.
fn find(client: &Client, database: &str, view: &str, condition: &str) -> Result<Vec<String>, String> {
    let rows =
        query(client, database, &format!("FOR d IN `{view}` SEARCH {condition} RETURN d._id"), &json!({}))?;
    let mut found: Vec<String> = rows.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    found.sort_unstable();
    Ok(found)
}

fn expect(database: &str, state: &State, view: &str, holds: fn(&Value) -> bool) -> Vec<String> {
    let linked = state
        .collections
        .iter()
        .filter(|(place, collection)| place.database == database && collection.views.contains(view));
    let mut ids: Vec<String> = linked
        .flat_map(|(place, collection)| {
            let documents = collection.documents.iter().filter(|(_, document)| holds(document));
            documents.map(|(key, _)| format!("{}/{key}", place.collection))
        })
        .collect();
    ids.sort_unstable();
    ids
}

fn same(database: &str, view: &str, found: &[String], expected: &[String]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{database}: the view {view} finds {found:?}, and {expected:?} are there"))
}
