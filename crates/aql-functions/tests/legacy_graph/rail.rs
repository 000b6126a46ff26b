//! Some stops and what connects them, as a server would have them.

#![allow(clippy::panic, reason = "what is wrong in a test ends it")]

use crate::common::{self, Answer, Query, TestServer, parse};
use aql_value::{EdgeDirection, Environment, Error, Result, Value};
use std::collections::BTreeMap;

/// Graphs: `rail` of the edges `lines` (a → b → c → d and a → c) and `buses` (d → x), with an orphan; `round`, a circle of
/// three; `star`, one vertex with many edges.
pub(crate) struct Rail {
    vertices: BTreeMap<&'static str, Value>,
    edges: BTreeMap<&'static str, Value>,
    graphs: Value,
}

/// Edges of the star.
pub(crate) const POINTS: usize = 20_000;

const VERTICES: [(&str, &str); 5] = [
    (
        "stop",
        r#"[{"_id": "stop/a", "_key": "a", "zone": 1, "big": true}, {"_id": "stop/b", "_key": "b", "zone": 1, "big": false},
            {"_id": "stop/c", "_key": "c", "zone": 2, "big": true}, {"_id": "stop/d", "_key": "d", "zone": 2, "big": null}]"#,
    ),
    ("depot", r#"[{"_id": "depot/x", "_key": "x", "zone": 2, "size": {"w": 5}}]"#),
    ("lost", r#"[{"_id": "lost/z", "_key": "z", "zone": 3}]"#),
    ("p", r#"[{"_id": "p/1", "_key": "1"}, {"_id": "p/2", "_key": "2"}, {"_id": "p/3", "_key": "3"}]"#),
    ("s", r#"[{"_id": "s/0", "_key": "0"}, {"_id": "s/far", "_key": "far"}]"#),
];

const EDGES: [(&str, &str); 4] = [
    (
        "lines",
        r#"[{"_id": "lines/ab", "_from": "stop/a", "_to": "stop/b", "km": 2, "kind": "slow"},
            {"_id": "lines/ac", "_from": "stop/a", "_to": "stop/c", "km": 10, "kind": "fast", "tie": 2, "owner": {"name": "ann"}},
            {"_id": "lines/bc", "_from": "stop/b", "_to": "stop/c", "km": 3, "kind": "slow"},
            {"_id": "lines/cd", "_from": "stop/c", "_to": "stop/d", "km": 1, "kind": "slow", "minus": -1}]"#,
    ),
    ("buses", r#"[{"_id": "buses/dx", "_from": "stop/d", "_to": "depot/x"}]"#),
    ("broken", r#"[{"_id": "broken/1", "_from": "stop/a", "_to": "stop/gone"}]"#),
    (
        "ring",
        r#"[{"_id": "ring/12", "_from": "p/1", "_to": "p/2"}, {"_id": "ring/23", "_from": "p/2", "_to": "p/3"},
            {"_id": "ring/31", "_from": "p/3", "_to": "p/1"}]"#,
    ),
];

const GRAPHS: &str = r#"{
    "rail": {"edgeDefinitions": [{"collection": "lines", "from": ["stop"], "to": ["stop"]},
        {"collection": "buses", "from": ["stop"], "to": ["depot"]}], "orphanCollections": ["lost"]},
    "round": {"edgeDefinitions": [{"collection": "ring", "from": ["p"], "to": ["p"]}], "orphanCollections": []},
    "star": {"edgeDefinitions": [{"collection": "rays", "from": ["s"], "to": ["s"]}], "orphanCollections": []}}"#;

impl Rail {
    pub(crate) fn new() -> Self {
        let parsed = |(name, text): (&'static str, &str)| (name, parse(text));
        let mut edges: BTreeMap<_, _> = EDGES.map(parsed).into();
        let ray = |point| {
            Value::object(&[
                ("_id", Value::from_str(&format!("rays/{point}"))),
                ("_from", "s/0".into()),
                ("_to", Value::from_str(&format!("s/{point}"))),
            ])
        };
        edges.insert("rays", Value::array(&(1..=POINTS).map(ray).collect::<Vec<_>>()));
        Self { vertices: VERTICES.map(parsed).into(), edges, graphs: parse(GRAPHS) }
    }

    /// Calls a function with arguments in JSON.
    pub(crate) fn call(&self, name: &str, arguments: &str) -> Answer {
        self.call_in(Query::default(), name, arguments)
    }

    pub(crate) fn call_in(&self, query: Query<'_>, name: &str, arguments: &str) -> Answer {
        let function = aql_functions::lookup(name).unwrap_or_else(|| panic!("no function {name}"));
        let arguments: Vec<Value> = parse(&format!("[{arguments}]")).elements().collect();
        assert!(arguments.len() >= function.min_args, "{name}");
        assert!(function.max_args.is_none_or(|most| arguments.len() <= most), "{name}");
        let query = Query {
            warnings: query.warnings,
            memory_limit_bytes: query.memory_limit_bytes,
            interrupt: query.interrupt,
            environment: self,
        };
        query.call(function, &arguments)
    }

    /// Checks what a call answers, documents shown as [`brief`] does.
    pub(crate) fn check(&self, name: &str, arguments: &str, expected: &str) {
        let found = brief(&self.value(name, arguments));
        assert!(found.equal(&parse(expected)), "{name}({arguments}) is {}, not {expected}", found.to_json());
    }

    pub(crate) fn value(&self, name: &str, arguments: &str) -> Value {
        let answer = self.call(name, arguments);
        assert!(answer.warnings.is_empty(), "{name}({arguments}) warns {:?}", answer.warnings);
        answer.result.unwrap_or_else(|error| panic!("{name}({arguments}): {error}"))
    }

    /// The number of the error of a call.
    pub(crate) fn error(&self, name: &str, arguments: &str) -> u32 {
        match self.call(name, arguments).result {
            Ok(value) => panic!("{name}({arguments}) is {}", value.to_json()),
            Err(error) => error.number,
        }
    }
}

/// Documents by their identifiers; where there are others in an attribute `next`, an array of the two.
fn brief(value: &Value) -> Value {
    if value.is_array() {
        return Value::array(&value.elements().map(|element| brief(&element)).collect::<Vec<_>>());
    }
    let id = value.get("_id");
    match (id.is_null(), value.get("next")) {
        (true, _) if value.is_object() => {
            let entries: Vec<(String, Value)> =
                value.entries().map(|(name, value)| (name.to_owned(), brief(&value))).collect();
            Value::object(
                &entries.iter().map(|(name, value)| (name.as_str(), value.clone())).collect::<Vec<_>>(),
            )
        }
        (true, _) => value.clone(),
        (false, Value::Null) => id,
        (false, next) => Value::array(&[id, brief(&next)]),
    }
}

fn unknown(name: &str) -> Error {
    Error::new(1203, format!("collection or view not found: {name}"))
}

impl Environment for Rail {
    fn database(&self) -> Result<&str> {
        TestServer.database()
    }
    fn user(&self) -> Result<Option<&str>> {
        TestServer.user()
    }
    fn server_version(&self) -> Result<&str> {
        TestServer.server_version()
    }
    fn document(&self, collection: Option<&str>, id_or_key: &str) -> Result<Value> {
        assert!(collection.is_none());
        let name = id_or_key.split('/').next().unwrap_or_default();
        let documents = self.vertices.get(name).cloned().unwrap_or_default();
        Ok(documents
            .elements()
            .find(|found| found.get("_id").as_str() == Some(id_or_key))
            .unwrap_or_default())
    }
    fn collection_count(&self, name: &str) -> Result<u64> {
        TestServer.collection_count(name)
    }
    fn collections(&self) -> Result<Value> {
        TestServer.collections()
    }
    fn schema(&self, collection: &str) -> Result<Value> {
        TestServer.schema(collection)
    }
    fn validate_schema(&self, document: &Value, schema: &Value) -> Result<Option<String>> {
        TestServer.validate_schema(document, schema)
    }
    fn collection_documents(&self, name: &str) -> Result<Value> {
        self.vertices.get(name).cloned().ok_or_else(|| unknown(name))
    }
    fn graph(&self, name: &str) -> Result<Value> {
        let graph = self.graphs.get(name);
        if graph.is_null() { TestServer.graph(name) } else { Ok(graph) }
    }
    fn edges(&self, collection: &str, vertex_id: &str, direction: EdgeDirection) -> Result<Value> {
        let Some(edges) = self.edges.get(collection) else {
            let is_known = self.vertices.contains_key(collection);
            return Err(if is_known { Error::new(1218, "no edge collection") } else { unknown(collection) });
        };
        let is_at = |edge: &Value, end: &str| edge.get(end).as_str() == Some(vertex_id);
        let mut found = Vec::new();
        if direction != EdgeDirection::Inbound {
            found.extend(edges.elements().filter(|edge| is_at(edge, "_from")));
        }
        if direction != EdgeDirection::Outbound {
            let is_new = |edge: &Value| direction == EdgeDirection::Inbound || !is_at(edge, "_from");
            found.extend(edges.elements().filter(|edge| is_at(edge, "_to") && is_new(edge)));
        }
        Ok(Value::array(&found))
    }
}

/// A query whose calls may use little memory.
pub(crate) fn query_of(memory_limit_bytes: u64) -> Query<'static> {
    Query { memory_limit_bytes, ..common::Query::default() }
}
