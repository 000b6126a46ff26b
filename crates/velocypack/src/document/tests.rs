//! Stored documents against a model, and the text of their `_id`.

use proptest::prelude::*;

use super::{document, resolve_id};
use crate::testing::{Tree, objects, pack_foreign, packed, trees};
use crate::{Builder, Error, Limits, Slice, json, to_wire, validate};

const SYSTEM: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];

fn made(from_to: Option<(&str, &str)>, body: &[u8]) -> Vec<u8> {
    let mut out = vec![0xAA];
    document("k1", "_rev1", from_to, Slice::new(body), &mut out).unwrap();
    out.split_off(1)
}

fn model(from_to: Option<(&str, &str)>, body: &Tree) -> Tree {
    let Tree::Object(entries) = body else { unreachable!() };
    let mut all = vec![("_key".to_owned(), Tree::string("k1")), ("_id".to_owned(), Tree::string("(marker)"))];
    if let Some((from, to)) = from_to {
        all.push(("_from".to_owned(), Tree::string(from)));
        all.push(("_to".to_owned(), Tree::string(to)));
    }
    all.push(("_rev".to_owned(), Tree::string("_rev1")));
    all.extend(entries.iter().filter(|(name, _)| !SYSTEM.contains(&name.as_str())).cloned());
    Tree::Object(all)
}

#[test]
fn a_document_has_its_system_attributes_first() {
    let body = packed(r#"{"name":"x","_id":"forged/1","_key":"forged","Age":7,"_from":1}"#);
    let bytes = made(None, &body);
    let mut text = Vec::new();
    json::write(Slice::new(&bytes), Some("users"), &mut text);
    assert_eq!(
        String::from_utf8(text).unwrap(),
        r#"{"_key":"k1","_id":"users/k1","_rev":"_rev1","name":"x","Age":7}"#
    );
    let edge = made(Some(("v/1", "v/2")), &packed("{}"));
    assert_eq!(
        json::to_json_string(Slice::new(&edge), Some("e")),
        r#"{"_key":"k1","_id":"e/k1","_from":"v/1","_to":"v/2","_rev":"_rev1"}"#
    );
}

#[test]
fn only_objects_are_documents() {
    let mut out = Vec::new();
    let made = document("k", "r", None, Slice::new(&[0x31]), &mut out);
    assert_eq!(made, Err(Error::ObjectExpected { found: "int" }));
    let cut_off = [0x0B, 40, 2, 0x41];
    assert_eq!(document("k", "r", None, Slice::new(&cut_off), &mut out), Err(Error::Malformed));
    assert!(out.is_empty());
}

#[test]
fn the_id_of_a_document_is_collection_and_key() {
    let bytes = made(None, &packed(r#"{"a":1}"#));
    let mut id = String::from(">");
    resolve_id(Slice::new(&bytes), "users", &mut id);
    assert_eq!(id, ">users/k1");
}

#[test]
fn copies_resolve_the_marker() {
    let bytes = made(None, &packed(r#"{"a":1,"_b":2,"Z":[3]}"#));
    let stored = Slice::new(&bytes);
    let expected = r#"{"_key":"k1","_id":"users/k1","_rev":"_rev1","a":1,"_b":2,"Z":[3]}"#;

    let mut out = Builder::new();
    out.open_array().unwrap();
    out.add_resolved(stored, Some("users")).unwrap();
    out.add_resolved(Slice::TRUE, Some("users")).unwrap();
    out.add_resolved(stored, None).unwrap();
    out.close().unwrap();
    let copy = out.as_slice().at(0).unwrap();
    assert_eq!(copy.to_json_string(), expected);
    validate(copy.bytes(), &Limits::default()).unwrap();
    assert!(out.as_slice().at(2).and_then(|copy| copy.get("_id")).is_some_and(Slice::is_id_marker));

    let mut wire = Vec::new();
    to_wire(stored, Some("users"), &mut wire).unwrap();
    assert_eq!(validate(&wire, &Limits::default()).unwrap().to_json_string(), expected);
    wire.clear();
    to_wire(stored, None, &mut wire).unwrap();
    let nameless = validate(&wire, &Limits::default()).unwrap();
    assert!(nameless.get("_id").is_some_and(Slice::is_null));
    assert_eq!(nameless.get("Z").map(Slice::to_json_string).as_deref(), Some("[3]"));
}

#[test]
fn a_marker_outside_a_stored_document_is_not_sent() {
    let unsorted = [0x0F, 11, 2, 0x31, 0x41, b'k', 0x33, 0xF0, 0x01, 3, 6];
    assert_eq!(to_wire(Slice::new(&unsorted), Some("c"), &mut Vec::new()), Err(Error::Malformed));
    let mut out = Vec::new();
    to_wire(Slice::ID_MARKER, Some("c"), &mut out).unwrap();
    assert_eq!(out, Slice::NULL.bytes(), "without its document it has no text");
}

#[test]
fn a_long_collection_name_changes_the_form_of_the_copy() {
    let body = Tree::object([("text", Tree::String("x".repeat(190))), ("b", Tree::Int(1))]).pack();
    let bytes = made(None, &body);
    assert!(bytes.len() < 256);
    let collection = "c".repeat(200);
    let mut wire = Vec::new();
    to_wire(Slice::new(&bytes), Some(&collection), &mut wire).unwrap();
    let copy = validate(&wire, &Limits::default()).unwrap();
    assert_eq!(copy.get("_id").and_then(Slice::as_str), Some(format!("{collection}/k1").as_str()));
    assert_eq!(copy.get("b").and_then(Slice::as_i64), Some(1));
}

proptest! {
    #[test]
    fn documents_agree_with_the_model(body in objects(trees(), 30), edge in any::<bool>()) {
        let from_to = edge.then_some(("v/1", "v/2"));
        let bytes = made(from_to, &body.pack());
        let value = Slice::new(&bytes);
        let expected = model(from_to, &body);
        prop_assert_eq!(&Tree::read(value), &expected);
        prop_assert_eq!(value.byte_len(), bytes.len());
        for (name, attribute) in expected.sorted() {
            prop_assert_eq!(value.get(name).map(Tree::read), Some(attribute.clone()));
        }
        // The validator must accept everything but the marker.
        let mut wire = Vec::new();
        to_wire(value, Some("c"), &mut wire).unwrap();
        prop_assert!(validate(&wire, &Limits::default()).is_ok());
    }

    #[test]
    fn foreign_bodies_make_the_same_documents(body in objects(trees(), 8), seed in any::<u64>()) {
        let mut foreign = Vec::new();
        pack_foreign(&body, seed, &mut foreign);
        prop_assert_eq!(Tree::read(Slice::new(&made(None, &foreign))), model(None, &body));
    }
}
