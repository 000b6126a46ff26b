//! Documents: keys, revisions, system attributes, options of writes.

use catalog::CollectionType;
use errors::ErrorCode;
use serde_json::json;
use storage::{
    DocumentScanSpec, EdgeDirection, KeyBound, OverwriteMode, Revision, WriteKind, WriteOptions, document_key,
};
use velocypack::Slice;

use crate::common::*;

fn without_revision(mut document: serde_json::Value) -> serde_json::Value {
    let revision = document.as_object_mut().unwrap().remove("_rev").unwrap();
    assert!(Revision::parse(revision.as_str().unwrap()).is_some());
    document
}

#[test]
fn a_document_comes_back_with_its_system_attributes() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let outcome =
        insert(&store, &c, r#"{"z": 1, "_key": "k", "_id": "x/y", "_rev": "abc", "a": [true]}"#).unwrap();
    assert_eq!((outcome.key.as_str(), outcome.kind), ("k", WriteKind::Inserted));
    let document = get_now(&store, &c, "k").unwrap();
    assert_eq!(document["_rev"], outcome.revision.to_string());
    assert_eq!(without_revision(document), json!({"_key": "k", "_id": "c/k", "z": 1, "a": [true]}));
    assert_eq!(get_now(&store, &c, "other"), None);
}

#[test]
fn attributes_keep_their_order() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"z": 1, "a": 2, "_key": "k", "m": 3}"#).unwrap();
    update(&store, &c, "k", r#"{"b": 4, "a": 5}"#).unwrap();
    let snapshot = store.snapshot().unwrap();
    let documents = snapshot.get(&c, &["k"]).unwrap();
    let names: Vec<&str> = documents.get(0).unwrap().entries().map(|(name, _)| name).collect();
    assert_eq!(names, ["_key", "_id", "_rev", "z", "a", "m", "b"]);
}

#[test]
fn generated_keys_are_numbers_that_ascend() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let keys: Vec<u64> = (0..5).map(|_| insert(&store, &c, "{}").unwrap().key.parse().unwrap()).collect();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
}

#[test]
fn illegal_keys_are_refused() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let long = format!(r#"{{"_key": "{}"}}"#, "k".repeat(255));
    for body in [
        r#"{"_key": ""}"#,
        r#"{"_key": "a b"}"#,
        r#"{"_key": "a/b"}"#,
        r#"{"_key": 1}"#,
        r#"{"_key": null}"#,
        &long,
    ] {
        assert_eq!(insert(&store, &c, body).unwrap_err().code(), ErrorCode::DocumentKeyBad, "{body}");
    }
    for body in ["1", "[]", "null", r#""text""#] {
        assert_eq!(insert(&store, &c, body).unwrap_err().code(), ErrorCode::DocumentTypeInvalid, "{body}");
    }
    let closed =
        create_with(&store, r#"{"name": "closed", "keyOptions": {"allowUserKeys": false}}"#).unwrap();
    let error = insert(&store, &closed, r#"{"_key": "a"}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::DocumentKeyUnexpected);
    insert(&store, &closed, "{}").unwrap();
    let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
    insert_with(&store, &closed, r#"{"_key": "a"}"#, &restore).unwrap();
}

#[test]
fn a_key_is_taken_once() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let first = insert(&store, &c, r#"{"_key": "k", "n": 1}"#).unwrap();
    let error = insert(&store, &c, r#"{"_key": "k", "n": 2}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UniqueConstraintViolated);
    let expected =
        "unique constraint violated - in index primary of type primary over '_key'; conflicting key: k";
    assert_eq!(error.message(), expected);
    let conflict = error.document().unwrap();
    assert_eq!((conflict.key.as_str(), conflict.revision.clone()), ("k", Some(first.revision.to_string())));
    assert_eq!(get_now(&store, &c, "k").unwrap()["n"], 1);
}

#[test]
fn overwrite_modes() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let put = |body: &str, overwrite_mode| {
        let options =
            WriteOptions { overwrite_mode, return_old: true, return_new: true, ..WriteOptions::default() };
        insert_with(&store, &c, body, &options).unwrap()
    };
    let first = put(r#"{"_key": "k", "a": 1}"#, OverwriteMode::Replace);
    assert_eq!((first.kind, first.old_revision), (WriteKind::Inserted, None));
    let ignored = put(r#"{"_key": "k", "b": 2}"#, OverwriteMode::Ignore);
    assert_eq!((ignored.kind, ignored.revision), (WriteKind::Unchanged, first.revision));
    assert!(ignored.old_revision.is_none() && ignored.old.is_none() && ignored.new.is_none());
    let updated = put(r#"{"_key": "k", "b": 2}"#, OverwriteMode::Update);
    assert_eq!((updated.kind, updated.old_revision), (WriteKind::Updated, Some(first.revision)));
    assert_eq!(to_json(updated.old.unwrap().slice(), "c")["a"], 1);
    let new = without_revision(to_json(updated.new.unwrap().slice(), "c"));
    assert_eq!(new, json!({"_key": "k", "_id": "c/k", "a": 1, "b": 2}));
    let replaced = put(r#"{"_key": "k", "c": 3}"#, OverwriteMode::Replace);
    assert_eq!((replaced.kind, replaced.old_revision), (WriteKind::Replaced, Some(updated.revision)));
    let document = without_revision(get_now(&store, &c, "k").unwrap());
    assert_eq!(document, json!({"_key": "k", "_id": "c/k", "c": 3}));
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 1);
}

#[test]
fn updates_merge_as_the_options_say() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "k", "a": {"x": 1, "y": 2}, "b": 1}"#).unwrap();
    let with =
        |keep_null, merge_objects| WriteOptions { keep_null, merge_objects, ..WriteOptions::default() };
    let read = || without_revision(get_now(&store, &c, "k").unwrap());
    update_with(&store, &c, "k", r#"{"a": {"x": null}, "_key": "other"}"#, &with(true, true)).unwrap();
    assert_eq!(read(), json!({"_key": "k", "_id": "c/k", "a": {"x": null, "y": 2}, "b": 1}));
    update_with(&store, &c, "k", r#"{"a": {"x": null}, "b": null}"#, &with(false, true)).unwrap();
    assert_eq!(read(), json!({"_key": "k", "_id": "c/k", "a": {"y": 2}}));
    update_with(&store, &c, "k", r#"{"a": {"z": 3}}"#, &with(true, false)).unwrap();
    assert_eq!(read(), json!({"_key": "k", "_id": "c/k", "a": {"z": 3}}));
}

#[test]
fn an_update_without_attributes_keeps_the_revision() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let first = insert(&store, &c, r#"{"_key": "k", "a": 1}"#).unwrap();
    let outcome = update(&store, &c, "k", "{}").unwrap();
    assert_eq!((outcome.kind, outcome.revision), (WriteKind::Unchanged, first.revision));
    let outcome = update(&store, &c, "k", r#"{"a": 1}"#).unwrap();
    assert!(outcome.revision > first.revision);
}

#[test]
fn missing_documents_are_not_found() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let errors = [
        update(&store, &c, "k", "{}").unwrap_err(),
        replace(&store, &c, "k", "{}").unwrap_err(),
        remove(&store, &c, "k").unwrap_err(),
        remove(&store, &c, &"k".repeat(1000)).unwrap_err(),
    ];
    assert!(errors.iter().all(|error| error.code() == ErrorCode::DocumentNotFound));
}

#[test]
fn revisions_guard_writes_where_asked_for() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let first = insert(&store, &c, r#"{"_key": "k", "a": 1}"#).unwrap();
    let second = update(&store, &c, "k", r#"{"a": 2}"#).unwrap();
    assert_eq!(second.old_revision, Some(first.revision));
    let if_match =
        |revision: Revision| WriteOptions { if_match: Some(revision.to_string()), ..WriteOptions::default() };
    let error = update_with(&store, &c, "k", r#"{"a": 3}"#, &if_match(first.revision)).unwrap_err();
    assert_eq!((error.code(), error.status()), (ErrorCode::Conflict, 412));
    assert_eq!(error.document().unwrap().revision, Some(second.revision.to_string()));
    update_with(&store, &c, "k", r#"{"a": 3}"#, &if_match(second.revision)).unwrap();

    let strict = WriteOptions { ignore_revs: false, ..WriteOptions::default() };
    let stale = format!(r#"{{"_rev": "{}", "a": 4}}"#, second.revision);
    assert_eq!(update_with(&store, &c, "k", &stale, &strict).unwrap_err().code(), ErrorCode::Conflict);
    update_with(&store, &c, "k", &stale, &WriteOptions::default()).unwrap();
    update_with(&store, &c, "k", r#"{"a": 5}"#, &strict).unwrap();
    let selector = value(&stale);
    let error = write(&store, |t| t.remove(&c, "k", Slice::new(&selector), &strict)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
}

#[test]
fn external_versions_must_grow() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let options = WriteOptions { version_attribute: Some("v".to_owned()), ..WriteOptions::default() };
    insert(&store, &c, r#"{"_key": "k", "v": 5}"#).unwrap();
    for (patch, kind) in [
        (r#"{"v": 4, "n": 1}"#, WriteKind::Unchanged),
        (r#"{"v": 5, "n": 1}"#, WriteKind::Unchanged),
        (r#"{"v": 5.9, "n": 1}"#, WriteKind::Unchanged),
        (r#"{"v": 6.5, "n": 2}"#, WriteKind::Updated),
        (r#"{"v": "text", "n": 3}"#, WriteKind::Updated),
        (r#"{"v": -1, "n": 4}"#, WriteKind::Updated),
        (r#"{"n": 5}"#, WriteKind::Updated),
    ] {
        assert_eq!(update_with(&store, &c, "k", patch, &options).unwrap().kind, kind, "{patch}");
    }
    assert_eq!(get_now(&store, &c, "k").unwrap()["n"], 5);
}

#[test]
fn edges_need_their_vertices() {
    let store = store();
    let e = create(&store, "e", CollectionType::Edge);
    for body in [
        "{}",
        r#"{"_from": "v/1"}"#,
        r#"{"_from": "v/1", "_to": 1}"#,
        r#"{"_from": "v/1", "_to": "v"}"#,
        r#"{"_from": "v/1", "_to": "v/"}"#,
        r#"{"_from": "v/1", "_to": "v/a/b"}"#,
        r#"{"_from": "v/1", "_to": "v/a b"}"#,
    ] {
        assert_eq!(insert(&store, &e, body).unwrap_err().code(), ErrorCode::InvalidEdgeAttribute, "{body}");
    }
    insert(&store, &e, r#"{"_key": "1", "_from": "v/1", "_to": "_unknown/2", "n": 1}"#).unwrap();
    let found = |direction, vertex: &str| edges(&store.snapshot().unwrap(), &e, direction, vertex);
    let pair = |key: &str, other: &str| vec![(key.to_owned(), other.to_owned())];
    assert_eq!(found(EdgeDirection::Outbound, "v/1"), pair("1", "_unknown/2"));
    assert_eq!(found(EdgeDirection::Inbound, "_unknown/2"), pair("1", "v/1"));
    assert_eq!(found(EdgeDirection::Inbound, "v/1"), []);

    update(&store, &e, "1", r#"{"_to": "v/3"}"#).unwrap();
    assert_eq!(found(EdgeDirection::Outbound, "v/1"), pair("1", "v/3"));
    assert_eq!(found(EdgeDirection::Inbound, "_unknown/2"), []);
    let document = without_revision(get_now(&store, &e, "1").unwrap());
    assert_eq!(document, json!({"_key": "1", "_id": "e/1", "_from": "v/1", "_to": "v/3", "n": 1}));
    let bad = update(&store, &e, "1", r#"{"_to": null}"#).unwrap_err();
    assert_eq!(bad.code(), ErrorCode::InvalidEdgeAttribute);
    assert_eq!(replace(&store, &e, "1", "{}").unwrap_err().code(), ErrorCode::InvalidEdgeAttribute);
    replace(&store, &e, "1", r#"{"_from": "v/9", "_to": "v/9"}"#).unwrap();
    assert_eq!(found(EdgeDirection::Outbound, "v/9"), pair("1", "v/9"));
    assert_eq!(found(EdgeDirection::Inbound, "v/9"), pair("1", "v/9"));
    assert_eq!(found(EdgeDirection::Outbound, "v/1"), []);
    remove(&store, &e, "1").unwrap();
    assert_eq!(found(EdgeDirection::Inbound, "v/9"), []);
}

#[test]
fn edges_of_a_vertex_are_not_those_of_a_longer_name() {
    let store = store();
    let e = create(&store, "e", CollectionType::Edge);
    for (key, from) in [("1", "v/1"), ("2", "v/11"), ("3", "v/1"), ("4", "v/1-"), ("5", "w/1")] {
        insert(&store, &e, &format!(r#"{{"_key": "{key}", "_from": "{from}", "_to": "v/0"}}"#)).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let found: Vec<String> =
        edges(&snapshot, &e, EdgeDirection::Outbound, "v/1").into_iter().map(|(key, _)| key).collect();
    assert_eq!(found, ["1", "3"]);
    let mut scan = snapshot.edges(&e, EdgeDirection::Outbound, &["none/1", "v/11", "v/1"]).unwrap();
    let mut found = Vec::new();
    while let Some(entries) = scan.next_block(LIMITS).unwrap() {
        found.extend(entries.iter().map(|entry| (entries.vertex(), entry.unwrap().key.to_owned())));
    }
    assert_eq!(found, [(1, "2".to_owned()), (2, "1".to_owned()), (2, "3".to_owned())]);
    let mut reader = snapshot.edge_reader(&e, EdgeDirection::Outbound).unwrap();
    let mut read = |vertex: &str, after: Option<&str>, rows| {
        let read = reader.read(vertex.as_bytes(), after.map(str::as_bytes), rows);
        let (edges, has_more) = read.unwrap();
        let keys = edges.iter().map(|(key, other)| {
            assert_eq!(other, b"v/0");
            String::from_utf8(key.to_vec()).unwrap()
        });
        (keys.collect::<Vec<_>>().join(" "), has_more)
    };
    let some = |keys: &str| (keys.to_owned(), true);
    let all = |keys: &str| (keys.to_owned(), false);
    assert_eq!(read("v/1", None, 10), all("1 3"));
    assert_eq!(read("v/11", None, 10), all("2"));
    assert_eq!(read("v/1", None, 1), some("1"));
    assert_eq!(read("v/1", Some("1"), 10), all("3"));
    assert_eq!(read("v/1", Some("2"), 10), all("3"));
    assert_eq!(read("v", None, 10), all(""));
    assert_eq!(read("w/1", None, 10), all("5"));
    let c = create(&store, "c", CollectionType::Document);
    assert!(snapshot.edge_reader(&c, EdgeDirection::Outbound).is_err());
    let error = snapshot.edges(&c, EdgeDirection::Inbound, &["v/1"]).err().unwrap();
    assert_eq!(error.code(), ErrorCode::CollectionTypeInvalid);
}

#[test]
fn an_error_of_one_document_leaves_the_others_in_place() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#)
        .unwrap();
    let bodies: Vec<Vec<u8>> = [
        r#"{"_key": "a", "u": 1}"#,
        r#"{"_key": "a"}"#,
        r#"{"_key": "b", "u": 1}"#,
        r#"{"_key": "b", "u": 2}"#,
        r#"[]"#,
        r#"{"_key": "!/"}"#,
        r#"{"u": 3}"#,
    ]
    .map(value)
    .to_vec();
    let slices: Vec<Slice<'_>> = bodies.iter().map(|body| Slice::new(body)).collect();
    let outcomes = write(&store, |t| t.insert_many(&c, &slices, &WriteOptions::default())).unwrap();
    let failures: Vec<Option<ErrorCode>> =
        outcomes.iter().map(|outcome| outcome.as_ref().err().map(errors::Error::code)).collect();
    assert_eq!(
        failures,
        [
            None,
            Some(ErrorCode::UniqueConstraintViolated),
            Some(ErrorCode::UniqueConstraintViolated),
            None,
            Some(ErrorCode::DocumentTypeInvalid),
            Some(ErrorCode::DocumentKeyBad),
            None
        ]
    );
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.count(&c).unwrap(), 3);
    assert_eq!(keys(&snapshot, &c).len(), 3);
    assert_eq!(get(&snapshot, &c, "b").unwrap()["u"], 2);

    let again = write(&store, |t| t.insert_many(&c, &slices[..1], &WriteOptions::default())).unwrap();
    assert_eq!(again[0].as_ref().unwrap_err().code(), ErrorCode::UniqueConstraintViolated);
    let selectors: Vec<Vec<u8>> =
        [r#""a""#, r#""c/b""#, r#"{"_id": "d/x"}"#, "{}", r#"{"_key": "zz"}"#, "1"].map(value).to_vec();
    let slices: Vec<Slice<'_>> = selectors.iter().map(|body| Slice::new(body)).collect();
    let outcomes = write(&store, |t| t.remove_many(&c, &slices, &WriteOptions::default())).unwrap();
    let failures: Vec<Option<ErrorCode>> =
        outcomes.iter().map(|outcome| outcome.as_ref().err().map(errors::Error::code)).collect();
    assert_eq!(
        failures,
        [
            None,
            None,
            Some(ErrorCode::CrossCollectionRequest),
            Some(ErrorCode::DocumentKeyMissing),
            Some(ErrorCode::DocumentNotFound),
            Some(ErrorCode::DocumentTypeInvalid)
        ]
    );
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 1);
}

#[test]
fn scans_visit_ranges_in_both_directions() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for n in 0..10 {
        insert(&store, &c, &format!(r#"{{"_key": "k{n}"}}"#)).unwrap();
    }
    let bound = |key: &str, inclusive| Some(KeyBound { key: key.to_owned(), inclusive });
    let snapshot = store.snapshot().unwrap();
    let scan = |spec: DocumentScanSpec| {
        let mut scan = snapshot.scan(&c, &DocumentScanSpec { keys_only: true, ..spec }).unwrap();
        let mut keys = Vec::new();
        while let Some(block) = scan.next_keys(LIMITS).unwrap() {
            keys.extend(block.iter().map(str::to_owned));
        }
        keys.concat()
    };
    let spec = DocumentScanSpec::default;
    assert_eq!(scan(spec()), "k0k1k2k3k4k5k6k7k8k9");
    assert_eq!(
        scan(DocumentScanSpec { from_key: bound("k3", true), to_key: bound("k5", true), ..spec() }),
        "k3k4k5"
    );
    assert_eq!(
        scan(DocumentScanSpec { from_key: bound("k3", false), to_key: bound("k5", false), ..spec() }),
        "k4"
    );
    assert_eq!(scan(DocumentScanSpec { from_key: bound("k7", false), reverse: true, ..spec() }), "k9k8");
    assert_eq!(scan(DocumentScanSpec { to_key: bound("k", true), ..spec() }), "");
    assert_eq!(
        scan(DocumentScanSpec { from_key: bound("k5", true), to_key: bound("k3", true), ..spec() }),
        ""
    );
    assert_eq!(keys(&snapshot, &c).len(), 10);
}

#[test]
fn lookups_answer_in_the_order_of_the_request() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for key in ["a", "b"] {
        insert(&store, &c, &format!(r#"{{"_key": "{key}"}}"#)).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let found = snapshot.get(&c, &["b", "missing", "a", "", "b"]).unwrap();
    let keys: Vec<Option<&str>> =
        (0..found.len()).map(|i| found.get(i).and_then(|d| d.get("_key")).and_then(Slice::as_str)).collect();
    assert_eq!(keys, [Some("b"), None, Some("a"), None, Some("b")]);
    assert_eq!(found.block.collection(), Some("c"));
    assert!(found.document(1).is_none());
    assert!(found.get(9).is_none());
}

#[test]
fn restored_documents_keep_their_revision() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let restore =
        WriteOptions { is_restore: true, overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
    let outcome = insert_with(&store, &c, r#"{"_key": "k", "_rev": "_cPlZM_e---"}"#, &restore).unwrap();
    assert_eq!(outcome.revision.to_string(), "_cPlZM_e---");
    assert_eq!(get_now(&store, &c, "k").unwrap()["_rev"], "_cPlZM_e---");
    for old in ["14253647", "not a revision", ""] {
        let body = format!(r#"{{"_key": "k", "_rev": "{old}"}}"#);
        let outcome = insert_with(&store, &c, &body, &restore).unwrap();
        assert!(outcome.revision.time_ms() > 1_600_000_000_000, "{old}");
    }
}

#[test]
fn bodies_name_their_documents() {
    let key =
        |json: &str| document_key(Slice::new(&value(json)), "c").map(str::to_owned).map_err(|e| e.code());
    assert_eq!(key(r#"{"_key": "k", "_id": "d/x"}"#), Ok("k".to_owned()));
    assert_eq!(key(r#"{"_id": "c/x"}"#), Ok("x".to_owned()));
    assert_eq!(key(r#""k""#), Ok("k".to_owned()));
    assert_eq!(key(r#""c/k""#), Ok("k".to_owned()));
    assert_eq!(key(r#""d/k""#), Err(ErrorCode::DocumentNotFound));
    assert_eq!(key(r#"{"_key": "a b"}"#), Err(ErrorCode::DocumentKeyBad));
    assert_eq!(key(r#"{"_id": "c"}"#), Err(ErrorCode::DocumentHandleBad));
    assert_eq!(key(r#"{"_id": "d/x"}"#), Err(ErrorCode::CrossCollectionRequest));
    assert_eq!(key("{}"), Err(ErrorCode::DocumentKeyMissing));
    assert_eq!(key("[]"), Err(ErrorCode::DocumentTypeInvalid));
}

#[test]
fn autoincrement_keys_skip_what_clients_gave() {
    let store = store();
    let c = create_with(
        &store,
        r#"{"name": "c", "keyOptions": {"type": "autoincrement", "increment": 10, "offset": 5}}"#,
    )
    .unwrap();
    let next = || insert(&store, &c, "{}").unwrap().key;
    assert_eq!((next(), next()), ("5".to_owned(), "15".to_owned()));
    insert(&store, &c, r#"{"_key": "31"}"#).unwrap();
    assert_eq!(next(), "35");
    assert_eq!(c.last_key_value(), 35);
}

#[test]
fn schemas_check_writes() {
    let store = store();
    let c =
        create_with(&store, r#"{"name": "c", "schema": {"rule": {"required": ["a"]}, "message": "no a"}}"#)
            .unwrap();
    let error = insert(&store, &c, r#"{"b": 1}"#).unwrap_err();
    assert_eq!((error.code(), error.message()), (ErrorCode::ValidationFailed, "no a"));
    insert(&store, &c, r#"{"_key": "k", "a": 1}"#).unwrap();
    assert_eq!(replace(&store, &c, "k", "{}").unwrap_err().code(), ErrorCode::ValidationFailed);
    let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
    insert_with(&store, &c, "{}", &restore).unwrap();
    let bad = create_with(&store, r#"{"name": "d", "schema": {"rule": {"type": "nonsense"}}}"#).unwrap_err();
    assert_eq!(bad.code(), ErrorCode::ValidationBadParameter);
}

#[test]
fn a_transaction_has_a_limit() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let options = storage::TransactionOptions { max_bytes: 1000, ..Default::default() };
    let mut transaction = store.begin(&options).unwrap();
    let body = value(&format!(r#"{{"a": "{}"}}"#, "x".repeat(400)));
    let results: Vec<bool> = (0..3)
        .map(|_| transaction.insert(&c, Slice::new(&body), &WriteOptions::default()))
        .map(|result| result.map_err(|error| assert_eq!(error.code(), ErrorCode::ResourceLimit)).is_ok())
        .collect();
    assert_eq!(results, [true, true, false]);
    transaction.commit(storage::Durability::Buffered).unwrap();
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 2);
}
