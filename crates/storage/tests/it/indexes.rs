//! Indexes: the documents that they contain, their order, and their constraints.

use catalog::{CollectionType, IndexId, IndexType};
use errors::ErrorCode;
use serde_json::{Value, json};
use storage::{Collection, Index, IndexBounds, Store, UniqueEntries};
use velocypack::Slice;

use crate::common::*;

fn bounds(equal: &[&str], lower: Option<(&str, bool)>, upper: Option<(&str, bool)>) -> IndexBounds {
    let mut bounds = IndexBounds::all();
    for json in equal {
        bounds.push_equal(Slice::new(&value(json)), None);
    }
    if let Some((json, inclusive)) = lower {
        bounds.set_lower(Slice::new(&value(json)), None, inclusive);
    }
    if let Some((json, inclusive)) = upper {
        bounds.set_upper(Slice::new(&value(json)), None, inclusive);
    }
    bounds
}

fn found(
    store: &Store,
    collection: &Collection,
    index: &Index,
    bounds: &IndexBounds,
    reverse: bool,
) -> String {
    let entries = entries(&store.snapshot().unwrap(), collection, index, bounds, reverse);
    entries.into_iter().map(|(key, _)| key).collect::<Vec<_>>().join(" ")
}

#[test]
fn entries_are_in_aqls_order() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, is_new) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["v"]}"#).unwrap();
    assert!(is_new);
    let values =
        ["[]", "\"a\"", "1.5", "null", "{}", "true", "-3", "\"B\"", "1", "false", "\"b\"", "[1]", "\"ä\""];
    for (n, json) in values.iter().enumerate() {
        insert(&store, &c, &format!(r#"{{"_key": "k{n}", "v": {json}}}"#)).unwrap();
    }
    insert(&store, &c, r#"{"_key": "missing"}"#).unwrap();
    let covered = |reverse| -> Vec<Value> {
        let all = entries(&store.snapshot().unwrap(), &c, &index, &IndexBounds::all(), reverse);
        all.into_iter().map(|(_, covered)| covered[0].clone()).collect()
    };
    let expected: Vec<Value> = [
        "null", "null", "false", "true", "-3", "1", "1.5", "\"a\"", "\"ä\"", "\"b\"", "\"B\"", "[]", "[1]",
        "{}",
    ]
    .iter()
    .map(|json| serde_json::from_str(json).unwrap())
    .collect();
    let mut forward = covered(false);
    // The collation decides whether upper or lower case comes first.
    if forward[9] == "B" {
        forward.swap(9, 10);
    }
    assert_eq!(forward, expected);
    let mut backward = covered(true);
    backward.reverse();
    if backward[9] == "B" {
        backward.swap(9, 10);
    }
    assert_eq!(backward, expected);
}

#[test]
fn bounds_select_ranges() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["a", "b"]}"#).unwrap();
    for a in 1..=3 {
        for b in 1..=3 {
            insert(&store, &c, &format!(r#"{{"_key": "{a}{b}", "a": {a}, "b": {b}}}"#)).unwrap();
        }
    }
    let found = |bounds: IndexBounds, reverse| found(&store, &c, &index, &bounds, reverse);
    assert_eq!(found(bounds(&["2"], None, None), false), "21 22 23");
    assert_eq!(found(bounds(&["2"], None, None), true), "23 22 21");
    assert_eq!(found(bounds(&["2.0", "3"], None, None), false), "23");
    assert_eq!(found(bounds(&["2"], Some(("1", false)), None), false), "22 23");
    assert_eq!(found(bounds(&["2"], Some(("1", true)), Some(("3", false))), false), "21 22");
    assert_eq!(found(bounds(&[], Some(("1", false)), Some(("2", true))), false), "21 22 23");
    assert_eq!(found(bounds(&[], None, Some(("2", false))), true), "13 12 11");
    assert_eq!(found(bounds(&[], Some(("2", true)), None), false), "21 22 23 31 32 33");
    assert_eq!(found(bounds(&[], Some(("3", true)), Some(("1", true))), false), "");
    assert_eq!(found(bounds(&["9"], None, None), false), "");
    assert_eq!(bounds(&["1", "2"], None, None).equal_fields(), 2);
}

#[test]
fn entries_cover_fields_and_stored_values() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let definition =
        r#"{"type": "persistent", "fields": ["a.b", "_key"], "storedValues": ["x", "y.z", "_id"]}"#;
    let (index, _) = create_index(&store, &c, definition).unwrap();
    insert(&store, &c, r#"{"_key": "k", "a": {"b": [1, {"c": 2}]}, "x": "text"}"#).unwrap();
    let read = || entries(&store.snapshot().unwrap(), &c, &index, &IndexBounds::all(), false);
    assert_eq!(read(), [("k".to_owned(), json!([[1, {"c": 2}], "k", "text", null, null]))]);
    assert_eq!(index.covered_position(&["a", "b"]), Some(0));
    assert_eq!(index.covered_position(&["_key"]), Some(1));
    assert_eq!(index.covered_position(&["y", "z"]), Some(3));
    assert_eq!(index.covered_position(&["_id"]), None);
    assert_eq!(index.covered_position(&["a"]), None);
    update(&store, &c, "k", r#"{"x": "other", "y": {"z": 7}}"#).unwrap();
    assert_eq!(read(), [("k".to_owned(), json!([[1, {"c": 2}], "k", "other", 7, null]))]);
}

#[test]
fn unique_indexes_take_each_value_once() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let definition = r#"{"type": "persistent", "fields": ["a", "b"], "unique": true, "name": "pairs"}"#;
    let (index, _) = create_index(&store, &c, definition).unwrap();
    insert(&store, &c, r#"{"_key": "1", "a": 1, "b": 1}"#).unwrap();
    insert(&store, &c, r#"{"_key": "2", "a": 1, "b": 2}"#).unwrap();
    let error = insert(&store, &c, r#"{"_key": "3", "a": 1.0, "b": 2}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UniqueConstraintViolated);
    let expected =
        "unique constraint violated - in index pairs of type persistent over 'a, b'; conflicting key: 2";
    assert_eq!(error.message(), expected);
    assert_eq!(error.document().unwrap().key, "2");
    assert_eq!(get_now(&store, &c, "3"), None);
    assert_eq!(
        update(&store, &c, "1", r#"{"b": 2}"#).unwrap_err().code(),
        ErrorCode::UniqueConstraintViolated
    );
    update(&store, &c, "2", r#"{"b": 3}"#).unwrap();
    update(&store, &c, "1", r#"{"b": 2}"#).unwrap();
    update(&store, &c, "1", r#"{"n": 1}"#).unwrap();
    remove(&store, &c, "1").unwrap();
    insert(&store, &c, r#"{"_key": "4", "a": 1, "b": 2}"#).unwrap();
    assert_eq!(indexed_keys(&store, &c, &index), ["4", "2"]);
    assert_eq!(index.selectivity_estimate(), Some(1.0));
}

#[test]
fn null_counts_as_a_value_unless_the_index_is_sparse() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true}"#).unwrap();
    insert(&store, &c, r#"{"_key": "1"}"#).unwrap();
    let error = insert(&store, &c, r#"{"_key": "2", "u": null}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UniqueConstraintViolated);

    let d = create(&store, "d", CollectionType::Document);
    let definition = r#"{"type": "persistent", "fields": ["u", "v"], "unique": true, "sparse": true}"#;
    let (sparse, _) = create_index(&store, &d, definition).unwrap();
    for body in [
        r#"{"_key": "1"}"#,
        r#"{"_key": "2"}"#,
        r#"{"_key": "3", "u": 1}"#,
        r#"{"_key": "4", "u": 1, "v": null}"#,
    ] {
        insert(&store, &d, body).unwrap();
    }
    assert_eq!(indexed_keys(&store, &d, &sparse), [""; 0]);
    insert(&store, &d, r#"{"_key": "5", "u": 1, "v": 2}"#).unwrap();
    update(&store, &d, "4", r#"{"v": 3}"#).unwrap();
    assert_eq!(indexed_keys(&store, &d, &sparse), ["5", "4"]);
    update(&store, &d, "5", r#"{"v": null}"#).unwrap();
    assert_eq!(indexed_keys(&store, &d, &sparse), ["4"]);
}

#[test]
fn arrays_are_expanded_as_documented() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["tags[*]"]}"#).unwrap();
    for (key, tags) in [
        ("none", r#""x": 1"#),
        ("null", r#""tags": null"#),
        ("text", r#""tags": "this is no array""#),
        ("object", r#""tags": {"content": [1, 2, 3]}"#),
        ("empty", r#""tags": []"#),
        ("nulls", r#""tags": [null]"#),
        ("mixed", r#""tags": [2, null, 1, 2, 1.0]"#),
    ] {
        insert(&store, &c, &format!(r#"{{"_key": "{key}", {tags}}}"#)).unwrap();
    }
    let read = || entries(&store.snapshot().unwrap(), &c, &index, &IndexBounds::all(), false);
    let keys = |entries: Vec<(String, Value)>| entries.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(read()), ["mixed", "nulls", "mixed", "mixed"]);
    assert_eq!(found(&store, &c, &index, &bounds(&["2"], None, None), false), "mixed");
    assert_eq!(index.covered_position(&["tags"]), None);
    update(&store, &c, "mixed", r#"{"tags": [1, 3]}"#).unwrap();
    assert_eq!(
        read().into_iter().map(|(_, covered)| covered).collect::<Vec<_>>(),
        [json!([null]), json!([1]), json!([3])]
    );
    remove(&store, &c, "mixed").unwrap();
    assert_eq!(keys(read()), ["nulls"]);
}

#[test]
fn attributes_of_elements_are_expanded() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["a.items[*].name", "n"]}"#).unwrap();
    insert(&store, &c, r#"{"_key": "1", "n": 7, "a": {"items": [{"name": "x"}, {"name": "y"}, {}, 5]}}"#)
        .unwrap();
    let read = entries(&store.snapshot().unwrap(), &c, &index, &IndexBounds::all(), false);
    let covered: Vec<Value> = read.into_iter().map(|(_, covered)| covered).collect();
    assert_eq!(covered, [json!([null, 7]), json!(["x", 7]), json!(["y", 7])]);
}

#[test]
fn sparsity_concerns_the_other_attributes_of_an_array_index() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let definition = r#"{"type": "persistent", "fields": ["tags[*]", "name"], "sparse": true}"#;
    let (index, _) = create_index(&store, &c, definition).unwrap();
    for body in [
        r#"{"tags": null, "name": "alice"}"#,
        r#"{"tags": [], "name": "alice"}"#,
        r#"{"tags": [1, 2, 3]}"#,
        r#"{"tags": [1, 2, 3], "name": null}"#,
        r#"{"tags": [1, 2, 3], "name": "alice"}"#,
        r#"{"tags": [null], "name": "bob"}"#,
    ] {
        insert(&store, &c, body).unwrap();
    }
    let read = entries(&store.snapshot().unwrap(), &c, &index, &IndexBounds::all(), false);
    let covered: Vec<Value> = read.into_iter().map(|(_, covered)| covered).collect();
    assert_eq!(
        covered,
        [json!([null, "bob"]), json!([1, "alice"]), json!([2, "alice"]), json!([3, "alice"])]
    );
}

#[test]
fn unique_array_indexes() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["t[*]"], "unique": true}"#).unwrap();
    insert(&store, &c, r#"{"_key": "1", "t": ["a", "b", "b"]}"#).unwrap();
    assert_eq!(
        insert(&store, &c, r#"{"t": ["c", "b"]}"#).unwrap_err().code(),
        ErrorCode::UniqueConstraintViolated
    );
    insert(&store, &c, r#"{"_key": "2", "t": ["c"]}"#).unwrap();
    update(&store, &c, "1", r#"{"t": ["a"]}"#).unwrap();
    update(&store, &c, "2", r#"{"t": ["c", "b"]}"#).unwrap();
    assert_eq!(
        update(&store, &c, "1", r#"{"t": ["b"]}"#).unwrap_err().code(),
        ErrorCode::UniqueConstraintViolated
    );

    let d = create(&store, "d", CollectionType::Document);
    let definition = r#"{"type": "persistent", "fields": ["t[*]"], "unique": true, "deduplicate": false}"#;
    create_index(&store, &d, definition).unwrap();
    let error = insert(&store, &d, r#"{"_key": "1", "t": ["a", "b", "a"]}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.document().unwrap().key.as_str()),
        (ErrorCode::UniqueConstraintViolated, "1")
    );
    assert_eq!(get_now(&store, &d, "1"), None);
    insert(&store, &d, r#"{"t": ["a", "b"]}"#).unwrap();
}

#[test]
fn a_document_cannot_have_endless_entries() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["a[*]", "b[*]", "c[*]"]}"#).unwrap();
    let array = serde_json::to_string(&(0..100).collect::<Vec<u32>>()).unwrap();
    let body = format!(r#"{{"a": {array}, "b": {array}, "c": {array}}}"#);
    assert_eq!(insert(&store, &c, &body).unwrap_err().code(), ErrorCode::ResourceLimit);
}

#[test]
fn an_index_over_existing_documents_equals_one_that_was_there_before() {
    let store = store();
    for definition in [
        r#"{"type": "persistent", "fields": ["a"]}"#,
        r#"{"type": "persistent", "fields": ["a", "b"], "unique": true, "storedValues": ["c"]}"#,
        r#"{"type": "persistent", "fields": ["t[*]", "a"], "sparse": true}"#,
    ] {
        let before = create(&store, "before", CollectionType::Document);
        let after = create(&store, "after", CollectionType::Document);
        let (first, _) = create_index(&store, &before, definition).unwrap();
        for n in 0..300u32 {
            let (a, b) = (n.wrapping_mul(7919) % 50, n);
            let body = format!(r#"{{"_key": "k{n}", "a": {a}, "b": {b}, "c": "text {n}", "t": [{a}, {b}]}}"#);
            insert(&store, &before, &body).unwrap();
            insert(&store, &after, &body).unwrap();
        }
        let (second, is_new) = create_index(&store, &after, definition).unwrap();
        assert!(is_new);
        let snapshot = store.snapshot().unwrap();
        let read = |collection: &Collection, index: &Index| {
            entries(&snapshot, collection, index, &IndexBounds::all(), false)
        };
        assert_eq!(read(&after, &second), read(&before, &first), "{definition}");
        assert!(read(&after, &second).len() >= 300);
        let (built, kept) = (second.selectivity_estimate().unwrap(), first.selectivity_estimate().unwrap());
        assert!((built - kept).abs() < 1e-9, "{built} {kept}");
        insert(&store, &after, r#"{"_key": "later", "a": 1000, "b": 1, "t": [5]}"#).unwrap();
        assert!(indexed_keys(&store, &after, &second).contains(&"later".to_owned()));
        store.drop_collection(&before, false).unwrap();
        store.drop_collection(&after, false).unwrap();
    }
}

#[test]
fn a_unique_index_is_not_built_over_duplicates() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for n in 0..200 {
        insert(&store, &c, &format!(r#"{{"_key": "k{n}", "u": {}, "t": [{n}, {n}]}}"#, n % 150)).unwrap();
    }
    let error =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UniqueConstraintViolated);
    assert!(error.message().contains("over 'u'"), "{error}");
    let definition = r#"{"type": "persistent", "fields": ["t[*]"], "unique": true, "deduplicate": false}"#;
    assert_eq!(create_index(&store, &c, definition).unwrap_err().code(), ErrorCode::UniqueConstraintViolated);
    assert_eq!(present(&store, "c").indexes().len(), 1);
    insert(&store, &c, r#"{"u": 0}"#).unwrap();
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"]}"#).unwrap();
    assert_eq!(indexed_keys(&store, &c, &index).len(), 201);
}

#[test]
fn the_same_index_is_created_once() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let first =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"], "name": "mine"}"#).unwrap();
    let again = create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"], "storedValues": ["b"]}"#)
        .unwrap();
    assert_eq!((first.1, again.1, again.0.id()), (true, false, first.0.id()));
    let error =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["b"], "name": "mine"}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (ErrorCode::DuplicateIdentifier, "duplicate value for `id` or `name`")
    );
    let error = create_index(&store, &c, r#"{"type": "persistent", "fields": ["b"], "name": "no/name"}"#)
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::IllegalName);
    let (unnamed, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["b"]}"#).unwrap();
    assert_eq!(unnamed.name(), format!("idx_{}", unnamed.id()));
    let c = present(&store, "c");
    for text in [
        &unnamed.id().to_string(),
        unnamed.name(),
        &format!("c/{}", unnamed.id()),
        &format!("c/{}", unnamed.name()),
    ] {
        assert_eq!(c.find_index(text).unwrap().id(), unnamed.id(), "{text}");
    }
    assert!(c.find_index("d/0").is_none() && c.find_index("c/none").is_none());
    assert_eq!(c.find_index("c/0").unwrap().index_type(), IndexType::Primary);
}

#[test]
fn dropped_indexes_are_gone() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true}"#).unwrap();
    insert(&store, &c, r#"{"u": 1}"#).unwrap();
    store.drop_index(&c, index.id()).unwrap();
    insert(&store, &c, r#"{"u": 1}"#).unwrap();
    assert_eq!(store.drop_index(&c, index.id()).unwrap_err().code(), ErrorCode::IndexNotFound);
    assert_eq!(store.drop_index(&c, IndexId::PRIMARY).unwrap_err().code(), ErrorCode::Forbidden);
    let e = create(&store, "e", CollectionType::Edge);
    assert_eq!(store.drop_index(&e, IndexId::EDGE).unwrap_err().code(), ErrorCode::Forbidden);
    let figures = store.statistics(&store.snapshot().unwrap(), &present(&store, "c"), true).unwrap();
    assert_eq!((figures.documents, figures.indexes.len(), figures.indexes[0].entries), (2, 1, Some(2)));
}

#[test]
fn selectivity_follows_the_data() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"]}"#).unwrap();
    let definition = r#"{"type": "persistent", "fields": ["b"], "estimates": false}"#;
    assert_eq!(create_index(&store, &c, definition).unwrap().0.selectivity_estimate(), None);
    for n in 0..40 {
        insert(&store, &c, &format!(r#"{{"_key": "k{n}", "a": {}}}"#, n % 4)).unwrap();
    }
    assert_eq!(index.selectivity_estimate(), Some(0.1));
    let failed = write(&store, |transaction| {
        transaction.insert(&c, Slice::new(&value(r#"{"a": 77}"#)), &Default::default())?;
        transaction.insert(&c, Slice::new(&value(r#"{"_key": "k0"}"#)), &Default::default())
    });
    assert!(failed.is_err());
    assert_eq!(index.selectivity_estimate(), Some(0.1));
    // One operation of a transaction fails; the others are committed.
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#)
        .unwrap();
    update(&store, &c, "k0", r#"{"u": 1}"#).unwrap();
    write(&store, |transaction| {
        assert!(
            transaction.insert(&c, Slice::new(&value(r#"{"a": 99, "u": 1}"#)), &Default::default()).is_err()
        );
        transaction.update(&c, "k1", Slice::new(&value(r#"{"u": 2}"#)), &Default::default())
    })
    .unwrap();
    assert_eq!(index.selectivity_estimate(), Some(0.1));
    (0..40).for_each(|n| {
        remove(&store, &c, &format!("k{n}")).unwrap();
    });
    assert_eq!(index.selectivity_estimate(), Some(1.0));
}

#[test]
fn consecutive_lookups_find_what_scans_find() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["v", "w"]}"#).unwrap();
    for n in 0..600 {
        // Most values occur once, some often, and none from 100 to 199.
        let v = if n % 3 == 0 { 7 * (n % 4) } else { n + 200 * usize::from(n >= 100) };
        insert(&store, &c, &format!(r#"{{"_key": "k{n}", "v": {v}, "w": {}}}"#, n % 5)).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let mut walk = snapshot.index_walk(&c, &index).unwrap();
    let ascending = 0..900;
    let jumping = (0..900).map(|n| n * 37 % 900);
    let repeated = (0..300).flat_map(|n| [n, n, n / 2]);
    for value in ascending.chain(jumping).chain(repeated) {
        let wanted = bounds(&[&value.to_string()], None, None);
        walk.go_to(&wanted).unwrap();
        let mut keys = Vec::new();
        while let Some(found) = walk.next_entries(7).unwrap() {
            keys.extend(found.map(|entry| walk.entries().key(entry).to_owned()));
            walk.release();
        }
        assert_eq!(keys.join(" "), found(&store, &c, &index, &wanted, false), "{value}");
    }
}

#[test]
fn single_entries_of_unique_indexes_are_looked_up_together() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let unique = r#"{"type": "persistent", "fields": ["v", "w"], "unique": true, "storedValues": ["x"]}"#;
    let (index, _) = create_index(&store, &c, unique).unwrap();
    for (key, v, w) in [("a", 1, "null"), ("b", 1, "2"), ("c", 2, "\"t\"")] {
        insert(&store, &c, &format!(r#"{{"_key": "{key}", "v": {v}, "w": {w}, "x": "x{key}"}}"#)).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let lookups = [["2", "\"t\""], ["1", "7"], ["1", "null"], ["1.0", "2"], ["1", "null"]];
    let lookups: Vec<IndexBounds> = lookups.iter().map(|values| bounds(values, None, None)).collect();
    let UniqueEntries { entries, positions, .. } = snapshot.unique_entries(&c, &index, &lookups).unwrap();
    assert_eq!(entries.keys().collect::<Vec<_>>(), ["c", "a", "b", "a"]);
    assert_eq!(positions, [0, 2, 3, 4]);
    assert_eq!(to_json(entries.covered(0).unwrap(), "c"), json!([2, "t", "xc"]));
    let partial = snapshot.unique_entries(&c, &index, &[bounds(&["1"], None, None)]);
    assert_eq!(partial.unwrap_err().code(), ErrorCode::Internal);
}

/// A lookup of many long entries ends early, and says where to continue.
#[test]
fn long_entries_of_unique_indexes_are_looked_up_in_steps() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for properties in [r#""cacheEnabled": true"#, r#""cacheEnabled": false"#] {
        let unique = format!(
            r#"{{"type": "persistent", "fields": ["v"], "unique": true, "storedValues": ["x"], {properties}}}"#
        );
        let (index, _) = create_index(&store, &c, &unique).unwrap();
        let long = "x".repeat(1 << 20);
        for n in 0..20 {
            let _ = insert(&store, &c, &format!(r#"{{"_key": "{n:02}", "v": {n}, "x": "{long}"}}"#));
        }
        let snapshot = store.snapshot().unwrap();
        let lookups: Vec<IndexBounds> = (0..20).map(|n| bounds(&[&n.to_string()], None, None)).collect();
        let (mut keys, mut steps, mut rest) = (Vec::new(), 0, lookups.as_slice());
        while !rest.is_empty() {
            let found = snapshot.unique_entries(&c, &index, rest).unwrap();
            keys.extend(found.entries.keys().map(str::to_owned));
            rest = &rest[found.done..];
            steps += 1;
        }
        assert_eq!(keys, (0..20).map(|n| format!("{n:02}")).collect::<Vec<_>>());
        assert!((2..=20).contains(&steps), "{steps}");
        store.drop_index(&c, index.id()).unwrap();
    }
}
