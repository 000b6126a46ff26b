//! Writes that compute for long: computed values that sleep or count, and schemas whose references
//! double the work at each level of a document.

use std::thread;
use std::time::Duration;

use fastrand::Rng;
use harness::http1::Connection;
use serde_json::{Value, json};

use super::Attack;
use super::hostile::Hostile;
use super::killed::{run_and_kill, run_for};
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// Clients that write at once: more than the server has threads for connections.
const CLIENTS: usize = 8;

/// Time after which the clients leave.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time after which queries are killed.
const KILL_AFTER: Duration = Duration::from_millis(150);

/// Levels of the documents.
const LEVELS: usize = 60;

/// Collections with their computed values, the name and the expression of each.
const COMPUTED: [(&str, &str); 3] = [
    ("sleeping", "RETURN SLEEP(300)"),
    ("counting", "RETURN LENGTH(1..1000000000)"),
    ("nested", "LET a = 1..3000 RETURN LENGTH(a[* RETURN a[* RETURN a[* RETURN CURRENT]]])"),
];

/// See the module.
pub(crate) struct Writes;

impl Attack for Writes {
    fn name(&self) -> &'static str {
        "writes"
    }

    fn summary(&self) -> &'static str {
        "computed values and schemas that take all time or all memory"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        let create = |body: Value| target.call("POST", "/_api/collection", &body.to_string()).map(|_| ());
        for (name, expression) in COMPUTED {
            let computed = json!([{"name": "x", "expression": expression, "overwrite": true}]);
            create(json!({"name": name, "computedValues": computed}))?;
        }
        for combination in COMBINATIONS {
            let schema = json!({"rule": doubling(combination), "level": "strict"});
            create(json!({"name": combination, "schema": schema}))?;
        }
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for name in COMPUTED.iter().map(|(name, _)| *name).chain(COMBINATIONS) {
            let document = if COMBINATIONS.contains(&name) { nested() } else { "{}".to_owned() };
            let path = format!("/_api/document/{name}");
            cases.push(Case::new(format!("inserts into {name}"), move |target, _| {
                write_and_leave(target, &path, &document);
                Ok(())
            }));
            let insert = hostile(format!("INSERT into {name}"), format!("INSERT @document INTO {name}"));
            add(&mut cases, insert);
        }
        for combination in COMBINATIONS {
            let name = format!("SCHEMA_VALIDATE of {combination}");
            let mut query = hostile(name, "RETURN SCHEMA_VALIDATE(@document, {rule: @rule})".to_owned());
            query.bind["rule"] = doubling(combination);
            add(&mut cases, query);
        }
        run_cases(target, rng, cases)
    }
}

/// Combinations of schemas.
const COMBINATIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Returns a schema that asks twice about the next level.
fn doubling(combination: &str) -> Value {
    let next = json!({"$ref": "#/definitions/n"});
    let twice = json!([
        {"properties": {"a": next}, "required": ["b"]},
        {"properties": {"a": next}},
    ]);
    json!({"definitions": {"n": {combination: twice}}, "$ref": "#/definitions/n"})
}

fn nested() -> String {
    format!("{}1{}", "{\"a\":".repeat(LEVELS), "}".repeat(LEVELS))
}

fn hostile(name: String, text: String) -> Hostile {
    let document: Value = serde_json::from_str(&nested()).unwrap_or_default();
    Hostile { name, text, bind: json!({"document": document}) }
}

/// Adds the cases of a query that is killed, and of one with `maxRuntime`.
fn add(cases: &mut Vec<Case<'_>>, query: Hostile) {
    let (name, again) = (query.name.clone(), query.clone());
    cases.push(Case::new(format!("{name} killed"), move |target, rng| {
        run_and_kill(target, rng, &query, KILL_AFTER)
    }));
    cases.push(Case::new(format!("{name} with maxRuntime"), move |target, _| run_for(target, &again)));
}

/// Writes with several clients, which leave after some time.
fn write_and_leave(target: &Target, path: &str, document: &str) {
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                target.count(1);
                let request = target.request("POST", path).body(document);
                // Errors: the client has left.
                let _ = Connection::open(target.address(), PATIENCE)
                    .and_then(|mut connection| connection.ask(&request));
            });
        }
    });
}
