//! Changes of definitions: names, errors, and the state after a restart.

use std::sync::Arc;

use catalog::collection::{CollectionChanges, CollectionProperties};
use catalog::{AccessLevel, CollectionType, NamingRules, UserDefinition};
use errors::ErrorCode;
use storage::{
    ComputeEvent, ComputedValues, ComputedValuesCompiler, Database, Durability, Revision, Store,
    StoreOptions, TransactionOptions, WriteOptions,
};
use velocypack::Slice;

use crate::common::*;

fn names(database: &Database) -> Vec<String> {
    database.collections().map(|collection| collection.name().to_owned()).collect()
}

#[test]
fn a_new_store_has_the_system_database() {
    let store = store();
    assert!(store.is_new());
    let catalog = store.catalog();
    let system = catalog.database("_system").unwrap();
    assert_eq!(system.definition().id.0, 1);
    let expected = [
        "_analyzers",
        "_appbundles",
        "_apps",
        "_aqlfunctions",
        "_frontend",
        "_graphs",
        "_jobs",
        "_queues",
        "_statistics",
        "_statistics15",
        "_statisticsRaw",
        "_users",
    ];
    assert_eq!(names(system), expected);
    assert!(system.collections().all(|collection| collection.definition().properties.is_system));
    assert_eq!(system.collection("_graphs").unwrap().definition().globally_unique_id, "_graphs");
}

#[test]
fn databases_are_created_and_dropped() {
    let store = store();
    store.create_database("shop").unwrap();
    assert_eq!(store.create_database("shop").unwrap_err().code(), ErrorCode::DuplicateName);
    for name in ["", "_x", "a b", "España"] {
        assert_eq!(store.create_database(name).unwrap_err().code(), ErrorCode::IllegalName, "{name}");
    }
    let c =
        store.create_collection("shop", CollectionProperties::new("c", CollectionType::Document)).unwrap();
    insert(&store, &c, r#"{"_key": "k"}"#).unwrap();
    let mut user = UserDefinition::new("anna", String::new());
    user.rights.grant_database("shop", AccessLevel::ReadWrite);
    user.rights.grant_database("other", AccessLevel::ReadOnly);
    store.create_user(user).unwrap();
    let before = store.snapshot().unwrap();
    store.drop_database("shop").unwrap();
    assert_eq!(keys(&before, &c), ["k"]);
    assert!(store.catalog().database("shop").is_none());
    let rights = store.catalog().user("anna").unwrap().rights.clone();
    assert_eq!(rights.databases.keys().collect::<Vec<_>>(), ["other"]);
    assert_eq!(store.drop_database("shop").unwrap_err().code(), ErrorCode::DatabaseNotFound);
    assert_eq!(store.drop_database("_system").unwrap_err().code(), ErrorCode::Forbidden);
    let properties = CollectionProperties::new("c", CollectionType::Document);
    let error = store.create_collection("shop", properties).unwrap_err();
    assert_eq!(error.code(), ErrorCode::DatabaseNotFound);
    assert_eq!(insert(&store, &c, "{}").unwrap_err().code(), ErrorCode::DataSourceNotFound);
}

#[test]
fn extended_names_are_an_option() {
    let options = StoreOptions { naming_rules: NamingRules::Extended, ..options() };
    let store = Store::open(engine(), options).unwrap();
    store.create_database("España").unwrap();
    let c = create(&store, "犬", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "k"}"#).unwrap();
    assert_eq!(get_now(&store, &c, "k").unwrap()["_id"], "犬/k");
}

#[test]
fn collections_have_names_once() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    assert_eq!(create_with(&store, r#"{"name": "c"}"#).unwrap_err().code(), ErrorCode::DuplicateName);
    assert_eq!(create_with(&store, r#"{"name": "1c"}"#).unwrap_err().code(), ErrorCode::IllegalName);
    assert_eq!(create_with(&store, r#"{"name": "_c"}"#).unwrap_err().code(), ErrorCode::IllegalName);
    let system = create_with(&store, r#"{"name": "_c", "isSystem": true}"#).unwrap();
    assert_eq!(store.drop_collection(&system, false).unwrap_err().code(), ErrorCode::Forbidden);
    store.drop_collection(&system, true).unwrap();
    let catalog = store.catalog();
    let database = catalog.database("_system").unwrap();
    assert_eq!(database.collection(&c.id().to_string()).unwrap().name(), "c");
    assert_eq!(database.require_collection("none").unwrap_err().code(), ErrorCode::DataSourceNotFound);
    assert_eq!(c.definition().globally_unique_id, format!("h{:X}/{}", store.server_id(), c.id()));
}

#[test]
fn renamed_collections_keep_their_documents() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create(&store, "taken", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "k"}"#).unwrap();
    let before = store.snapshot().unwrap();
    assert_eq!(store.rename_collection(&c, "taken").unwrap_err().code(), ErrorCode::DuplicateName);
    assert_eq!(store.rename_collection(&c, "_d").unwrap_err().code(), ErrorCode::IllegalName);
    let d = store.rename_collection(&c, "d").unwrap();
    assert_eq!((d.id(), d.name()), (c.id(), "d"));
    assert_eq!(get_now(&store, &d, "k").unwrap()["_id"], "d/k");
    assert_eq!(get(&before, &c, "k").unwrap()["_id"], "c/k");
    let catalog = store.catalog();
    assert!(catalog.database("_system").unwrap().collection("c").is_none());
    insert(&store, &c, r#"{"_key": "l"}"#).unwrap();
    assert_eq!(get_now(&store, &d, "l").unwrap()["_id"], "d/l");
    let graphs = present(&store, "_graphs");
    assert_eq!(store.rename_collection(&graphs, "graphs").unwrap_err().code(), ErrorCode::Forbidden);
}

#[test]
fn the_version_grows_with_every_change() {
    let store = store();
    let mut last = store.catalog().version();
    let mut grew = || {
        let version = store.catalog().version();
        assert!(version > last);
        last = version;
    };
    let c = create(&store, "c", CollectionType::Document);
    grew();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"]}"#).unwrap();
    grew();
    store.truncate(&c).unwrap();
    grew();
    store.change_properties(&c, CollectionChanges::default()).unwrap();
    grew();
    insert(&store, &c, "{}").unwrap();
    assert_eq!(store.catalog().version(), last);
    let error = create_with(&store, r#"{"name": "c"}"#).unwrap_err();
    assert_eq!((error.code(), store.catalog().version()), (ErrorCode::DuplicateName, last));
}

#[test]
fn truncation_empties_documents_and_indexes() {
    let store = store();
    let c =
        create_with(&store, r#"{"name": "c", "type": 3, "keyOptions": {"type": "autoincrement"}}"#).unwrap();
    let (index, _) =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true}"#).unwrap();
    for n in 0..5 {
        insert(&store, &c, &format!(r#"{{"u": {n}, "_from": "v/1", "_to": "v/2"}}"#)).unwrap();
    }
    let before = store.snapshot().unwrap();
    let revision = c.revision_now();
    store.truncate(&c).unwrap();
    let now = store.snapshot().unwrap();
    let emptied = present(&store, "c");
    assert_eq!((keys(&now, &emptied).len(), now.count(&emptied).unwrap()), (0, 0));
    assert_eq!(indexed_keys(&store, &emptied, emptied.index(index.id()).unwrap()), [""; 0]);
    assert_eq!(edges(&now, &emptied, storage::EdgeDirection::Outbound, "v/1"), []);
    assert_eq!((keys(&before, &c).len(), before.count(&c).unwrap()), (5, 5));
    assert!(emptied.revision_now() > revision);
    let outcome = insert(&store, &c, r#"{"u": 1, "_from": "v/1", "_to": "v/2"}"#).unwrap();
    assert_eq!(outcome.key, "6");
}

#[test]
fn truncation_is_possible_inside_a_transaction() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "a"}"#).unwrap();
    let mut transaction = begin(&store);
    transaction.insert(&c, Slice::new(&value(r#"{"_key": "b"}"#)), &WriteOptions::default()).unwrap();
    assert_eq!(transaction.truncate(&c).unwrap(), 2);
    transaction.insert(&c, Slice::new(&value(r#"{"_key": "c"}"#)), &WriteOptions::default()).unwrap();
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 1);
    transaction.commit(Durability::Buffered).unwrap();
    assert_eq!(keys(&store.snapshot().unwrap(), &c), ["c"]);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 1);
}

#[test]
fn users_are_kept() {
    let engine = engine();
    let store = open(&engine);
    let mut user = UserDefinition::new("anna", "hash".to_owned());
    store.create_user(user.clone()).unwrap();
    assert_eq!(store.create_user(user.clone()).unwrap_err().code(), ErrorCode::UserDuplicate);
    store
        .change_user("anna", |user| {
            user.active = false;
            user.rights.grant_collection("d", "c", AccessLevel::ReadOnly);
            Ok(())
        })
        .unwrap();
    user.active = false;
    user.rights.grant_collection("d", "c", AccessLevel::ReadOnly);
    assert_eq!(**store.catalog().user("anna").unwrap(), user);
    assert_eq!(**open(&engine).catalog().user("anna").unwrap(), user);
    assert_eq!(store.change_user("otto", |_| Ok(())).unwrap_err().code(), ErrorCode::UserNotFound);
    assert_eq!(
        store.create_user(UserDefinition::new("", String::new())).unwrap_err().code(),
        ErrorCode::UserInvalidName
    );
    store.remove_user("anna").unwrap();
    assert_eq!(store.remove_user("anna").unwrap_err().code(), ErrorCode::UserNotFound);
    assert_eq!(open(&engine).catalog().users().len(), 0);
}

#[test]
fn everything_is_there_after_a_restart() {
    let engine = engine();
    let store = open(&engine);
    store.create_database("shop").unwrap();
    let c = create_with(
        &store,
        r#"{"name": "c", "type": 3, "waitForSync": true, "keyOptions": {"type": "autoincrement"}}"#,
    )
    .unwrap();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"], "name": "by_a"}"#).unwrap();
    for n in 0..10 {
        insert(&store, &c, &format!(r#"{{"a": {}, "_from": "v/1", "_to": "v/{n}"}}"#, n % 5)).unwrap();
    }
    remove(&store, &c, "10").unwrap();
    store.put_setting("secret", b"value").unwrap();
    let c = present(&store, "c");
    let (server_id, documents) = (store.server_id(), all(&store.snapshot().unwrap(), &c));
    // The engine stays open, because it has no files from which to recover.
    store.maintain().unwrap();
    drop(store);
    let store = open(&engine);
    assert!(!store.is_new());
    let reopened = present(&store, "c");
    assert_eq!(reopened.definition(), c.definition());
    assert_eq!(all(&store.snapshot().unwrap(), &reopened), documents);
    assert_eq!((reopened.count_now(), reopened.last_key_value()), (9, 10));
    assert_eq!(reopened.revision_now(), c.revision_now());
    assert_eq!(
        reopened.find_index("by_a").unwrap().selectivity_estimate(),
        c.find_index("by_a").unwrap().selectivity_estimate()
    );
    assert_eq!(store.server_id(), server_id);
    assert_eq!(store.setting("secret").unwrap().as_deref(), Some(&b"value"[..]));
    assert_eq!(store.setting("other").unwrap(), None);
    let inserted = insert(&store, &reopened, r#"{"_from": "v/1", "_to": "v/1"}"#).unwrap();
    assert_eq!(inserted.key, "11");
    assert!(inserted.revision > c.revision_now());
    assert!(store.catalog().database("shop").is_some());
}

#[test]
fn revisions_ascend_across_a_restart_with_a_clock_that_went_back() {
    let engine = engine();
    let store = open(&engine);
    let c = create(&store, "c", CollectionType::Document);
    // A little less than an hour ahead, as if the machine's clock had been wrong.
    let revision_of_now = |store: &Store, c: &storage::Collection| insert(store, c, "{}").unwrap().revision;
    let ahead = Revision(revision_of_now(&store, &c).0 + (3_500_000 << 20));
    let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
    insert_with(&store, &c, &format!(r#"{{"_key": "k", "_rev": "{ahead}"}}"#), &restore).unwrap();
    assert!(revision_of_now(&store, &c) > ahead);
    let store = open(&engine);
    assert!(revision_of_now(&store, &present(&store, "c")) > ahead);
}

#[test]
fn a_newer_format_is_refused() {
    let engine = engine();
    drop(open(&engine));
    let mut key = vec![0; 8];
    key.push(1);
    let mut transaction = engine.begin(kv::TransactionOptions::default()).unwrap();
    transaction.put(&key, &[2, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    transaction.commit(kv::Durability::Buffered).unwrap();
    let error = Store::open(engine, options()).err().unwrap();
    assert_eq!(error.code(), ErrorCode::IncompatibleVersion);
}

#[test]
fn a_read_only_server_refuses_writes() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    store.set_read_only(true);
    assert_eq!(insert(&store, &c, "{}").unwrap_err().code(), ErrorCode::ReadOnly);
    // The same holds for a transaction that names its collections in advance, as requests and
    // queries do.
    for exclusive in [true, false] {
        let (exclusive, write) =
            if exclusive { (vec![c.clone()], vec![]) } else { (vec![], vec![c.clone()]) };
        let begun = store.begin(&TransactionOptions { exclusive, write, ..TransactionOptions::default() });
        assert_eq!(begun.err().unwrap().code(), ErrorCode::ReadOnly);
    }
    assert_eq!(create_with(&store, r#"{"name": "d"}"#).unwrap_err().code(), ErrorCode::ReadOnly);
    assert_eq!(store.truncate(&c).unwrap_err().code(), ErrorCode::ReadOnly);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 0);
    store.set_read_only(false);
    insert(&store, &c, "{}").unwrap();
}

#[test]
fn checksums_do_not_depend_on_order_or_encoding() {
    let store = store();
    let (c, d) =
        (create(&store, "c", CollectionType::Document), create(&store, "d", CollectionType::Document));
    let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
    insert_with(&store, &c, r#"{"_key": "1", "_rev": "_cPlZM_e---", "a": 1, "b": 2}"#, &restore).unwrap();
    insert(&store, &c, r#"{"_key": "2", "a": [1]}"#).unwrap();
    insert(&store, &d, r#"{"_key": "2", "a": [1.0]}"#).unwrap();
    insert_with(&store, &d, r#"{"_key": "1", "_rev": "_cPlZM_e--A", "b": 2, "a": 1}"#, &restore).unwrap();
    let snapshot = store.snapshot().unwrap();
    let sums = |revisions, data| {
        (snapshot.checksum(&c, revisions, data).unwrap(), snapshot.checksum(&d, revisions, data).unwrap())
    };
    let (left, right) = sums(false, true);
    assert_eq!(left, right);
    assert_ne!(left, sums(false, false).0);
    let (left, right) = sums(true, true);
    assert_ne!(left, right);
    update(&store, &d, "2", r#"{"a": [2]}"#).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_ne!(snapshot.checksum(&c, false, true).unwrap(), snapshot.checksum(&d, false, true).unwrap());
    assert_eq!(snapshot.checksum(&c, false, false).unwrap(), snapshot.checksum(&d, false, false).unwrap());
}

/// Sets `computed` to the number of attributes; refuses the expression `illegal`.
struct Counting;

struct Counted;

impl ComputedValuesCompiler for Counting {
    fn compile(&self, values: &[catalog::ComputedValue]) -> errors::Result<Arc<dyn ComputedValues>> {
        if values.iter().any(|value| value.expression == "illegal") {
            return Err(errors::Error::bad_parameter("illegal expression"));
        }
        Ok(Arc::new(Counted))
    }
}

impl ComputedValues for Counted {
    fn applies_to(&self, event: ComputeEvent) -> bool {
        event != ComputeEvent::Replace
    }

    fn compute(
        &self,
        event: ComputeEvent,
        document: Slice<'_>,
        collection: &str,
        _owner: Option<&aql_value::Owner>,
    ) -> errors::Result<Option<Vec<u8>>> {
        let mut computed = to_json(document, collection);
        assert_eq!(computed["_id"], format!("{collection}/{}", computed["_key"].as_str().unwrap()));
        if computed.get("fail").is_some() {
            return Err(errors::Error::bad_parameter("computing failed"));
        }
        computed["computed"] = format!("{event:?}").into();
        computed["_key"] = "ignored".into();
        Ok(Some(value(&computed.to_string())))
    }
}

#[test]
fn computed_values_are_left_to_the_layer_above() {
    let engine = engine();
    let options = StoreOptions { computed_values: Some(Arc::new(Counting)), ..options() };
    let store = Store::open(Arc::clone(&engine), options).unwrap();
    let properties = |expression: &str| {
        format!(
            r#"{{"name": "c", "computedValues": [{{"name": "computed", "expression": "{expression}", "overwrite": true}}]}}"#
        )
    };
    assert_eq!(create_with(&store, &properties("illegal")).unwrap_err().code(), ErrorCode::BadParameter);
    let c = create_with(&store, &properties("RETURN 1")).unwrap();
    insert(&store, &c, r#"{"_key": "k"}"#).unwrap();
    assert_eq!(get_now(&store, &c, "k").unwrap()["computed"], "Insert");
    update(&store, &c, "k", "{}").unwrap();
    assert_eq!(get_now(&store, &c, "k").unwrap()["computed"], "Update");
    replace(&store, &c, "k", r#"{"a": 1}"#).unwrap();
    assert_eq!(get_now(&store, &c, "k").unwrap().get("computed"), None);
    assert_eq!(insert(&store, &c, r#"{"fail": 1}"#).unwrap_err().message(), "computing failed");
    let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
    insert_with(&store, &c, r#"{"_key": "r"}"#, &restore).unwrap();
    assert_eq!(get_now(&store, &c, "r").unwrap().get("computed"), None);

    // A program without a compiler opens the store and reads, but refuses to write.
    let without = open(&engine);
    let c = present(&without, "c");
    assert!(get_now(&without, &c, "k").is_some());
    assert_eq!(insert(&without, &c, "{}").unwrap_err().code(), ErrorCode::NotImplemented);
    assert_eq!(
        create_with(&without, &properties("RETURN 1").replace("\"c\"", "\"d\"")).unwrap_err().code(),
        ErrorCode::NotImplemented
    );
    let changes = CollectionChanges { computed_values: Some(Vec::new()), ..CollectionChanges::default() };
    without.change_properties(&c, changes).unwrap();
    insert(&without, &c, "{}").unwrap();
}

#[test]
fn recounting_corrects_a_wrong_count() {
    let engine = engine();
    let store = open(&engine);
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "a"}"#).unwrap();
    // Deletes the document directly in the engine.
    let mut key = c.definition().object_id.0.to_be_bytes().to_vec();
    key.extend_from_slice(b"a");
    let mut transaction = engine.begin(kv::TransactionOptions::default()).unwrap();
    transaction.delete(&key).unwrap();
    transaction.commit(kv::Durability::Buffered).unwrap();
    assert_eq!(c.count_now(), 1);
    assert_eq!(store.recalculate_count(&c).unwrap(), 0);
    assert_eq!((c.count_now(), store.snapshot().unwrap().count(&c).unwrap()), (0, 0));
    assert_eq!(present(&open(&engine), "c").count_now(), 0);
}

#[test]
fn split_points_divide_a_collection() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for n in 0..1000 {
        insert(&store, &c, &format!(r#"{{"_key": "k{n:04}"}}"#)).unwrap();
    }
    let points = store.split_points(&c, 4).unwrap();
    assert!(points.len() <= 3 && !points.is_empty(), "{points:?}");
    assert!(points.is_sorted_by(|a, b| a < b));
    assert!(points.iter().all(|point| point.as_str() > "k0000" && point.as_str() < "k0999"), "{points:?}");
}

#[test]
fn parts_between_split_points_show_each_document_of_a_snapshot_once() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for n in 0..500 {
        insert(&store, &c, &format!(r#"{{"_key": "k{n:04}"}}"#)).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    // The split follows a later state than the snapshot.
    for n in 500..2000 {
        insert(&store, &c, &format!(r#"{{"_key": "k{n:04}"}}"#)).unwrap();
    }
    for (after, expected) in [(None, 500), (Some("k0099"), 400), (Some("k1500"), 0), (Some("z"), 0)] {
        let points = snapshot.split_points(&c, after, 7).unwrap();
        assert!(points.is_sorted_by(|left, right| left < right) && points.len() < 7, "{points:?}");
        assert!(points.iter().all(|point| after.is_none_or(|after| point.as_str() > after)), "{points:?}");
        let bound = |key: &str, inclusive| Some(storage::KeyBound { key: key.to_owned(), inclusive });
        let mut from = after.and_then(|after| bound(after, false));
        let mut keys = Vec::new();
        for point in points.iter().map(Some).chain([None]) {
            let to = point.and_then(|point| bound(point, false));
            let next = point.and_then(|point| bound(point, true));
            let spec = storage::DocumentScanSpec {
                from_key: std::mem::replace(&mut from, next),
                to_key: to,
                is_part: true,
                sequential: true,
                repeated: true,
                ..storage::DocumentScanSpec::default()
            };
            let mut scan = snapshot.scan(&c, &spec).unwrap();
            while let Some(block) =
                scan.next_block(storage::BlockLimits { rows: 10, bytes: 1 << 20 }).unwrap()
            {
                keys.extend(
                    block.iter().map(|document| document.get("_key").unwrap().as_str().unwrap().to_owned()),
                );
            }
        }
        assert_eq!(keys.len(), expected, "after {after:?}");
        assert!(keys.is_sorted_by(|left, right| left < right));
    }
}
