//! Merging against a model.

use proptest::prelude::*;

use super::{MergeOptions, merge};
use crate::testing::{Tree, objects, packed, trees};
use crate::{Error, Limits, Slice, validate};

fn merged(old: &str, patch: &str, keep_null: bool, merge_objects: bool) -> String {
    let mut out = vec![0xAA];
    let (old, patch) = (packed(old), packed(patch));
    merge(Slice::new(&old), Slice::new(&patch), MergeOptions { keep_null, merge_objects }, &mut out).unwrap();
    Slice::new(&out[1..]).to_json_string()
}

/// Implements the documentation of `keepNull` and `mergeObjects` word by word.
fn model(old: &Tree, patch: &Tree, options: MergeOptions) -> Tree {
    let (Tree::Object(old_entries), Tree::Object(patch_entries)) = (old, patch) else { unreachable!() };
    let removed = |value: &Tree| *value == Tree::Null && !options.keep_null;
    let fresh = |value: &Tree| match value {
        Tree::Object(_) if !options.keep_null => model(&Tree::Object(vec![]), value, options),
        other => other.clone(),
    };
    let mut result = Vec::new();
    for (name, value) in old_entries {
        match patch.get(name) {
            None => result.push((name.clone(), value.clone())),
            Some(new) if removed(new) => {}
            Some(new @ Tree::Object(_)) if options.merge_objects && matches!(value, Tree::Object(_)) => {
                result.push((name.clone(), model(value, new, options)));
            }
            Some(new) => result.push((name.clone(), fresh(new))),
        }
    }
    for (name, value) in patch_entries {
        if old.get(name).is_none() && !removed(value) {
            result.push((name.clone(), fresh(value)));
        }
    }
    Tree::Object(result)
}

#[test]
fn a_patch_replaces_adds_and_keeps() {
    assert_eq!(merged(r#"{"a":1,"b":2}"#, r#"{"c":3,"a":4}"#, true, true), r#"{"a":4,"b":2,"c":3}"#);
    assert_eq!(merged("{}", "{}", true, true), "{}");
}

#[test]
fn sub_objects_are_merged_or_replaced() {
    let (old, patch) = (r#"{"a":{"x":1,"y":{"p":1}},"b":[1]}"#, r#"{"a":{"z":2,"y":{"q":2}},"b":{"n":1}}"#);
    assert_eq!(merged(old, patch, true, true), r#"{"a":{"x":1,"y":{"p":1,"q":2},"z":2},"b":{"n":1}}"#);
    assert_eq!(merged(old, patch, true, false), r#"{"a":{"z":2,"y":{"q":2}},"b":{"n":1}}"#);
}

#[test]
fn null_is_stored_or_removes() {
    let (old, patch) =
        (r#"{"a":1,"b":{"x":1,"y":2},"n":null}"#, r#"{"a":null,"b":{"x":null},"c":{"z":null,"l":[null]}}"#);
    assert_eq!(
        merged(old, patch, true, true),
        r#"{"a":null,"b":{"x":null,"y":2},"n":null,"c":{"z":null,"l":[null]}}"#
    );
    assert_eq!(merged(old, patch, false, true), r#"{"b":{"y":2},"n":null,"c":{"l":[null]}}"#);
}

#[test]
fn only_objects_are_merged() {
    let mut out = vec![1];
    let result = merge(Slice::EMPTY_OBJECT, Slice::TRUE, MergeOptions::default(), &mut out);
    assert_eq!(result, Err(Error::ObjectExpected { found: "bool" }));
    assert_eq!(out, [1]);
}

#[test]
fn the_marker_of_a_stored_document_is_kept() {
    let mut stored = Vec::new();
    crate::document("k", "r", None, Slice::new(&packed(r#"{"a":1}"#)), &mut stored).unwrap();
    let mut out = Vec::new();
    merge(Slice::new(&stored), Slice::new(&packed(r#"{"a":2}"#)), MergeOptions::default(), &mut out).unwrap();
    assert!(Slice::new(&out).get("_id").is_some_and(Slice::is_id_marker));
    assert_eq!(Slice::new(&out).get("a").and_then(Slice::as_i64), Some(2));
}

proptest! {
    #[test]
    fn merging_agrees_with_the_model(
        old in objects(trees(), 10),
        patch in objects(trees(), 10),
        keep_null in any::<bool>(),
        merge_objects in any::<bool>(),
    ) {
        let options = MergeOptions { keep_null, merge_objects };
        let mut out = Vec::new();
        merge(Slice::new(&old.pack()), Slice::new(&patch.pack()), options, &mut out).unwrap();
        let value = validate(&out, &Limits::default()).unwrap();
        prop_assert_eq!(Tree::read(value), model(&old, &patch, options));
    }
}
