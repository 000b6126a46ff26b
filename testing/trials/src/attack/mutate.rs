//! Random changes of valid requests.

use fastrand::Rng;
use serde_json::{Map, Value, json};
use velocypack::{Builder, Limits, json as velocypack_json};

/// Length of the long texts.
const LONG_BYTES: usize = 100_000;

/// Depth of the deep lists.
const DEPTH: usize = 20_000;

/// Returns a value with some of its parts changed.
pub(crate) fn changed(value: &Value, rng: &mut Rng) -> Value {
    let mut value = value.clone();
    for _ in 0..rng.usize(0..3) {
        change(&mut value, rng);
    }
    value
}

fn change(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(members) if !members.is_empty() && rng.u8(..4) > 0 => change_member(members, rng),
        Value::Array(members) if !members.is_empty() && rng.u8(..4) > 0 => {
            let place = rng.usize(..members.len());
            change(&mut members[place], rng);
        }
        other => *other = any_value(rng),
    }
}

fn change_member(members: &mut Map<String, Value>, rng: &mut Rng) {
    let place = rng.usize(..members.len());
    let Some(name) = members.keys().nth(place).cloned() else { return };
    match rng.u8(..6) {
        0 => drop(members.remove(&name)),
        1 => drop(members.insert(any_text(rng), any_value(rng))),
        _ => {
            if let Some(member) = members.get_mut(&name) {
                change(member, rng);
            }
        }
    }
}

/// Returns a value that is seldom right.
fn any_value(rng: &mut Rng) -> Value {
    match rng.u8(..14) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(-1),
        3 => json!(0),
        4 => json!(1e308),
        5 => json!(u64::MAX),
        6 => json!(i64::MIN),
        7 => json!(0.5),
        8 => json!([]),
        9 => json!({}),
        10 => json!((0..rng.usize(..2_000)).collect::<Vec<_>>()),
        11 => json!({any_text(rng): any_text(rng)}),
        _ => json!(any_text(rng)),
    }
}

fn any_text(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0 => String::new(),
        1 => "a".repeat(LONG_BYTES),
        2 => "\u{0}".to_owned(),
        3 => "../../etc".to_owned(),
        4 => "ß\u{1F600}\u{202E}".to_owned(),
        5 => "99999999999999999999".to_owned(),
        6 => "m/k".to_owned(),
        7 => "_key".to_owned(),
        8 => "%s%n${x}".to_owned(),
        _ => rng.u64(..).to_string(),
    }
}

/// Returns a value as JSON, which may be broken.
pub(crate) fn json_bytes(value: &Value, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    match rng.u8(..12) {
        0 => bytes.truncate(rng.usize(..=bytes.len())),
        1 => scramble(&mut bytes, rng),
        2 => bytes.extend_from_within(..),
        3 => bytes = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH)).into_bytes(),
        4 => bytes = "{\"a\":".repeat(DEPTH).into_bytes(),
        5 => bytes = b"\xff\xfe\xc0\x80\"".to_vec(),
        6 => bytes = b"{\"query\":\"\xc3\x28\",\"_key\":1e999,\"_key\":-0.0}".to_vec(),
        7 => bytes.clear(),
        _ => {}
    }
    bytes
}

/// Returns a value as VelocyPack, which is mostly broken.
pub(crate) fn velocypack_bytes(value: &Value, rng: &mut Rng) -> Vec<u8> {
    let mut builder = Builder::new();
    // Errors: the value is too deep; then there are no bytes.
    let _ = velocypack_json::parse(value.to_string().as_bytes(), &Limits::default(), &mut builder);
    let mut bytes = builder.into_vec();
    match rng.u8(..4) {
        0 => {}
        1 => bytes.truncate(rng.usize(..=bytes.len())),
        2 => bytes.insert(0, rng.u8(..)),
        _ => scramble(&mut bytes, rng),
    }
    bytes
}

/// Changes some bytes.
fn scramble(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..rng.usize(1..5) {
        if !bytes.is_empty() {
            let place = rng.usize(..bytes.len());
            bytes[place] = rng.u8(..);
        }
    }
}
