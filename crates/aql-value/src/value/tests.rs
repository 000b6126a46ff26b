//! Guarantees of values, beyond those that the tests of programs cover.

use std::sync::Arc;

use proptest::prelude::*;
use velocypack::{Block, Builder, Slice};

use super::{BlockBuilder, Kind, ShortString, Value};

const LONG: &str = "a text that does not fit into a value";

/// Returns a block with one stored document of collection `c`, its `_id` as a marker.
fn stored_document() -> Value {
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    builder.key("_key").unwrap();
    builder.add_str("k1").unwrap();
    builder.key("_id").unwrap();
    builder.add_id_marker().unwrap();
    builder.key("name").unwrap();
    builder.add_str(LONG).unwrap();
    builder.close().unwrap();
    // Not at the start, as in blocks of several documents.
    let mut bytes = Slice::NULL.bytes().to_vec();
    bytes.extend_from_slice(builder.as_bytes());
    Value::in_block(&Arc::new(Block { bytes, collection: Some("c".into()) }), 1)
}

#[test]
fn the_identifier_of_a_stored_document_is_resolved_wherever_it_is_read() {
    let document = stored_document();
    let expected = format!(r#"{{"_key":"k1","_id":"c/k1","name":"{LONG}"}}"#);
    assert_eq!(document.get("_id"), Value::from_str("c/k1"));
    assert_eq!(document.get_path(&["_id".into()]), Value::from_str("c/k1"));
    assert_eq!(document.to_json(), expected);
    assert_eq!(document.detached().to_json(), expected);
    assert_eq!(Value::array(std::slice::from_ref(&document)).at(0).to_json(), expected);
    assert_eq!(document.entries().nth(1).map(|(_, id)| id), Some(Value::from_str("c/k1")));
    let copy = Value::from_slice_of(Slice::new(&stored_bytes(&document)), Some(&"c".into()));
    assert_eq!(copy, document);
    assert_eq!(copy.hash_value(), document.hash_value());
}

fn stored_bytes(document: &Value) -> Vec<u8> {
    document.with_slice(|slice, _| slice.bytes().to_vec())
}

#[test]
fn what_is_found_in_a_block_stays_there() {
    let document = stored_document();
    let name = document.get("name");
    let (block, _) = name.as_packed().unwrap();
    assert!(Arc::ptr_eq(block, document.as_packed().unwrap().0));
    assert_eq!(name.as_str(), Some(LONG));
}

#[test]
fn detaching_lets_go_of_the_block() {
    let big = Value::array(&[Value::from_str(LONG), Value::from_str(&"x".repeat(10_000))]);
    let element = big.at(0);
    let detached = element.detached();
    assert_eq!(detached, element);
    assert!(detached.as_packed().unwrap().0.bytes.len() < 100);
    // The element is most of the block: not worth a copy.
    assert!(Arc::ptr_eq(big.at(1).detached().as_packed().unwrap().0, big.as_packed().unwrap().0));
}

#[test]
fn arrays_and_objects_are_looked_into() {
    let array = Value::array(&[Value::Int(1), Value::from_str(LONG), Value::empty_array()]);
    assert_eq!((array.len(), array.kind()), (3, Kind::Array));
    assert_eq!(array.at(-1), Value::empty_array());
    assert_eq!(array.at(1).as_str(), Some(LONG));
    for outside in [3, -4, i64::MAX, i64::MIN] {
        assert!(array.at(outside).is_null());
    }
    assert_eq!(array.elements().count(), 3);
    let object = Value::object(&[("b", Value::Int(1)), ("a", array), ("b", Value::Int(2))]);
    assert_eq!(object.entries().map(|(name, _)| name.to_owned()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(object.get("b"), Value::Int(2));
    assert_eq!(object.get_path(&["a".into(), "x".into()]), Value::Null);
    assert_eq!(object.get_path(&[]), object);
    assert_eq!(Value::Int(1).get("a"), Value::Null);
    assert_eq!(Value::from_str(LONG).at(0), Value::Null);
}

#[test]
fn a_cursor_walks_over_arrays_of_any_encoding() {
    for array in [
        Value::empty_array(),
        Value::array(&[Value::Int(1)]),
        Value::array(&[Value::Int(1), Value::from_str(LONG), Value::Null, Value::array(&[Value::Int(2)])]),
        Value::array(&(0..300).map(Value::Int).collect::<Vec<_>>()),
        // The compact form, without a table: [1, 2].
        Value::from_slice(Slice::new(&[0x13, 0x05, 0x31, 0x32, 0x02])),
    ] {
        let cursor = super::ElementCursor::new(array.clone());
        assert_eq!(cursor.remaining(), array.len());
        assert_eq!(cursor.collect::<Vec<_>>(), array.elements().collect::<Vec<_>>());
    }
    assert_eq!(super::ElementCursor::new(Value::Int(1)).count(), 0);
}

#[test]
fn deeply_nested_values_do_not_exhaust_the_stack() {
    let nest = |seed: Value| (0..20_000).fold(seed, |value, _| Value::array(&[value]));
    let (deep, other) = (nest(Value::Int(1)), nest(Value::Int(2)));
    assert_eq!(deep.to_json().len(), 40_001);
    assert_eq!(deep.hash_value(), nest(Value::Int(1)).hash_value());
    let _ = (deep.compare(&other), deep == other, deep.to_number());
    let mut key = Vec::new();
    deep.sort_key(&mut key);
}

#[test]
fn numbers_keep_their_exact_value() {
    assert!(matches!(Value::from_u64(5), Value::Int(5)));
    assert!(matches!(Value::from_u64(u64::MAX), Value::UInt(u64::MAX)));
    assert!(Value::from_f64(f64::NAN).is_null() && Value::from_f64(f64::INFINITY).is_null());
    assert_eq!(Value::Double(2.0).as_i64(), Some(2));
    assert_eq!(Value::Double(2.5).as_i64(), None);
    assert_eq!(Value::Double(9_223_372_036_854_775_808.0).as_i64(), None);
    assert_eq!(Value::Int(1), Value::Double(1.0));
    assert!(Value::Int(i64::MAX) < Value::Double(9_223_372_036_854_775_808.0));
    assert!(Value::UInt(u64::MAX) > Value::Int(i64::MAX));
}

#[test]
fn values_of_a_block_builder_share_blocks() {
    let mut builder = BlockBuilder::new(3);
    for n in 0..3 {
        builder.push(&Value::array(&[Value::Int(n)])).unwrap();
    }
    let values = builder.finish();
    assert_eq!(values.iter().map(Value::to_json).collect::<Vec<_>>(), ["[0]", "[1]", "[2]"]);
    assert!(Arc::ptr_eq(values[0].as_packed().unwrap().0, values[2].as_packed().unwrap().0));
}

#[test]
fn a_block_builder_starts_new_blocks_in_time() {
    let mut builder = BlockBuilder::new(0);
    let large = Value::from_str(&"y".repeat(100_000));
    for _ in 0..10 {
        builder.push(&large).unwrap();
    }
    assert!((1_000_000..1_100_000).contains(&builder.byte_len()));
    let values = builder.finish();
    assert!(values.iter().all(|value| *value == large));
    assert!(!Arc::ptr_eq(values[0].as_packed().unwrap().0, values[9].as_packed().unwrap().0));
}

#[test]
fn what_is_not_a_value_of_aql_is_null() {
    for bytes in [&[][..], &[0x00], &[0x17], &[0x1e], &[0x4f, b'a']] {
        let value = Value::in_block(&Arc::new(Block::new(bytes.to_vec())), 0);
        assert_eq!(value.to_json(), "null", "{bytes:?}");
    }
    assert!(Value::in_block(&Arc::new(Block::new(vec![0x18])), 7).is_null());
}

proptest! {
    #[test]
    fn texts_of_any_length_are_kept(text in ".{0,20}") {
        let value = Value::from_str(&text);
        prop_assert_eq!(value.as_str(), Some(text.as_str()));
        prop_assert_eq!(matches!(value, Value::Short(_)), text.len() <= ShortString::MAX_BYTES);
        let element = Value::array(std::slice::from_ref(&value)).at(0);
        prop_assert_eq!(&element, &value);
        prop_assert_eq!(element.hash_value(), value.hash_value());
        prop_assert_eq!(value.with_slice(|slice, _| slice.as_str().map(str::to_owned)), Some(text));
    }

    #[test]
    fn sort_keys_order_as_values_do(left in crate::program::tests::value(), right in crate::program::tests::value()) {
        let key = |value: &Value| { let mut key = Vec::new(); value.sort_key(&mut key); key };
        prop_assert_eq!(key(&left).cmp(&key(&right)), left.compare(&right));
    }
}
