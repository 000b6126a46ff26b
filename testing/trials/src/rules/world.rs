//! The two databases.

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{Failure, ask, query};
use serde_json::{Value, json};

use super::condition::{ROLES, Rules, USER, of_variable};

/// The collection of vertices.
pub(crate) const PEOPLE: &str = "people";
/// The collection of edges.
pub(crate) const KNOWS: &str = "knows";
/// The database with rules.
pub(crate) const RULED: &str = "ruled";
/// The database with what the user may see.
pub(crate) const COPY: &str = "copy";

/// Returns the value of `@user`.
pub(crate) fn user() -> Value {
    json!({"name": USER, "roles": ROLES})
}

/// Returns a random document with a text that no other one has.
pub(crate) fn document(rng: &mut Rng, collection: &str, key: usize, people: usize) -> Value {
    let tags: Vec<String> = (0..rng.u8(..4)).map(|_| format!("x{}", rng.u8(..4))).collect();
    let words = ["alpha", "beta", "gamma", "delta"];
    let mut document = json!({
        "_key": format!("k{key}"),
        "owner": (["ann", "bob", "cid"][rng.usize(..3)]),
        "tenant": rng.u8(..5),
        "level": rng.u8(..10),
        "secret": format!("token{:016x}", rng.u64(..)),
        "inner": {"deep": format!("token{:016x}", rng.u64(..)), "list": [rng.u8(..5), 3]},
        "text": format!("{} {}", words[rng.usize(..4)], words[rng.usize(..4)]),
        "tags": tags,
        "place": [rng.i32(-20..20), rng.i32(-20..20)],
    });
    if collection == KNOWS {
        document["_from"] = json!(format!("{PEOPLE}/k{}", rng.usize(..people)));
        document["_to"] = json!(format!("{PEOPLE}/k{}", rng.usize(..people)));
    }
    document
}

/// Creates the databases with their definitions. Errors: the first failure.
pub(crate) fn create(root: &Client) -> Result<(), Failure> {
    let at = |database: &str, path: &str| Request::post(path).database(database);
    ask(root, Request::post("/_api/user"), &json!({"user": USER, "passwd": USER, "roles": ROLES}))?;
    for database in [RULED, COPY] {
        ask(root, Request::post("/_api/database"), &json!({"name": database}))?;
        let grant = Request::put(&format!("/_api/user/{USER}/database/{database}"));
        ask(root, grant, &json!({"grant": "rw"}))?;
        ask(root, at(database, "/_api/collection"), &json!({"name": PEOPLE}))?;
        ask(root, at(database, "/_api/collection"), &json!({"name": KNOWS, "type": 3}))?;
        let indexes = [
            json!({"type": "persistent", "fields": ["owner"]}),
            json!({"type": "persistent", "fields": ["tenant", "level"], "storedValues": ["secret"]}),
            json!({"type": "persistent", "fields": ["tags[*]"]}),
            json!({"type": "persistent", "fields": ["level"]}),
            json!({"type": "persistent", "fields": ["secret"]}),
            json!({"type": "geo", "fields": ["place"]}),
            json!({"type": "fulltext", "fields": ["text"], "minLength": 2}),
            json!({"type": "inverted", "name": "inv", "fields": ["owner", "level", {"name": "text", "analyzer": "text_en"}]}),
        ];
        for index in &indexes {
            ask(root, at(database, "/_api/index").query("collection", PEOPLE), index)?;
        }
        let vertex_centric = json!({"type": "persistent", "fields": ["_from", "level"]});
        ask(root, at(database, "/_api/index").query("collection", KNOWS), &vertex_centric)?;
        let link = json!({"fields": {"owner": {}, "level": {}, "text": {"analyzers": ["text_en"]}}});
        let view = json!({"name": "found", "type": "arangosearch", "links": {PEOPLE: link, KNOWS: link},
            "storedValues": [["secret"], ["level"]], "primarySort": [{"field": "level", "direction": "asc"}]});
        ask(root, at(database, "/_api/view"), &view)?;
        let graph = json!({"name": "social",
            "edgeDefinitions": [{"collection": KNOWS, "from": [PEOPLE], "to": [PEOPLE]}]});
        ask(root, at(database, "/_api/gharial"), &graph)?;
    }
    let tracked = Request::put("/_api/query/properties").database(RULED);
    ask(root, tracked, &json!({"slowQueryThreshold": 0}))?;
    let cache = Request::put("/_api/query-cache/properties");
    ask(root, cache, &json!({"mode": "demand"}))?;
    Ok(())
}

/// Asks for texts as the administrator, so that the lists of queries, cached results and cached
/// plans have them. Errors: the first failure.
pub(crate) fn look_for(root: &Client, texts: &[String]) -> Result<(), Failure> {
    let body = json!({"query": "FOR d IN people FILTER d.secret IN @texts RETURN d.secret",
        "bindVars": {"texts": texts}, "options": {"cache": true, "usePlanCache": true}});
    for _ in 0..2 {
        ask(root, Request::post("/_api/cursor").database(RULED), &body)?;
    }
    Ok(())
}

/// Replaces all documents and rules. Errors: the first failure.
pub(crate) fn fill(
    root: &Client,
    rng: &mut Rng,
    documents: usize,
    rules: &[(&str, Rules)],
) -> Result<(), Failure> {
    for (collection, rules) in rules {
        let new: Vec<Value> = (0..documents).map(|key| document(rng, collection, key, documents)).collect();
        for database in [RULED, COPY] {
            let truncate =
                Request::put(&format!("/_api/collection/{collection}/truncate")).database(database);
            ask(root, truncate, &Value::Null)?;
        }
        let insert = Request::post(&format!("/_api/document/{collection}")).database(RULED);
        ask(root, insert.query("silent", "true"), &json!(new))?;
        let properties = Request::put(&format!("/_api/collection/{collection}/properties")).database(RULED);
        ask(root, properties, &json!({"accessRules": rules.property}))?;
    }
    copy(root, rules)
}

/// Makes the copy hold exactly what the user may see. Errors: the first failure.
pub(crate) fn copy(root: &Client, rules: &[(&str, Rules)]) -> Result<(), Failure> {
    for (collection, rules) in rules {
        let truncate = Request::put(&format!("/_api/collection/{collection}/truncate")).database(COPY);
        ask(root, truncate, &Value::Null)?;
        let mut visible = documents(root, collection, &rules.read)?;
        for document in &mut visible {
            for name in &rules.masked {
                mask(&mut document[*name]);
            }
        }
        let insert = Request::post(&format!("/_api/document/{collection}")).database(COPY);
        ask(root, insert.query("silent", "true"), &json!(visible))?;
    }
    for collection in [PEOPLE, KNOWS] {
        for database in [RULED, COPY] {
            let wait = format!(
                "FOR d IN found SEARCH EXISTS(d.owner) OPTIONS {{waitForSync: true, collections: ['{collection}']}} LIMIT 1 RETURN 1"
            );
            query(root, Request::post("/_api/cursor").database(database), &wait, &json!({}))?;
        }
    }
    Ok(())
}

/// Returns the documents for which a condition is true, without their revisions.
pub(crate) fn documents(root: &Client, collection: &str, condition: &str) -> Result<Vec<Value>, Failure> {
    let text =
        format!("FOR d IN {collection} FILTER {} RETURN UNSET(d, '_rev', '_id')", of_variable(condition));
    let binds = if condition.contains("@user") { json!({"user": user()}) } else { json!({}) };
    query(root, Request::post("/_api/cursor").database(RULED), &text, &binds)
}

/// Masks a value as `xifyFront` does that leaves one character.
fn mask(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(mask),
        Value::Array(members) => members.iter_mut().for_each(mask),
        Value::String(text) => {
            let last = text.chars().last().map(String::from).unwrap_or_default();
            *text = "x".repeat(text.len().saturating_sub(1)) + &last;
        }
        Value::Null => {}
        other => *other = json!("xxxx"),
    }
}
