//! Runs queries in every mode and compares the answers.

use std::sync::Arc;

use database::cursor::encoder::Format;
use database::query::request::QueryRequest;
use database::{Identity, Instance, InstanceOptions, Session, SpillOptions};
use serde_json::{Value, json};
use velocypack::{Builder, Limits, Slice};

use super::choices::Choices;
use super::data;
use super::generator::{Query, query};
use super::modifications::modification;
use super::naive::{self, Documents};
use super::naive_modification;

/// The statistics of one round.
pub(crate) struct Outcome {
    pub(crate) queries: usize,
    pub(crate) with_results: usize,
    pub(crate) failures: Vec<String>,
}

/// Creates a store of random documents and runs random queries, first without indexes and then with
/// some.
pub(crate) fn round(choices: &mut Choices<'_>, count: usize, modifications: usize) -> Outcome {
    let data = data::documents(choices);
    let store = TestStore::new(&data);
    let queries: Vec<Query> = (0..count).map(|_| query(choices)).collect();
    let expected: Vec<Vec<Value>> = queries.iter().map(|query| store.expected(query)).collect();
    let with_results = expected.iter().filter(|rows| !rows.is_empty()).count();
    let mut outcome = Outcome { queries: count, with_results, failures: Vec::new() };
    let mut indexes = Vec::new();
    for is_indexed in [false, true] {
        if is_indexed {
            indexes = data::indexes(choices);
            indexes.iter().for_each(|(name, definition)| store.index(name, definition));
        }
        for (query, expected) in queries.iter().zip(&expected) {
            if let Err(failure) = store.check(query, expected) {
                let expected = Value::Array(expected.clone());
                let failure = format!("{failure}\nexpected {expected}");
                outcome.failures.push(described(query, &failure, &indexes, &store));
            }
        }
    }
    for _ in 0..modifications {
        let query = modification(choices);
        if let Err(failure) = store.check_modification(&query, &data, &indexes) {
            outcome.failures.push(described(&query, &failure, &indexes, &store));
        }
    }
    outcome
}

fn described(query: &Query, failure: &str, indexes: &[(&str, Value)], store: &TestStore) -> String {
    let indexes: Vec<String> =
        indexes.iter().map(|(name, definition)| format!("index {name} {definition}")).collect();
    format!("{}\n{failure}\n{}\n{}", query.text, indexes.join("\n"), store.dump())
}

/// A store with sessions that execute queries in different modes.
struct TestStore {
    /// The session with default options.
    session: Session,
    /// Sessions with other options, by the name of the mode.
    others: Vec<(&'static str, Session)>,
    documents: Documents,
}

impl TestStore {
    fn new(data: &data::Data) -> Self {
        let instance = Instance::open(test_engine::engine(), InstanceOptions::default()).unwrap();
        let other = |options| {
            let instance = Instance::new(Arc::clone(instance.store()), options).unwrap();
            Session::open(instance, "_system", Identity::Superuser).unwrap()
        };
        let row_by_row = InstanceOptions { operator_batch_rows: 1, ..InstanceOptions::default() };
        let spill = SpillOptions { threshold_rows: 2, ..InstanceOptions::default().spill };
        let through_files = InstanceOptions { spill, operator_batch_rows: 3, ..InstanceOptions::default() };
        let others = vec![("row by row", other(row_by_row)), ("through files", other(through_files))];
        let session = Session::open(instance, "_system", Identity::Superuser).unwrap();
        let mut store = TestStore { session, others, documents: Vec::new() };
        for (name, documents) in data {
            let kind = if *name == "e" { 3 } else { 2 };
            store.session.create_collection(pack(&json!({"name": name, "type": kind})).as_slice()).unwrap();
            let insert =
                json!({"query": "FOR d IN @d INSERT d INTO @@c", "bindVars": {"d": documents, "@c": name}});
            rows(&store.session, &insert).unwrap();
            store.documents.push(((*name).to_owned(), stored(&store.session, name)));
        }
        store
    }

    fn index(&self, name: &str, definition: &Value) {
        self.session.create_index(name, pack(definition).as_slice()).unwrap();
    }

    fn expected(&self, query: &Query) -> Vec<Value> {
        let parsed = aql_syntax::parse(&query.text, &aql_syntax::Limits::default());
        let parsed = parsed.unwrap_or_else(|error| panic!("{}: {error}", query.text));
        let results = naive::run(&parsed, &self.documents);
        let results: Vec<Value> = results.iter().map(to_json).collect();
        canonical(&results, query)
    }

    fn check(&self, query: &Query, expected: &[Value]) -> Result<(), String> {
        let parsed = aql_syntax::parse(&query.text, &aql_syntax::Limits::default()).unwrap();
        let printed = aql_syntax::print(&parsed);
        let no_rules = json!({"optimizer": {"rules": ["-all"]}});
        let mut runs = vec![
            ("by default", &self.session, query.text.as_str(), json!({})),
            ("without rules", &self.session, &query.text, no_rules.clone()),
            ("printed and parsed again", &self.session, &printed, json!({"stream": true})),
        ];
        for (name, session) in &self.others {
            runs.push((name, session, &query.text, json!({})));
            runs.push((name, session, &query.text, no_rules.clone()));
        }
        for (name, session, text, options) in runs {
            let request = json!({"query": text, "options": options, "batchSize": 1000});
            let found = rows(session, &request).map_err(|error| format!("{name} {options}: {error}"))?;
            let found = canonical(&found, query);
            if found != expected {
                return Err(format!("{name} {options}: {}", Value::Array(found)));
            }
        }
        Ok(())
    }

    /// Runs a query that writes on a new store in each mode, and compares the documents after it.
    fn check_modification(
        &self,
        query: &Query,
        data: &data::Data,
        indexes: &[(&'static str, Value)],
    ) -> Result<(), String> {
        let parsed = aql_syntax::parse(&query.text, &aql_syntax::Limits::default());
        let parsed = parsed.unwrap_or_else(|error| panic!("{}: {error}", query.text));
        let (results, after) = naive_modification::run(&parsed, &self.documents);
        let results: Vec<Value> = results.iter().map(to_json).collect();
        let expected = (canonical(&results, query), states(&after));
        for variant in 0..4 {
            let store = TestStore::new(data);
            indexes.iter().for_each(|(name, definition)| store.index(name, definition));
            let no_rules = json!({"optimizer": {"rules": ["-all"]}});
            let (session, options) = match variant {
                0 => (&store.session, json!({})),
                1 => (&store.session, no_rules),
                2 => (&store.others[0].1, json!({})),
                _ => (&store.others[1].1, no_rules),
            };
            let request = json!({"query": query.text, "options": options});
            let found = rows(session, &request).map_err(|error| format!("variant {variant}: {error}"))?;
            let after: Documents = store
                .documents
                .iter()
                .map(|(name, _)| (name.clone(), stored(&store.session, name)))
                .collect();
            let found = (canonical(&found, query), states(&after));
            if found != expected {
                return Err(format!("variant {variant}: {found:?}\nexpected {expected:?}"));
            }
        }
        Ok(())
    }

    fn dump(&self) -> String {
        let text = |(name, documents): &(String, Vec<aql_value::Value>)| {
            let documents: Vec<String> = documents.iter().map(aql_value::Value::to_json).collect();
            format!("collection {name} [{}]", documents.join(",\n  "))
        };
        self.documents.iter().map(text).collect::<Vec<_>>().join("\n")
    }
}

/// Returns rows in a canonical form.
///
/// Arrays within results are compared without regard to order, since some are bags. So are the
/// results, unless the query sorts them. 1 and 1.0 are the same, and attributes have no order. A
/// group may be represented by any of several equal values: `[]` and `[null]` are equal.
fn canonical(rows: &[Value], query: &Query) -> Vec<Value> {
    let has_groups = ["DISTINCT", "COLLECT", "UNIQUE"].iter().any(|word| query.text.contains(word));
    let of_row = |row| if has_groups { without_nulls(&canonical_value(row)) } else { canonical_value(row) };
    let mut rows: Vec<Value> = rows.iter().map(of_row).collect();
    if !query.is_ordered {
        rows.sort_by_key(Value::to_string);
    }
    rows
}

/// Returns all documents in a canonical form and order.
fn states(documents: &Documents) -> Vec<Value> {
    let of_collection = |(_, documents): &(String, Vec<aql_value::Value>)| {
        let mut states: Vec<Value> =
            documents.iter().map(|document| canonical_value(&to_json(document))).collect();
        states.sort_by_key(Value::to_string);
        Value::Array(states)
    };
    documents.iter().map(of_collection).collect()
}

pub(crate) fn to_json(value: &aql_value::Value) -> Value {
    serde_json::from_str(&value.to_json()).unwrap()
}

pub(crate) fn from_json(json: &Value) -> aql_value::Value {
    aql_value::Value::from_slice(pack(json).as_slice())
}

fn canonical_value(value: &Value) -> Value {
    match value {
        // 0 and -0 are the same as well.
        Value::Number(number) => json!(number.as_f64().map(|number| number + 0.0)),
        Value::Array(members) => {
            let mut members: Vec<Value> = members.iter().map(canonical_value).collect();
            members.sort_by_key(Value::to_string);
            Value::Array(members)
        }
        // Revisions differ between stores.
        Value::Object(object) => object
            .iter()
            .filter(|(name, _)| *name != "_rev")
            .map(|(name, value)| (name.clone(), canonical_value(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Returns the value without null members and attributes, which do not distinguish values.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(members) => {
            members.iter().filter(|member| !member.is_null()).map(without_nulls).collect()
        }
        Value::Object(object) => object
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_nulls(value)))
            .collect(),
        other => other.clone(),
    }
}

fn rows(session: &Session, request: &Value) -> Result<Vec<Value>, errors::Error> {
    let request = QueryRequest::from_body(pack(request).as_slice())?;
    let reply = session.query(&request, Format::Json)?;
    let mut body: Value = serde_json::from_slice(&reply.body).unwrap();
    let mut found: Vec<Value> = body["result"].as_array_mut().unwrap().drain(..).collect();
    let mut cursor = reply.cursor;
    while body["hasMore"] == true {
        let reply = session.fetch(cursor.unwrap(), None, Format::Json)?;
        body = serde_json::from_slice(&reply.body).unwrap();
        found.append(body["result"].as_array_mut().unwrap());
        cursor = reply.cursor.or(cursor);
    }
    Ok(found)
}

/// Returns the documents of a collection with their attributes in stored order.
fn stored(session: &Session, collection: &str) -> Vec<aql_value::Value> {
    let text = format!("FOR d IN {collection} SORT d.n RETURN d");
    let reply = session.query(&QueryRequest::new(text), Format::VelocyPack).unwrap();
    aql_value::Value::from_slice(Slice::new(&reply.body)).get("result").elements().collect()
}

fn pack(json: &Value) -> Builder {
    let mut builder = Builder::new();
    velocypack::json::parse(json.to_string().as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder
}
