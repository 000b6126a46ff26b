//! Statements that write: their results, and the documents after them.

use aql_syntax::ast::{
    DataSource, DataSourceName, Expression, Query, StatementKind, UpsertSearch, WriteMode,
};
use aql_value::Value;
use serde_json::{Value as Json, json};

use super::compare::{from_json, to_json};
use super::naive::{Documents, Row, rows_after};
use super::naive_expression::evaluate;

/// Returns the results of a query with one writing statement before its RETURN, and the documents
/// after it.
pub(crate) fn run(query: &Query, documents: &Documents) -> (Vec<Value>, Documents) {
    let is_writing = |kind: &StatementKind| {
        use StatementKind as S;
        matches!(kind, S::Insert(_) | S::Update(_) | S::Remove(_) | S::Upsert(_))
    };
    let statements = &query.body.statements;
    let at = statements.iter().position(|statement| is_writing(&statement.kind)).unwrap();
    let rows = rows_after(&statements[..at], documents);
    let mut after = documents.clone();
    let rows: Vec<Row> =
        rows.iter().map(|row| write(&statements[at].kind, row, documents, &mut after)).collect();
    let StatementKind::Return(last) = &statements[at + 1].kind else { panic!("a query without RETURN") };
    (rows.iter().map(|row| evaluate(&last.value, row, documents)).collect(), after)
}

/// Runs the statement for one row, and returns the row with OLD and NEW.
fn write(statement: &StatementKind, row: &Row, before: &Documents, after: &mut Documents) -> Row {
    let value = |expression: &Expression| to_json(&evaluate(expression, row, before));
    let with = |old: Json, new: Json| row.with("OLD", from_json(&old)).with("NEW", from_json(&new));
    match statement {
        StatementKind::Insert(statement) => {
            let collection = collection(&statement.collection, after);
            let new = inserted(value(&statement.document), collection);
            with(Json::Null, new)
        }
        StatementKind::Update(statement) => {
            let key = value(&statement.key);
            let patch = statement.document.as_ref().map_or_else(|| key.clone(), value);
            let keeps_null =
                statement.options.as_ref().is_none_or(|options| value(options)["keepNull"] != false);
            let key = if key.is_object() { key["_key"].clone() } else { key };
            let collection = collection(&statement.collection, after);
            let (old, new) = changed(collection, &key, |old| match statement.mode {
                WriteMode::Update => merged(old, &patch, keeps_null),
                WriteMode::Replace => with_key(&patch, old),
            });
            with(old, new)
        }
        StatementKind::Remove(statement) => {
            let key = value(&statement.key);
            let key = if key.is_object() { key["_key"].clone() } else { key };
            let (_, documents) = collection(&statement.collection, after);
            let at = documents.iter().position(|document| to_json(document)["_key"] == key).unwrap();
            with(to_json(&documents.remove(at)), Json::Null)
        }
        StatementKind::Upsert(statement) => {
            let UpsertSearch::Example(example) = &statement.search else {
                panic!("the evaluator supports only UPSERT by an example")
            };
            let example = evaluate(example, row, before);
            let collection = collection(&statement.collection, after);
            let found = collection.1.iter().find(|document| document.get("n") == example.get("n"));
            let key = found.map(|document| to_json(document)["_key"].clone());
            match key {
                Some(key) => {
                    let patch = value(&statement.update);
                    let (old, new) = changed(collection, &key, |old| merged(old, &patch, true));
                    with(old, new)
                }
                None => with(Json::Null, inserted(value(&statement.insert), collection)),
            }
        }
        other => panic!("the evaluator does not support {other:?}"),
    }
}

fn collection<'a>(source: &DataSource, documents: &'a mut Documents) -> &'a mut (String, Vec<Value>) {
    let DataSourceName::Name(name) = &source.name else { panic!("a parameter") };
    documents.iter_mut().find(|(own, _)| own == name).unwrap()
}

fn inserted(mut new: Json, (name, documents): &mut (String, Vec<Value>)) -> Json {
    new["_id"] = json!(format!("{name}/{}", new["_key"].as_str().unwrap()));
    documents.push(from_json(&new));
    new
}

fn changed(
    (_, documents): &mut (String, Vec<Value>),
    key: &Json,
    change: impl Fn(&Json) -> Json,
) -> (Json, Json) {
    let document = documents.iter_mut().find(|document| to_json(document)["_key"] == *key).unwrap();
    let old = to_json(document);
    let new = change(&old);
    *document = from_json(&new);
    (old, new)
}

fn with_key(patch: &Json, old: &Json) -> Json {
    let mut new = patch.clone();
    for name in ["_key", "_id"] {
        new[name] = old[name].clone();
    }
    new
}

fn merged(old: &Json, patch: &Json, keeps_null: bool) -> Json {
    let mut new = old.clone();
    for (name, value) in patch.as_object().unwrap() {
        if value.is_null() && !keeps_null {
            new.as_object_mut().unwrap().remove(name);
        } else if value.is_object() && old[name].is_object() {
            new[name] = merged(&old[name], value, keeps_null);
        } else if value.is_object() && !keeps_null {
            new[name] = merged(&json!({}), value, false);
        } else {
            new[name] = value.clone();
        }
    }
    new
}
