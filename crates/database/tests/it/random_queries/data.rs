//! Random documents, and random indexes over them.

use serde_json::{Value, json};

use super::choices::Choices;

/// Documents by collection, in the order in which they are stored; edges last.
pub(crate) type Data = Vec<(&'static str, Vec<Value>)>;

/// The document collections. The edge collection is `e`.
pub(crate) const COLLECTIONS: &[&str] = &["c", "d"];

const TEXTS: &[&str] = &["", "a", "b", "B", "ab", "ä", "k1", "1"];

fn scalar(choices: &mut Choices<'_>) -> Value {
    match choices.below(10) {
        0 => Value::Null,
        1 => json!(choices.below(2) == 1),
        2 => json!(choices.pick(TEXTS)),
        3 => json!(choices.below(5) as f64 + 0.5),
        4 => json!(-3),
        _ => json!(choices.below(5)),
    }
}

fn list(choices: &mut Choices<'_>) -> Value {
    (0..choices.below(4)).map(|_| scalar(choices)).collect()
}

/// Returns a random document.
///
/// `n` is a unique integer, `s` a text, `l` an array and `f` a number. `a` and `b` are any value or
/// missing. `o` is an object or another value.
fn document(number: usize, choices: &mut Choices<'_>) -> Value {
    let mut document = json!({
        "_key": format!("k{number}"), "n": number, "s": choices.pick(TEXTS), "l": list(choices),
        "f": choices.below(6) as f64 / 2.0,
    });
    for name in ["a", "b"] {
        match choices.below(8) {
            0 => {}
            1 => document[name] = list(choices),
            _ => document[name] = scalar(choices),
        }
    }
    match choices.below(4) {
        0 => document["o"] = scalar(choices),
        1 => document["o"] = json!({"x": scalar(choices)}),
        _ => document["o"] = json!({"x": choices.below(3), "y": {"z": list(choices)}}),
    }
    document
}

pub(crate) fn documents(choices: &mut Choices<'_>) -> Data {
    let mut data: Data = Vec::new();
    for &name in COLLECTIONS {
        let count = choices.below(if name == "c" { 14 } else { 6 });
        data.push((name, (0..count).map(|number| document(number, choices)).collect()));
    }
    let edge = |number: usize, choices: &mut Choices<'_>| {
        json!({
            "_key": format!("e{number}"), "n": number, "w": choices.below(4),
            "_from": format!("c/k{}", choices.below(8)), "_to": format!("{}/k{}", choices.pick(COLLECTIONS), choices.below(6)),
        })
    };
    let count = choices.below(12);
    data.push(("e", (0..count).map(|number| edge(number, choices)).collect()));
    data
}

const INDEXES: &[(&str, &str)] = &[
    ("c", r#"{"type": "persistent", "fields": ["a"]}"#),
    ("c", r#"{"type": "persistent", "fields": ["a", "b"]}"#),
    ("c", r#"{"type": "persistent", "fields": ["b", "n"], "sparse": true}"#),
    ("c", r#"{"type": "persistent", "fields": ["n"], "unique": true}"#),
    ("c", r#"{"type": "persistent", "fields": ["s", "f"], "storedValues": ["n", "a"]}"#),
    ("c", r#"{"type": "persistent", "fields": ["l[*]"]}"#),
    ("c", r#"{"type": "persistent", "fields": ["o.x", "a"]}"#),
    ("c", r#"{"type": "persistent", "fields": ["o.y.z[*]", "n"], "sparse": true}"#),
    ("c", r#"{"type": "persistent", "fields": ["f"], "storedValues": ["o.x"]}"#),
    ("d", r#"{"type": "persistent", "fields": ["n", "a"], "unique": true}"#),
    ("d", r#"{"type": "persistent", "fields": ["a"], "sparse": true, "storedValues": ["s"]}"#),
    ("e", r#"{"type": "persistent", "fields": ["_from", "w"]}"#),
    ("e", r#"{"type": "persistent", "fields": ["w"]}"#),
];

/// Returns collections and definitions of indexes.
pub(crate) fn indexes(choices: &mut Choices<'_>) -> Vec<(&'static str, Value)> {
    let chosen = INDEXES.iter().filter(|_| choices.below(3) > 0);
    chosen.map(|(name, definition)| (*name, serde_json::from_str(definition).unwrap())).collect()
}
