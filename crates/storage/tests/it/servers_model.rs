//! Concurrent random changes of definitions and documents by several servers: nothing is lost,
//! counted twice or written with an old definition, also if a server dies in between.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use catalog::{CollectionType, SYSTEM_DATABASE};
use errors::{ErrorCode, Result};
use kv_tikv::MemoryCluster;
use storage::{
    BlockLimits, Collection, DocumentScanSpec, Durability, Snapshot, Store, StoreOptions, Transaction,
    TransactionOptions, WaitPolicy, WriteOptions,
};
use velocypack::Slice;

use crate::common::{self, LOAD_WAIT, create, create_index, create_with, indexed_keys, present, value};

const ACCOUNTS: u64 = 6;
const MONEY: u64 = 100;
/// The number of different values of the unique attribute.
const VALUES: u64 = 200;
/// The operations of each thread.
const ROUNDS: usize = 40;

/// The indexes that come and go.
const INDEXES: [&str; 3] = [
    r#"{"type":"persistent","name":"by-u","fields":["u"],"unique":true,"sparse":true}"#,
    r#"{"type":"persistent","name":"by-a","fields":["a"]}"#,
    r#"{"type":"persistent","name":"by-t","fields":["t[*]"]}"#,
];

fn open(cluster: &MemoryCluster, lease: Duration) -> Arc<Store> {
    let options = StoreOptions {
        collection_wait: WaitPolicy::UpTo(Duration::from_secs(30)),
        sync_definitions: false,
        ..StoreOptions::default()
    };
    Store::open(cluster.open(lease).unwrap(), options).unwrap()
}

/// A source of random numbers that gives the same ones for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Returns true for errors of an operation some of whose messages were lost.
pub(crate) fn may_fail(error: &errors::Error) -> bool {
    error.is_retryable() || error.code() == ErrorCode::TransactionInternal
}

/// Runs one transaction. Returns false if it did not take place.
fn attempt(store: &Store, name: &str, work: impl Fn(&mut Transaction, &Collection) -> Result<()>) -> bool {
    let collection = present(store, name);
    let options = TransactionOptions { write: vec![Arc::clone(&collection)], ..Default::default() };
    let outcome = store.begin(&options).and_then(|mut transaction| {
        work(&mut transaction, &collection)?;
        transaction.commit(Durability::Buffered)
    });
    match outcome {
        Ok(()) => true,
        Err(error) => {
            let expected = [
                ErrorCode::Conflict,
                ErrorCode::UniqueConstraintViolated,
                ErrorCode::LockTimeout,
                ErrorCode::DocumentNotFound,
            ];
            assert!(expected.contains(&error.code()) || may_fail(&error), "{error}");
            false
        }
    }
}

fn transfer(store: &Store, random: &mut Random) {
    let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
    if from == to {
        return;
    }
    attempt(store, "accounts", |transaction, collection| {
        for (account, change) in [(from, -1), (to, 1)] {
            let key = account.to_string();
            let view = transaction.view();
            let documents = view.get(collection, &[&key])?;
            let money = documents.get(0).unwrap().get("a").unwrap().as_i64().unwrap();
            let body = value(&format!(r#"{{"a":{},"t":[{money},"x"]}}"#, money + change));
            transaction.replace(collection, &key, Slice::new(&body), &WriteOptions::default())?;
        }
        Ok(())
    });
}

fn write_unique(store: &Store, random: &mut Random, inserted: &AtomicU64) {
    let (number, removed) = (random.below(VALUES), random.below(VALUES));
    let is_removal = random.below(4) == 0;
    let is_done = attempt(store, "unique", |transaction, collection| {
        let options = WriteOptions::default();
        if is_removal {
            transaction.remove(collection, &format!("k{removed}"), Slice::NONE, &options).map(drop)
        } else {
            let body = value(&format!(r#"{{"_key":"k{number}","u":{},"a":1,"t":[1,2]}}"#, number / 2));
            transaction.insert(collection, Slice::new(&body), &options).map(drop)
        }
    });
    if is_done && !is_removal {
        inserted.fetch_add(1, Ordering::Relaxed);
    }
}

/// Loads documents whose keys and unique values others write as well.
fn load_unique(store: &Store, random: &mut Random) {
    let collection = present(store, "unique");
    let first = random.below(VALUES);
    let outcome = store.load_documents(&collection, &WriteOptions::default(), LOAD_WAIT).and_then(|load| {
        let Some(mut load) = load else { return Ok(()) };
        for number in (first..first + 8).step_by(2) {
            let body = value(&format!(r#"{{"_key":"k{number}","u":{},"a":2,"t":[3]}}"#, number / 2));
            load.add(Slice::new(&body))?;
        }
        load.finish().map(drop)
    });
    if let Err(error) = outcome {
        assert!(may_fail(&error), "{error}");
    }
}

/// Moves, merges and splits regions, as a cluster does on its own.
fn rearrange(cluster: &MemoryCluster, random: &mut Random) {
    for _ in 0..ROUNDS * 4 {
        match random.below(3) {
            0 => cluster.move_leaders(),
            1 => cluster.merge_at(random.below(8) as usize),
            _ => cluster.split(&(1000 + random.below(40)).to_be_bytes()),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn define(store: &Store, random: &mut Random) {
    let name = ["accounts", "unique"][random.below(2) as usize];
    let collection = present(store, name);
    let outcome = match random.below(6) {
        0..=2 => {
            let mut index = INDEXES[random.below(INDEXES.len() as u64) as usize].to_owned();
            if name == "accounts" {
                index = index.replace("by-u", "by-none").replace("\"u\"", "\"none\"");
            }
            create_index(store, &collection, &index).map(drop)
        }
        3 => match collection.indexes().get(1) {
            Some(index) => store.drop_index(&collection, index.id()),
            None => Ok(()),
        },
        4 => create_with(store, &format!(r#"{{"name":"s{}"}}"#, random.below(3))).map(drop),
        _ => match store.catalog().database(SYSTEM_DATABASE).unwrap().collection("s1") {
            Some(scratch) => store.truncate(scratch).and_then(|()| store.drop_collection(scratch, false)),
            None => Ok(()),
        },
    };
    if let Err(error) = outcome {
        let expected = [
            ErrorCode::Conflict,
            ErrorCode::UniqueConstraintViolated,
            ErrorCode::LockTimeout,
            ErrorCode::IndexNotFound,
            ErrorCode::DuplicateName,
            ErrorCode::DuplicateIdentifier,
            ErrorCode::DataSourceNotFound,
        ];
        assert!(expected.contains(&error.code()) || may_fail(&error), "{error}");
    }
}

fn documents(snapshot: &Snapshot, collection: &Collection) -> BTreeMap<String, serde_json::Value> {
    let mut found = BTreeMap::new();
    let mut scan = snapshot.scan(collection, &DocumentScanSpec::default()).unwrap();
    while let Some(block) = scan.next_block(BlockLimits { rows: 100, bytes: 1 << 20 }).unwrap() {
        for document in block.iter() {
            let document = common::to_json(document, collection.name());
            found.insert(document["_key"].as_str().unwrap().to_owned(), document);
        }
    }
    found
}

/// Checks that all servers see the same, and that indexes, counts and sums agree with documents.
fn check(stores: &[&Arc<Store>]) {
    let mut seen = Vec::new();
    for store in stores {
        let snapshot = store.snapshot().unwrap();
        let database = snapshot.catalog().database(SYSTEM_DATABASE).unwrap();
        let mut all = BTreeMap::new();
        for name in ["accounts", "unique"] {
            let collection = database.collection(name).unwrap();
            let documents = documents(&snapshot, collection);
            assert_eq!(snapshot.count(collection).unwrap(), documents.len() as u64, "{name}");
            assert_eq!(collection.count_now(), documents.len() as u64, "{name}");
            for index in &collection.indexes()[1..] {
                let keys: BTreeSet<String> = indexed_keys(store, collection, index).into_iter().collect();
                let expected = documents.iter().filter(|(_, document)| match index.name() {
                    "by-u" => !document["u"].is_null(),
                    "by-none" => false,
                    "by-t" => document["t"].is_array(),
                    _ => true,
                });
                let expected: BTreeSet<String> = expected.map(|(key, _)| key.clone()).collect();
                assert_eq!(keys, expected, "{name}: {}", index.name());
            }
            all.insert(name, documents);
        }
        let sum: u64 = all["accounts"].values().map(|account| account["a"].as_u64().unwrap()).sum();
        assert_eq!(sum, ACCOUNTS * MONEY);
        seen.push(all);
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

/// The circumstances in which servers work.
#[derive(Clone, Copy, Default)]
struct Circumstances {
    /// A third server dies.
    dies: bool,
    /// One message in so many is lost; 0 for none.
    failures: u32,
    /// Regions move, split and merge.
    rearranges: bool,
}

/// Runs threads of several servers.
fn run(seed: u64, circumstances: Circumstances) {
    let Circumstances { dies, failures, rearranges } = circumstances;
    let cluster = MemoryCluster::new();
    let long = Duration::from_secs(3600);
    let (left, right) = (open(&cluster, long), open(&cluster, long));
    let accounts = create(&left, "accounts", CollectionType::Document);
    create(&left, "unique", CollectionType::Document);
    for account in 0..ACCOUNTS {
        let body = value(&format!(r#"{{"_key":"{account}","a":{MONEY},"t":[1]}}"#));
        let mut transaction = left.begin(&TransactionOptions::single_operation(&accounts)).unwrap();
        transaction.insert(&accounts, Slice::new(&body), &WriteOptions::default()).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
    }
    for object in [1, 2, accounts.id().0 + 1] {
        cluster.split(&object.to_be_bytes());
    }
    cluster.fail_at_random(failures);
    let (inserted, is_dead) = (AtomicU64::new(0), Arc::new(AtomicBool::new(false)));
    std::thread::scope(|scope| {
        if rearranges {
            scope.spawn(|| rearrange(&cluster, &mut Random(seed)));
        }
        for (number, store) in [&left, &right].into_iter().enumerate() {
            let random = move |thread: u64| Random(seed * 100 + number as u64 * 10 + thread);
            let inserted = &inserted;
            scope.spawn(move || {
                let mut random = random(1);
                (0..ROUNDS).for_each(|_| transfer(store, &mut random));
            });
            scope.spawn(move || {
                let mut random = random(2);
                (0..ROUNDS).for_each(|_| write_unique(store, &mut random, inserted));
            });
            // Several, since changes of one server that wait for each other share a commit.
            for thread in [3, 5, 6] {
                scope.spawn(move || {
                    let mut random = random(thread);
                    (0..ROUNDS / 24).for_each(|_| define(store, &mut random));
                });
            }
            scope.spawn(move || {
                let mut random = random(4);
                (0..ROUNDS / 2).for_each(|_| load_unique(store, &mut random));
            });
        }
        if dies {
            let doomed = open(&cluster, Duration::from_secs(4));
            let (own, is_over) = (Arc::clone(&doomed), Arc::clone(&is_dead));
            // Threads of a server that is cut off, whose failures say nothing.
            for thread in 0..2 {
                let (store, is_over) = (Arc::clone(&own), Arc::clone(&is_over));
                drop(std::thread::Builder::new().name("doomed".into()).spawn(move || {
                    let mut random = Random(seed * 1000 + thread);
                    while !is_over.load(Ordering::Relaxed) {
                        let work = std::panic::AssertUnwindSafe(|| match thread {
                            0 => transfer(&store, &mut random),
                            _ => define(&store, &mut random),
                        });
                        if std::panic::catch_unwind(work).is_err() {
                            return;
                        }
                    }
                }));
            }
            // The server dies in the middle of its work, wherever that is.
            std::thread::sleep(Duration::from_millis(300));
            cluster.cut_last();
            cluster.pass(Duration::from_secs(10));
            std::mem::forget((doomed, own));
        }
    });
    is_dead.store(true, Ordering::Relaxed);
    cluster.fail_at_random(0);
    check(&[&left, &right, &open(&cluster, long)]);
    assert!(inserted.load(Ordering::Relaxed) > 0);
}

#[test]
fn two_servers_agree_with_the_model() {
    (1..4).for_each(|seed| run(seed, Circumstances::default()));
}

#[test]
fn messages_may_be_lost() {
    (7..9).for_each(|seed| run(seed, Circumstances { failures: 40, ..Circumstances::default() }));
}

#[test]
fn a_server_may_die_at_any_moment() {
    (4..7).for_each(|seed| run(seed, Circumstances { dies: true, ..Circumstances::default() }));
}

#[test]
fn regions_may_move_merge_and_split() {
    let circumstances = Circumstances { failures: 60, rearranges: true, ..Circumstances::default() };
    (9..12).for_each(|seed| run(seed, circumstances));
}
