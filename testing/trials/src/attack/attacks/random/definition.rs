//! Random definitions: schemas, computed values, Analyzers, indexes. A client defines something and
//! uses it, leaves when it has waited long enough, and removes it.

use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::http1::{Connection, Request};
use serde_json::{Value, json};

use super::{AUTHOR, END_TIME, PATIENCE, as_user, path, query};
use crate::attack::target::Target;

/// Defines something, uses it, and removes it. Errors: the server's failure.
pub(super) fn define(target: &Target, rng: &mut Rng) -> Result<(), String> {
    let name = format!("r{}", rng.u64(..));
    let patience = Duration::from_millis(rng.u64(50..600));
    if rng.u8(..3) == 0 {
        return define_analyzer(target, rng, &name, patience);
    }
    let expression = query::expression(rng, 2);
    let body = match rng.u8(..3) {
        0 => json!({"name": name, "schema": {"rule": schema(rng, 4), "level": "strict"}}),
        1 => {
            let expression = format!("RETURN {expression}");
            json!({"name": name, "computedValues": [{"name": "x", "expression": expression, "overwrite": true}]})
        }
        _ => json!({"name": name}),
    };
    leave_after(target, "POST", "/_api/collection", &body, patience);
    let index = match rng.u8(..3) {
        0 => json!({"type": "inverted", "fields": ["t", {"name": "u", "analyzer": "text_en"}]}),
        1 => json!({"type": "geo", "fields": ["g"], "geoJson": true}),
        _ => json!({"type": "persistent", "fields": ["a[*].b", "t"], "unique": rng.bool()}),
    };
    leave_after(target, "POST", &format!("/_api/index?collection={name}"), &index, patience);
    let document = json!([document(rng, 30), document(rng, 3), document(rng, 3)]);
    leave_after(target, "POST", &format!("/_api/document/{name}"), &document, patience);
    let insert = json!({"query": format!("INSERT {{t: {expression}}} INTO {name}")});
    leave_after(target, "POST", "/_api/cursor", &insert, patience);
    remove(target, &format!("/_api/collection/{name}"), &body)
}

fn define_analyzer(target: &Target, rng: &mut Rng, name: &str, patience: Duration) -> Result<(), String> {
    let text = format!("RETURN CONCAT(@param, TO_STRING({}))", query::expression(rng, 2));
    let body = match rng.u8(..3) {
        0 => {
            json!({"name": name, "type": "ngram", "properties": {"min": 1, "max": rng.u32(1..60), "preserveOriginal": true}})
        }
        1 => {
            json!({"name": name, "type": "text", "properties": {"locale": "en", "stopwords": [], "edgeNgram": {"min": 1, "max": rng.u32(1..100)}}})
        }
        _ => json!({"name": name, "type": "aql", "properties": {"queryString": text}}),
    };
    leave_after(target, "POST", "/_api/analyzer", &body, patience);
    let tokens = json!({"query": format!("RETURN LENGTH(TOKENS(REPEAT('ab ', 100000), '{name}'))")});
    leave_after(target, "POST", "/_api/cursor", &tokens, patience);
    remove(target, &format!("/_api/analyzer/{name}?force=true"), &body)
}

/// Sends a request, and leaves if there is no reply in time.
fn leave_after(target: &Target, method: &str, target_path: &str, body: &Value, patience: Duration) {
    target.count(1);
    let request: Request = as_user(AUTHOR, method, &path(target_path)).body(body.to_string());
    // Errors: the client leaves.
    let _ = Connection::open(target.address(), patience).and_then(|mut client| client.ask(&request));
}

/// Removes what was defined. Errors: that takes too long.
fn remove(target: &Target, target_path: &str, defined: &Value) -> Result<(), String> {
    let start = Instant::now();
    let request = as_user(AUTHOR, "DELETE", &path(target_path));
    let reply = Connection::open(target.address(), PATIENCE).and_then(|mut client| client.ask(&request));
    let (took, bound) = (start.elapsed(), END_TIME * 3 + target.limits().floor * 10);
    let shown: String = defined.to_string().chars().take(super::SHOWN).collect();
    match reply {
        Err(error) => Err(format!("DELETE {target_path} had no reply: {error}: {shown}")),
        Ok(_) if took > bound => Err(format!("DELETE {target_path} took {took:.1?}: {shown}")),
        Ok(_) => Ok(()),
    }
}

/// Returns a random JSON schema.
fn schema(rng: &mut Rng, depth: usize) -> Value {
    let inner = |rng: &mut Rng| if depth == 0 { json!({"type": "string"}) } else { schema(rng, depth - 1) };
    match rng.u8(..7) {
        0 => json!({"anyOf": [inner(rng), inner(rng)], "definitions": {"a": inner(rng)}}),
        1 => json!({"allOf": [inner(rng), inner(rng), {"$ref": "#"}]}),
        2 => json!({"properties": {"a": inner(rng), "t": {"pattern": "(a|b)*a(a|b){500}c"}}}),
        3 => json!({"items": inner(rng), "uniqueItems": true}),
        4 => json!({"patternProperties": {"(a*)*b": inner(rng)}, "additionalProperties": inner(rng)}),
        5 => json!({"not": inner(rng), "maxLength": rng.u32(..)}),
        _ => json!({"enum": [1, "a", [1, 2], {"a": null}], "multipleOf": 0.0001}),
    }
}

/// Returns a document of so many levels.
fn document(rng: &mut Rng, levels: usize) -> Value {
    let mut value = json!("ab".repeat(rng.usize(..5_000)));
    for _ in 0..levels {
        value = match rng.u8(..3) {
            0 => json!({"a": value, "t": "ab".repeat(500)}),
            1 => json!([value, 1, 1]),
            _ => json!({"t": value, "b": [1, 2, 3]}),
        };
    }
    json!({"a": value, "t": "ab".repeat(rng.usize(..10_000)), "u": "w1 w2 ".repeat(rng.usize(..2_000)), "g": [rng.f64() * 360.0, 0]})
}
