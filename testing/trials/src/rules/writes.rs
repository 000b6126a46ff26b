//! The ways to write. The conditions of the rules judge each document that they change.

use std::collections::BTreeMap;

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::query;
use serde_json::{Value, json};

use super::compare::{leaks, send};
use super::condition::{Rules, of_variable};
use super::reads::Read;
use super::world::{self, KNOWS, PEOPLE, RULED, documents};

/// Returns a random request that writes.
fn random(rng: &mut Rng, collection: &str, count: usize) -> Read {
    let key = rng.usize(..count + 3);
    let new = world::document(rng, collection, key, count);
    let patch = match rng.u8(..3) {
        0 => json!({"level": rng.u8(..10)}),
        1 => json!({"owner": (["ann", "bob"][rng.usize(..2)])}),
        _ => json!({"tenant": rng.u8(..5), "tags": ["x1"]}),
    };
    let document = format!("/_api/document/{collection}/k{key}");
    let all = format!("/_api/document/{collection}");
    let asked = |read: Read| Read {
        query: vec![("returnOld", "true".to_owned()), ("returnNew", "true".to_owned())],
        ..read
    };
    let (level, owner) = (rng.u8(..10), ["ann", "bob", "cid"][rng.usize(..3)]);
    let aql = |text: String| aql(&text, Value::Null);
    match rng.u8(..14) {
        0 => asked(read("POST", &all, new)),
        1 => {
            let mode = ["replace", "update", "ignore", "conflict"][rng.usize(..4)];
            let mut read = asked(read("POST", &all, new));
            read.query.push(("overwriteMode", mode.to_owned()));
            read
        }
        2 => asked(read("PATCH", &document, patch)),
        3 => asked(read("PUT", &document, new)),
        4 => asked(read("DELETE", &document, Value::Null)),
        5 => asked(read("PATCH", &all, json!([patch_of(&patch, key), patch_of(&patch, key + 1)]))),
        6 => asked(read("DELETE", &all, json!([format!("k{key}"), format!("k{}", key / 2)]))),
        7 => aql(format!(
            "FOR d IN {collection} FILTER d.level == {level} UPDATE d WITH {patch} IN {collection} OPTIONS {{ignoreErrors: true}} RETURN [OLD, NEW]"
        )),
        8 => aql(format!(
            "FOR d IN {collection} FILTER d.owner == '{owner}' REMOVE d IN {collection} OPTIONS {{ignoreErrors: true}} RETURN OLD"
        )),
        9 => aql(format!("UPDATE 'k{key}' WITH {patch} IN {collection} RETURN [OLD, NEW]")),
        10 => aql(format!("REMOVE 'k{key}' IN {collection} RETURN OLD")),
        11 => aql(format!(
            "UPSERT {{owner: '{owner}', level: {level}}} INSERT {new} UPDATE {patch} IN {collection} RETURN [OLD, NEW]"
        )),
        12 => aql(format!(
            "INSERT {new} INTO {collection} OPTIONS {{overwriteMode: 'update'}} RETURN [OLD, NEW]"
        )),
        _ => {
            let mut import = read("POST", "/_api/import", json!([new]));
            import.query.extend([
                ("collection", collection.to_owned()),
                ("type", "list".to_owned()),
                ("onDuplicate", "update".to_owned()),
            ]);
            import
        }
    }
}

fn patch_of(patch: &Value, key: usize) -> Value {
    let mut patch = patch.clone();
    patch["_key"] = json!(format!("k{key}"));
    patch
}

fn read(method: &'static str, path: &str, body: Value) -> Read {
    Read { method, path: path.to_owned(), query: Vec::new(), body, is_of_batch: false }
}

fn aql(text: &str, _: Value) -> Read {
    read("POST", "/_api/cursor", json!({"query": text, "batchSize": 100_000}))
}

/// Writes some times, and returns the complaints. Errors: text for the user.
pub(crate) fn attack(
    clients: (&Client, &Client),
    rng: &mut Rng,
    rules: &[(&str, Rules)],
    count: usize,
    writes: usize,
) -> Result<(Vec<String>, usize), String> {
    let (root, user) = clients;
    let (mut complaints, mut changed) = (Vec::new(), 0);
    for _ in 0..writes {
        let collection = [PEOPLE, KNOWS][rng.usize(..2)];
        let Some((_, own)) = rules.iter().find(|(name, _)| *name == collection) else { continue };
        let write = random(rng, collection, count);
        let secrets = secrets(root, rules)?;
        let before = state(root, collection)?;
        let reply = send(user, &write, RULED)?;
        complaints.extend(leaks(&write, &reply, &secrets));
        let after = state(root, collection)?;
        let mut touched = Vec::new();
        for (key, old) in &before {
            match after.get(key) {
                Some(new) if new == old => {}
                Some(new) => touched.extend([(old.clone(), true), (new.clone(), false)]),
                None => touched.push((old.clone(), true)),
            }
        }
        touched.extend(
            after.iter().filter(|(key, _)| !before.contains_key(*key)).map(|(_, new)| (new.clone(), false)),
        );
        changed += touched.len();
        for (document, was_stored) in touched {
            let may_read = !was_stored || holds(root, &own.read, &document)?;
            if !may_read || !holds(root, &own.write, &document)? {
                complaints.push(format!("{} {} {} changed {document}", write.method, write.path, write.body));
            }
        }
    }
    Ok((complaints, changed))
}

/// Returns the texts that the user must not see. Errors: text for the user.
pub(crate) fn secrets(root: &Client, rules: &[(&str, Rules)]) -> Result<Vec<String>, String> {
    let mut secrets = Vec::new();
    for (collection, rules) in rules {
        let failed = |failure: harness::requests::Failure| failure.to_string();
        let hidden = documents(root, collection, &format!("NOT ({})", rules.read)).map_err(failed)?;
        secrets.extend(hidden.iter().flat_map(|document| texts(document, &["secret", "inner"])));
        let visible = documents(root, collection, &rules.read).map_err(failed)?;
        secrets.extend(visible.iter().flat_map(|document| texts(document, &rules.masked)));
    }
    Ok(secrets)
}

fn texts(document: &Value, names: &[&str]) -> Vec<String> {
    let values = names.iter().filter_map(|name| match *name {
        "secret" => document["secret"].as_str(),
        "inner" => document["inner"]["deep"].as_str(),
        _ => None,
    });
    values.filter(|text| text.starts_with("token")).map(str::to_owned).collect()
}

/// Returns all documents. Errors: text for the user.
pub(crate) fn states(root: &Client) -> Result<Vec<BTreeMap<String, Value>>, String> {
    [PEOPLE, KNOWS].iter().map(|collection| state(root, collection)).collect()
}

fn state(root: &Client, collection: &str) -> Result<BTreeMap<String, Value>, String> {
    let all = documents(root, collection, "true").map_err(|failure| failure.to_string())?;
    let key = |document: &Value| document["_key"].as_str().unwrap_or_default().to_owned();
    Ok(all.into_iter().map(|document| (key(&document), document)).collect())
}

fn holds(root: &Client, condition: &str, document: &Value) -> Result<bool, String> {
    let text = format!("LET d = @document RETURN !!({})", of_variable(condition));
    let mut binds = json!({"document": document});
    if condition.contains("@user") {
        binds["user"] = world::user();
    }
    let rows = query(root, Request::post("/_api/cursor").database(RULED), &text, &binds);
    let rows = rows.map_err(|failure| failure.to_string())?;
    Ok(rows.first() == Some(&json!(true)))
}
