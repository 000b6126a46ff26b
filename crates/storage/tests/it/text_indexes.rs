//! Text indexes: what is committed is found, exactly once, through restarts and merges.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::CollectionType;
use errors::{Error, ErrorCode};
use proptest::prelude::*;
use search::{Hits, Query, Step, Value};
use storage::{
    Collection, Durability, Index, OverwriteMode, SearchOptions, Snapshot, Store, StoreOptions,
    TransactionOptions, WaitPolicy, WriteOptions,
};
use velocypack::Slice;

use crate::common::{self, *};

const INDEX: &str = r#"{"type": "inverted", "fields": ["a", {"name": "t", "analyzer": "text_en"}],
    "commitIntervalMsec": 1, "consolidationIntervalMsec": 1}"#;

fn options_in(folder: &Path) -> StoreOptions {
    let search = SearchOptions { folder: Some(folder.join("search")), ..SearchOptions::default() };
    StoreOptions { search, ..options() }
}

fn open_in(folder: &Path) -> Arc<Store> {
    Store::open(engine_in(&folder.join("engine")), options_in(folder)).unwrap()
}

fn inverted(collection: &Collection) -> Arc<Index> {
    let index = collection.indexes().iter().find(|index| index.search_schema().is_some());
    Arc::clone(index.unwrap())
}

/// Returns the keys of the hits that the snapshot's documents confirm.
fn found(snapshot: &Snapshot, collection: &Collection, query: &Query) -> Vec<String> {
    let state = snapshot.search_state(&[inverted(collection)], &|| Ok(())).unwrap();
    let mut hits = Hits::new(Arc::clone(state.snapshot()), query, &[], &aql_value::Interrupt::new()).unwrap();
    let mut keys = Vec::new();
    while let Some(hit) = hits.advance().unwrap() {
        assert_eq!(state.owner(hit), 0);
        let documents = snapshot.get(collection, &[hits.key(hit)]).unwrap();
        let revision = documents.get(0).and_then(|document| document.get("_rev")).and_then(Slice::as_str);
        if revision.and_then(storage::Revision::parse) == Some(storage::Revision(hits.revision(hit))) {
            keys.push(hits.key(hit).to_owned());
        }
    }
    keys.sort();
    keys
}

fn number(collection: &Collection, value: i64) -> Query {
    let field = inverted(collection).search_schema().unwrap().field(&[Step::Attribute("a")]).unwrap();
    Query::equal(field, Value::Number(value.into()))
}

fn word(collection: &Collection, word: &str) -> Query {
    let field = inverted(collection).search_schema().unwrap().field(&[Step::Attribute("t")]).unwrap();
    Query::equal(field, Value::Text(word.to_owned()))
}

fn index_now(store: &Store, collection: &Collection) {
    store.index_now(&[inverted(collection)], &|| Ok(())).unwrap();
}

fn found_now(store: &Store, collection: &str, query: impl Fn(&Collection) -> Query) -> Vec<String> {
    let collection = present(store, collection);
    index_now(store, &collection);
    found(&store.snapshot().unwrap(), &collection, &query(&collection))
}

#[derive(Clone, Debug)]
enum Operation {
    Write {
        key: u8,
        value: i64,
        replace: bool,
    },
    Remove {
        key: u8,
    },
    /// Several writes that are committed together, or not at all.
    Transaction {
        writes: Vec<(u8, Option<i64>)>,
        commit: bool,
    },
    Load {
        first: u8,
        values: Vec<i64>,
    },
    Truncate,
    Index,
    Save,
    Merge,
    /// A restart; without a clean end, nothing is saved before.
    Restart {
        clean: bool,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    let key = || 0u8..12;
    let value = || 0i64..4;
    let write = (key(), proptest::option::weighted(0.8, value()));
    prop_oneof![
        6 => (key(), value(), any::<bool>())
            .prop_map(|(key, value, replace)| Operation::Write { key, value, replace }),
        3 => key().prop_map(|key| Operation::Remove { key }),
        2 => (prop::collection::vec(write, 1..6), any::<bool>())
            .prop_map(|(writes, commit)| Operation::Transaction { writes, commit }),
        2 => (12u8..200, prop::collection::vec(value(), 1..6))
            .prop_map(|(first, values)| Operation::Load { first, values }),
        1 => Just(Operation::Truncate),
        4 => Just(Operation::Index),
        2 => Just(Operation::Save),
        2 => Just(Operation::Merge),
        2 => any::<bool>().prop_map(|clean| Operation::Restart { clean }),
    ]
}

/// A store with a folder, and a model of its documents.
struct Machine {
    folder: PathBuf,
    store: Option<Arc<Store>>,
    model: BTreeMap<String, i64>,
}

fn text_of(value: i64) -> String {
    format!("the {} foxes", ["zero", "one", "two", "three"][value as usize % 4])
}

fn body(key: &str, value: i64) -> String {
    format!(r#"{{"_key": "{key}", "a": {value}, "t": "{}"}}"#, text_of(value))
}

impl Machine {
    fn store(&self) -> &Arc<Store> {
        self.store.as_ref().unwrap()
    }

    fn apply(&mut self, operation: Operation) {
        let store = Arc::clone(self.store());
        let c = present(&store, "c");
        match operation {
            Operation::Write { key, value, replace } => {
                let mode = if replace { OverwriteMode::Replace } else { OverwriteMode::Update };
                let options = WriteOptions { overwrite_mode: mode, ..WriteOptions::default() };
                insert_with(&store, &c, &body(&key.to_string(), value), &options).unwrap();
                self.model.insert(key.to_string(), value);
            }
            Operation::Remove { key } => {
                let removed = remove(&store, &c, &key.to_string()).is_ok();
                assert_eq!(removed, self.model.remove(&key.to_string()).is_some());
            }
            Operation::Transaction { writes, commit } => self.transact(&store, &c, writes, commit),
            Operation::Load { first, values } => {
                let load = store.load_documents(&c, &WriteOptions::default(), LOAD_WAIT).unwrap();
                let mut load = load.unwrap();
                let mut loaded = BTreeMap::new();
                for (position, value) in values.into_iter().enumerate() {
                    let key = format!("{}", usize::from(first) + position);
                    load.add(Slice::new(&common::value(&body(&key, value)))).unwrap();
                    loaded.insert(key, value);
                }
                if load.finish().unwrap() == storage::LoadOutcome::Loaded {
                    self.model.extend(loaded);
                }
            }
            Operation::Truncate => {
                store.truncate(&c).unwrap();
                self.model.clear();
            }
            Operation::Index => index_now(&store, &c),
            Operation::Save => store.save_text_indexes().unwrap(),
            Operation::Merge => assert_eq!(store.merge_due(&|| Ok(())), []),
            Operation::Restart { clean } => {
                drop(c);
                self.restart(store, clean);
            }
        }
    }

    fn transact(&mut self, store: &Store, c: &Collection, writes: Vec<(u8, Option<i64>)>, commit: bool) {
        let mut transaction = store.begin(&TransactionOptions::default()).unwrap();
        let mut after = self.model.clone();
        let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
        for (key, value) in writes {
            let key = key.to_string();
            match value {
                Some(value) => {
                    let body = common::value(&body(&key, value));
                    transaction.insert(c, Slice::new(&body), &options).unwrap();
                    after.insert(key, value);
                }
                None => {
                    let _ = transaction.remove(c, &key, Slice::NONE, &WriteOptions::default());
                    after.remove(&key);
                }
            }
        }
        if commit {
            transaction.commit(Durability::Buffered).unwrap();
            self.model = after;
        }
    }

    fn restart(&mut self, store: Arc<Store>, clean: bool) {
        self.store = None;
        if clean {
            store.close().unwrap();
        } else {
            store.engine().close().unwrap();
        }
        drop(store);
        self.store = Some(open_in(&self.folder));
    }

    /// Compares what is found for each value with the model.
    fn check(&self) {
        let store = self.store();
        let c = present(store, "c");
        index_now(store, &c);
        let snapshot = store.snapshot().unwrap();
        for value in 0..4 {
            let expected: Vec<&String> =
                self.model.iter().filter(|(_, own)| **own == value).map(|(key, _)| key).collect();
            let text = ["zero", "one", "two", "three"][value as usize];
            assert_eq!(found(&snapshot, &c, &number(&c, value)).iter().collect::<Vec<_>>(), expected);
            let words = found(&snapshot, &c, &word(&c, text));
            assert_eq!(words.iter().collect::<Vec<_>>(), expected, "{text}");
        }
        let all: BTreeSet<String> = found(&snapshot, &c, &Query::All).into_iter().collect();
        assert!(all.iter().eq(self.model.keys()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_agrees_with_a_model(
        before in prop::collection::vec(0i64..4, 0..6),
        operations in prop::collection::vec(operation(), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = open_in(folder.path());
        let c = create(&store, "c", CollectionType::Document);
        let mut model = BTreeMap::new();
        for (key, value) in before.into_iter().enumerate() {
            insert(&store, &c, &body(&key.to_string(), value)).unwrap();
            model.insert(key.to_string(), value);
        }
        create_index(&store, &c, INDEX).unwrap();
        drop(c);
        let mut machine = Machine { folder: folder.path().to_owned(), store: Some(store), model };
        for operation in operations {
            machine.apply(operation);
        }
        machine.check();
        let store = Arc::clone(machine.store());
        machine.restart(store, false);
        machine.check();
    }
}

#[test]
fn documents_before_the_index_are_found_immediately() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    for n in 0..50 {
        insert(&store, &c, &body(&format!("k{n}"), n % 4)).unwrap();
    }
    create_index(&store, &c, INDEX).unwrap();
    let c = present(&store, "c");
    let snapshot = store.snapshot().unwrap();
    assert_eq!(found(&snapshot, &c, &number(&c, 1)).len(), 13);
    assert_eq!(inverted(&c).text_statistics().unwrap().living_documents, 50);
}

#[test]
fn a_snapshot_keeps_its_state() {
    let store = store();
    create(&store, "c", CollectionType::Document);
    create_index(&store, &present(&store, "c"), INDEX).unwrap();
    let c = present(&store, "c");
    insert(&store, &c, &body("a", 1)).unwrap();
    index_now(&store, &c);
    let before = store.snapshot().unwrap();
    assert_eq!(found(&before, &c, &number(&c, 1)), ["a"]);
    insert(&store, &c, &body("b", 1)).unwrap();
    remove(&store, &c, "a").unwrap();
    index_now(&store, &c);
    assert_eq!(found(&before, &c, &number(&c, 1)), ["a"]);
    assert_eq!(found(&before, &c, &number(&c, 1)), ["a"]);
    assert_eq!(found(&store.snapshot().unwrap(), &c, &number(&c, 1)), ["b"]);
    store.truncate(&c).unwrap();
    assert_eq!(found(&before, &c, &number(&c, 1)), ["a"]);
    assert_eq!(found_now(&store, "c", |c| number(c, 1)), Vec::<String>::new());
}

#[test]
fn a_document_is_invisible_before_its_step() {
    let store = store();
    create(&store, "c", CollectionType::Document);
    create_index(&store, &present(&store, "c"), INDEX).unwrap();
    let c = present(&store, "c");
    insert(&store, &c, &body("a", 1)).unwrap();
    assert_eq!(found(&store.snapshot().unwrap(), &c, &number(&c, 1)), Vec::<String>::new());
    // The step is due after this time.
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert_eq!(store.index_due(&|| Ok(())), []);
    assert_eq!(found(&store.snapshot().unwrap(), &c, &number(&c, 1)), ["a"]);
}

#[test]
fn writers_wait_while_an_index_is_far_behind() {
    let store = store();
    create(&store, "c", CollectionType::Document);
    create_index(&store, &present(&store, "c"), INDEX).unwrap();
    let c = present(&store, "c");
    // The step is due after this time.
    let step = || {
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert_eq!(store.index_due(&|| Ok(())), []);
    };
    step();
    // More than an indexer is expected to index in a second.
    write(&store, |transaction| {
        for n in 0..15_000 {
            transaction.insert(
                &c,
                Slice::new(&value(&body(&format!("k{n}"), n))),
                &WriteOptions::default(),
            )?;
        }
        Ok(())
    })
    .unwrap();
    let options = |wait| TransactionOptions {
        write: vec![Arc::clone(&c)],
        wait,
        collection_wait: Some(wait),
        ..TransactionOptions::default()
    };
    let refused = store.begin(&options(WaitPolicy::NoWait)).err().unwrap();
    assert_eq!(refused.code(), ErrorCode::LockTimeout);
    let long = options(WaitPolicy::UpTo(std::time::Duration::from_secs(60)));
    let killed = store.begin_unless(&long, &|| Err(Error::killed())).err().unwrap();
    assert_eq!(killed.code(), ErrorCode::QueryKilled);
    step();
    drop(store.begin(&options(WaitPolicy::NoWait)).unwrap());
    assert_eq!(found(&store.snapshot().unwrap(), &c, &number(&c, 7)), ["k7"]);
    assert_eq!(inverted(&c).text_statistics().unwrap().delay_ms, 0);
}

fn folders(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path)
        .map_or_else(|_| Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
}

#[test]
fn damaged_segments_are_built_again() {
    for damage in ["missing", "cut", "other"] {
        let folder = tempfile::tempdir().unwrap();
        let store = open_in(folder.path());
        let c = create(&store, "c", CollectionType::Document);
        for n in 0..20 {
            insert(&store, &c, &body(&n.to_string(), n % 4)).unwrap();
        }
        create_index(&store, &c, INDEX).unwrap();
        store.close().unwrap();
        drop((store, c));
        let object = folders(&folder.path().join("search")).remove(0);
        let segment = folders(&object).remove(0);
        match damage {
            "missing" => fs::remove_dir_all(&segment).unwrap(),
            "cut" => {
                for file in folders(&segment) {
                    fs::write(file, "x").unwrap();
                }
            }
            _ => fs::rename(&segment, object.join("0")).unwrap(),
        }
        let store = open_in(folder.path());
        let notices = store.index_due(&|| Ok(()));
        assert_eq!(notices.len(), 1, "{damage}");
        assert!(!notices[0].is_failure && notices[0].message.contains("was rebuilt"), "{notices:?}");
        assert_eq!(found_now(&store, "c", |c| number(c, 1)).len(), 5, "{damage}");
        store.save_text_indexes().unwrap();
        assert_eq!(folders(&object).len(), 1, "{damage}");
    }
}

#[test]
fn dropped_indexes_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let search = folder.path().join("search");
    let store = open_in(folder.path());
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, &body("a", 1)).unwrap();
    let (index, _) = create_index(&store, &c, INDEX).unwrap();
    store.save_text_indexes().unwrap();
    assert_eq!(folders(&search).len(), 1);
    store.truncate(&c).unwrap();
    index_now(&store, &present(&store, "c"));
    insert(&store, &c, &body("b", 1)).unwrap();
    index_now(&store, &present(&store, "c"));
    store.save_text_indexes().unwrap();
    assert_eq!(folders(&search).len(), 1);
    store.drop_index(&present(&store, "c"), index.id()).unwrap();
    assert_eq!(folders(&search), Vec::<PathBuf>::new());
    create_index(&store, &c, INDEX).unwrap();
    store.save_text_indexes().unwrap();
    store.drop_collection(&c, false).unwrap();
    assert_eq!(folders(&search), Vec::<PathBuf>::new());
    // The start removes what a crash has left.
    store.close().unwrap();
    drop((store, c, index));
    fs::create_dir_all(search.join("77").join("1")).unwrap();
    let _store = open_in(folder.path());
    assert_eq!(folders(&search), Vec::<PathBuf>::new());
}

#[test]
fn the_documents_of_a_step_are_one_segment() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path());
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, INDEX).unwrap();
    let c = present(&store, "c");
    for n in 0..50 {
        insert(&store, &c, &body(&n.to_string(), n)).unwrap();
    }
    index_now(&store, &c);
    let statistics = inverted(&c).text_statistics().unwrap();
    assert_eq!((statistics.living_documents, statistics.segments, statistics.files), (50, 1, 0));
}

/// A few documents are built in memory, so an index without a save is built again.
#[test]
fn an_index_that_was_never_saved_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let search = folder.path().join("search");
    let store = open_in(folder.path());
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, &body("a", 1)).unwrap();
    create_index(&store, &c, INDEX).unwrap();
    insert(&store, &present(&store, "c"), &body("b", 1)).unwrap();
    assert_eq!(found_now(&store, "c", |c| number(c, 1)), ["a", "b"]);
    assert_eq!(folders(&search), Vec::<PathBuf>::new(), "a build of a few documents writes no file");
    // As after a crash: only the engine is closed, which saves no segment.
    store.engine().close().unwrap();
    drop((store, c));
    let store = open_in(folder.path());
    assert_eq!(found_now(&store, "c", |c| number(c, 1)), ["a", "b"]);
    insert(&store, &present(&store, "c"), &body("c", 1)).unwrap();
    assert_eq!(found_now(&store, "c", |c| number(c, 1)), ["a", "b", "c"]);
    store.save_text_indexes().unwrap();
    assert_eq!(folders(&search).len(), 1);
}

/// A query whose time is over, or that is killed, ends while it makes the first step of an index.
#[test]
fn a_search_may_end_during_the_first_step() {
    // From 20,000 documents on, several threads index them.
    for count in [2_500, 21_000] {
        let engine = engine();
        let store = open(&engine);
        let c = create(&store, "c", CollectionType::Document);
        create_index(&store, &c, INDEX).unwrap();
        let options = WriteOptions::default();
        let mut load = store.load_documents(&present(&store, "c"), &options, LOAD_WAIT).unwrap().unwrap();
        for n in 0..count {
            load.add(Slice::new(&value(&body(&n.to_string(), n % 4)))).unwrap();
        }
        load.finish().unwrap();
        drop((store, c));
        // Without a folder, a store that opens has to index all documents.
        let store = open(&engine);
        let c = present(&store, "c");
        for allowed in [0, 1, 2] {
            let calls = Cell::new(0);
            let check = || {
                calls.set(calls.get() + 1);
                if calls.get() > allowed { Err(Error::of(ErrorCode::QueryKilled)) } else { Ok(()) }
            };
            let outcome = store.snapshot().unwrap().search_state(&[inverted(&c)], &check);
            assert_eq!(outcome.err().unwrap().code(), ErrorCode::QueryKilled, "{count}: {allowed}");
            assert_eq!(calls.get(), allowed + 1, "the step ends immediately");
        }
        assert_eq!(found(&store.snapshot().unwrap(), &c, &number(&c, 1)).len(), count as usize / 4);
    }
}

#[test]
fn saved_documents_leave_the_outbox() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path());
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, INDEX).unwrap();
    let c = present(&store, "c");
    let object = inverted(&c).definition().object_id.0.to_be_bytes();
    let pairs = || {
        let mut prefix = object.to_vec();
        prefix.push(1);
        let spec = kv::ScanSpec::forward(kv::KeyRange::prefix(&prefix));
        let mut scan = store.engine().snapshot().unwrap().scan(spec).unwrap();
        scan.next_block(LIMITS).unwrap().map_or(0, |block| block.len())
    };
    insert(&store, &c, &body("a", 1)).unwrap();
    update(&store, &c, "a", r#"{"a": 2}"#).unwrap();
    assert_eq!(pairs(), 2);
    index_now(&store, &c);
    assert_eq!(pairs(), 2);
    remove(&store, &c, "a").unwrap();
    store.save_text_indexes().unwrap();
    assert_eq!(pairs(), 1);
    index_now(&store, &c);
    store.save_text_indexes().unwrap();
    assert_eq!(pairs(), 0);
}

#[test]
fn long_keys_and_texts_are_found() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "inverted", "fields": ["a"]}"#).unwrap();
    let c = present(&store, "c");
    let key = "k".repeat(254);
    let text = "x".repeat(100_000);
    insert(&store, &c, &format!(r#"{{"_key": "{key}", "a": "{text}"}}"#)).unwrap();
    index_now(&store, &c);
    let field = inverted(&c).search_schema().unwrap().field(&[Step::Attribute("a")]).unwrap();
    let query = Query::equal(field, Value::Text(text));
    assert_eq!(found(&store.snapshot().unwrap(), &c, &query), [key]);
}

#[test]
fn an_index_with_an_unknown_analyzer_is_refused() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let wrong = create_index(&store, &c, r#"{"type": "inverted", "fields": ["a"], "analyzer": "none"}"#);
    assert_eq!(wrong.err().unwrap().code(), errors::ErrorCode::BadParameter);
    assert_eq!(present(&store, "c").indexes().len(), 1);
}

#[test]
fn several_indexes_are_searched_as_one() {
    let store = store();
    for name in ["c", "d"] {
        let collection = create(&store, name, CollectionType::Document);
        create_index(&store, &collection, INDEX).unwrap();
        let collection = present(&store, name);
        insert(&store, &collection, &body(name, 1)).unwrap();
        index_now(&store, &collection);
    }
    let indexes = [inverted(&present(&store, "d")), inverted(&present(&store, "c"))];
    let snapshot = store.snapshot().unwrap();
    let state = snapshot.search_state(&indexes, &|| Ok(())).unwrap();
    assert!(Arc::ptr_eq(&state, &snapshot.search_state(&indexes, &|| Ok(())).unwrap()));
    let mut hits =
        Hits::new(Arc::clone(state.snapshot()), &Query::All, &[], &aql_value::Interrupt::new()).unwrap();
    let mut owners = Vec::new();
    while let Some(hit) = hits.advance().unwrap() {
        owners.push((state.owner(hit), hits.key(hit).to_owned()));
    }
    assert_eq!(owners, [(0, "d".to_owned()), (1, "c".to_owned())]);
}
