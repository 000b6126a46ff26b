//! Random operations compared with a simple model: documents, counts and every kind of index agree
//! with it after each step.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::CollectionType;
use errors::ErrorCode;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use storage::{
    Collection, EdgeDirection, Index, IndexBounds, OverwriteMode, Snapshot, Store, Transaction, WriteOptions,
};
use velocypack::Slice;

use super::*;

/// The indexes, each with the fields, uniqueness and sparsity in the model.
const INDEXES: [(&str, &[&str], bool, bool); 6] = [
    (r#"{"type": "persistent", "fields": ["a"], "storedValues": ["b"]}"#, &["a"], false, false),
    (r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#, &["u"], true, true),
    (r#"{"type": "persistent", "fields": ["a", "b"], "sparse": true}"#, &["a", "b"], false, true),
    (r#"{"type": "persistent", "fields": ["t[*]", "a"]}"#, &["t[*]", "a"], false, false),
    (r#"{"type": "persistent", "fields": ["v[*]"], "unique": true}"#, &["v[*]"], true, false),
    (r#"{"type": "persistent", "fields": ["_from", "_to"]}"#, &["_from", "_to"], false, false),
];

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Insert {
        key: u8,
        body: Value,
        mode: OverwriteMode,
    },
    Update {
        key: u8,
        body: Value,
    },
    Replace {
        key: u8,
        body: Value,
    },
    Remove {
        key: u8,
    },
    InsertMany {
        bodies: Vec<(u8, Value)>,
    },
    Truncate,
    SetSavepoint,
    /// Returns to the last savepoint of the transaction, if there is one.
    ReturnToSavepoint,
    /// Ends the transaction, with a commit or a rollback.
    End {
        commit: bool,
    },
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..3).prop_map(Value::from),
        Just(json!(0.5)),
        "[abB]{0,2}".prop_map(Value::from),
    ]
}

fn body() -> impl Strategy<Value = Value> {
    let attribute = |name: &'static str, value: BoxedStrategy<Value>| {
        proptest::option::of(value).prop_map(move |value| value.map(|value| (name.to_owned(), value)))
    };
    let array = || prop::collection::vec(scalar(), 0..4).prop_map(Value::from);
    let unique = (0i64..6).prop_map(Value::from);
    let unique_array = prop::collection::vec(0i64..30, 0..3).prop_map(Value::from);
    (
        attribute("a", prop_oneof![scalar(), array()].boxed()),
        attribute("b", scalar().boxed()),
        attribute("t", prop_oneof![array(), scalar()].boxed()),
        attribute("u", prop_oneof![unique, Just(Value::Null)].boxed()),
        attribute("v", unique_array.boxed()),
        0u8..3,
        0u8..3,
    )
        .prop_map(|(a, b, t, u, v, from, to)| {
            let mut body: Map<String, Value> = [a, b, t, u, v].into_iter().flatten().collect();
            body.insert("_from".to_owned(), format!("x/{from}").into());
            body.insert("_to".to_owned(), format!("x/{to}").into());
            Value::Object(body)
        })
}

pub(crate) fn operation() -> impl Strategy<Value = Operation> {
    let key = || 0u8..8;
    let mode = prop_oneof![
        3 => Just(OverwriteMode::Conflict),
        1 => Just(OverwriteMode::Ignore),
        1 => Just(OverwriteMode::Replace),
        1 => Just(OverwriteMode::Update),
    ];
    prop_oneof![
        6 => (key(), body(), mode).prop_map(|(key, body, mode)| Operation::Insert { key, body, mode }),
        4 => (key(), body()).prop_map(|(key, body)| Operation::Update { key, body }),
        2 => (key(), body()).prop_map(|(key, body)| Operation::Replace { key, body }),
        4 => key().prop_map(|key| Operation::Remove { key }),
        2 => prop::collection::vec((key(), body()), 0..5).prop_map(|bodies| Operation::InsertMany { bodies }),
        1 => Just(Operation::Truncate),
        2 => Just(Operation::SetSavepoint),
        2 => Just(Operation::ReturnToSavepoint),
        4 => proptest::bool::weighted(0.8).prop_map(|commit| Operation::End { commit }),
    ]
}

/// Documents by key, without system attributes other than `_from` and `_to`.
type Model = BTreeMap<String, Value>;

/// The result of an operation: how many documents it wrote, or an error code.
type Answer = std::result::Result<usize, ErrorCode>;

fn with_key(key: u8, body: &Value) -> Value {
    let mut body = body.clone();
    body["_key"] = key.to_string().into();
    body
}

fn apply(transaction: &mut Transaction, collection: &Collection, operation: &Operation) -> Vec<Answer> {
    let options = WriteOptions::default();
    let bytes = |body: &Value| value(&body.to_string());
    let answer = |result: errors::Result<_>| result.map(|_| 1).map_err(|error: errors::Error| error.code());
    match operation {
        Operation::Insert { key, body, mode } => {
            let options = WriteOptions { overwrite_mode: *mode, ..options };
            vec![answer(transaction.insert(collection, Slice::new(&bytes(&with_key(*key, body))), &options))]
        }
        Operation::Update { key, body } => {
            vec![answer(transaction.update(collection, &key.to_string(), Slice::new(&bytes(body)), &options))]
        }
        Operation::Replace { key, body } => {
            vec![answer(transaction.replace(
                collection,
                &key.to_string(),
                Slice::new(&bytes(body)),
                &options,
            ))]
        }
        Operation::Remove { key } => {
            vec![answer(transaction.remove(collection, &key.to_string(), Slice::NONE, &options))]
        }
        Operation::InsertMany { bodies } => {
            let bodies: Vec<Vec<u8>> =
                bodies.iter().map(|(key, body)| bytes(&with_key(*key, body))).collect();
            let slices: Vec<Slice<'_>> = bodies.iter().map(|body| Slice::new(body)).collect();
            transaction.insert_many(collection, &slices, &options).unwrap().into_iter().map(answer).collect()
        }
        Operation::Truncate => vec![Ok(transaction.truncate(collection).unwrap() as usize)],
        Operation::SetSavepoint | Operation::ReturnToSavepoint | Operation::End { .. } => Vec::new(),
    }
}

fn apply_to_model(model: &mut Model, operation: &Operation) -> Vec<Answer> {
    match operation {
        Operation::Insert { key, body, mode } => {
            let stored = model.get(&key.to_string()).cloned();
            let new = match (stored, mode) {
                (None, _) | (Some(_), OverwriteMode::Replace) => body.clone(),
                (Some(_), OverwriteMode::Conflict) => return vec![Err(ErrorCode::UniqueConstraintViolated)],
                (Some(_), OverwriteMode::Ignore) => return vec![Ok(1)],
                (Some(old), OverwriteMode::Update) => merged(&old, body),
            };
            vec![store(model, *key, new)]
        }
        Operation::Update { key, body } => match model.get(&key.to_string()).cloned() {
            Some(old) => vec![store(model, *key, merged(&old, body))],
            None => vec![Err(ErrorCode::DocumentNotFound)],
        },
        Operation::Replace { key, body } if model.contains_key(&key.to_string()) => {
            vec![store(model, *key, body.clone())]
        }
        Operation::Replace { .. } => vec![Err(ErrorCode::DocumentNotFound)],
        Operation::Remove { key } => {
            vec![model.remove(&key.to_string()).map(|_| 1).ok_or(ErrorCode::DocumentNotFound)]
        }
        Operation::InsertMany { bodies } => bodies
            .iter()
            .flat_map(|(key, body)| {
                let mode = OverwriteMode::Conflict;
                apply_to_model(model, &Operation::Insert { key: *key, body: body.clone(), mode })
            })
            .collect(),
        Operation::Truncate => {
            let count = model.len();
            model.clear();
            vec![Ok(count)]
        }
        Operation::SetSavepoint | Operation::ReturnToSavepoint | Operation::End { .. } => Vec::new(),
    }
}

fn merged(old: &Value, patch: &Value) -> Value {
    let mut merged = old.as_object().unwrap().clone();
    merged.extend(patch.as_object().unwrap().clone());
    Value::Object(merged)
}

/// Stores a document unless it violates a unique index.
fn store(model: &mut Model, key: u8, document: Value) -> Answer {
    let key = key.to_string();
    for (_, fields, unique, sparse) in INDEXES.iter().filter(|(_, _, unique, _)| *unique) {
        let own = expected_rows(&document, fields, *sparse);
        let others = model.iter().filter(|(other, _)| **other != key);
        let taken = others.flat_map(|(_, other)| expected_rows(other, fields, *sparse));
        assert!(unique);
        if taken.into_iter().any(|row| own.contains(&row)) {
            return Err(ErrorCode::UniqueConstraintViolated);
        }
    }
    model.insert(key, document);
    Ok(1)
}

/// Returns the rows of values that an index stores for a document.
fn expected_rows(document: &Value, fields: &[&str], sparse: bool) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for field in fields {
        let values = match field.strip_suffix("[*]") {
            Some(name) => {
                let mut elements = document[name].as_array().cloned().unwrap_or_default();
                let mut different: Vec<Value> = Vec::new();
                elements.retain(|element| {
                    let is_new = !different.contains(element);
                    different.push(element.clone());
                    is_new
                });
                elements
            }
            None if sparse && document[field].is_null() => Vec::new(),
            None => vec![document[field].clone()],
        };
        rows = rows
            .iter()
            .flat_map(|row| values.iter().map(|value| row.iter().chain([value]).cloned().collect()))
            .collect();
    }
    rows
}

fn check(snapshot: &Snapshot, collection: &Collection, indexes: &[Arc<Index>], model: &Model) {
    let mut documents = Model::new();
    for mut document in all(snapshot, collection) {
        let key = document["_key"].as_str().unwrap().to_owned();
        assert_eq!(document["_id"], format!("c/{key}"));
        for name in ["_key", "_id", "_rev"] {
            document.as_object_mut().unwrap().remove(name).unwrap();
        }
        documents.insert(key, document);
    }
    assert_eq!(&documents, model);
    assert_eq!(snapshot.count(collection).unwrap(), model.len() as u64);
    for (index, (definition, fields, _, sparse)) in indexes.iter().zip(INDEXES) {
        check_index(snapshot, collection, index, model, fields, sparse, definition);
    }
    check_edges(snapshot, collection, model);
}

fn check_index(
    snapshot: &Snapshot,
    collection: &Collection,
    index: &Index,
    model: &Model,
    fields: &[&str],
    sparse: bool,
    definition: &str,
) {
    let found = entries(snapshot, collection, index, &IndexBounds::all(), false);
    let in_order = found.windows(2).all(|pair| {
        let row =
            |entry: &(String, Value)| value(&json!(entry.1.as_array().unwrap()[..fields.len()]).to_string());
        let (left, right) = (row(&pair[0]), row(&pair[1]));
        velocypack::order::compare(Slice::new(&left), Slice::new(&right)).is_le()
    });
    assert!(in_order, "{definition}: {found:?}");
    let mut found: Vec<String> = found
        .iter()
        .map(|(key, covered)| format!("{key} {}", json!(covered.as_array().unwrap()[..fields.len()])))
        .collect();
    let mut expected: Vec<String> = model
        .iter()
        .flat_map(|(key, document)| {
            expected_rows(document, fields, sparse)
                .into_iter()
                .map(move |row| format!("{key} {}", json!(row)))
        })
        .collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{definition}");
}

fn check_edges(snapshot: &Snapshot, collection: &Collection, model: &Model) {
    for vertex in ["x/0", "x/1", "x/2"] {
        for (direction, own, other) in
            [(EdgeDirection::Outbound, "_from", "_to"), (EdgeDirection::Inbound, "_to", "_from")]
        {
            let at_vertex = model.iter().filter(|(_, edge)| edge[own] == vertex);
            let expected: Vec<(String, String)> = at_vertex
                .map(|(key, edge)| (key.clone(), edge[other].as_str().unwrap().to_owned()))
                .collect();
            assert_eq!(edges(snapshot, collection, direction, vertex), expected);
        }
    }
}

/// Runs operations in transactions. `reopen` opens the same data again, after the first store was
/// dropped.
pub(crate) fn run(store: Arc<Store>, operations: &[Operation], reopen: impl FnOnce() -> Arc<Store>) {
    let c = create(&store, "c", CollectionType::Edge);
    for (definition, ..) in INDEXES {
        create_index(&store, &c, definition).unwrap();
    }
    let c = present(&store, "c");
    let indexes = c.indexes()[2..].to_vec();
    let mut committed = Model::new();
    let mut model = Model::new();
    let mut transaction = begin(&store);
    let mut savepoint = None;
    for operation in operations {
        let before = transaction.view();
        let model_before = model.clone();
        let answers = apply(&mut transaction, &c, operation);
        assert_eq!(answers, apply_to_model(&mut model, operation), "{operation:?}");
        match operation {
            Operation::SetSavepoint => savepoint = Some((transaction.savepoint(), model.clone())),
            Operation::ReturnToSavepoint => {
                if let Some((savepoint, state)) = &savepoint {
                    transaction.rollback_to(savepoint);
                    model.clone_from(state);
                }
            }
            _ => {}
        }
        check(&transaction.view(), &c, &indexes, &model);
        check(&before, &c, &indexes, &model_before);
        if let Operation::End { commit } = operation {
            if *commit {
                transaction.commit(storage::Durability::Buffered).unwrap();
                committed.clone_from(&model);
            } else {
                transaction.rollback();
                model.clone_from(&committed);
            }
            check(&store.snapshot().unwrap(), &c, &indexes, &committed);
            savepoint = None;
            transaction = begin(&store);
        }
    }
    drop(transaction);
    assert_eq!(c.count_now(), committed.len() as u64);
    drop((c, store));
    let reopened = reopen();
    let c = present(&reopened, "c");
    check(&reopened.snapshot().unwrap(), &c, &c.indexes()[2..], &committed);
    assert_eq!(c.count_now(), committed.len() as u64);
}
