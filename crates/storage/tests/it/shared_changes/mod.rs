//! The change log of several servers on one store: every commit once, in one order everywhere.

mod beginning;
mod model;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catalog::{CollectionType, SYSTEM_DATABASE};
use errors::{ErrorCode, Result};
use kv_tikv::MemoryCluster;
use serde_json::Value;
use storage::{
    BlockLimits, ChangeKind, ChangeLogMode, ChangeLogOptions, ChangeScope, Durability, Store, StoreOptions,
    Transaction, TransactionOptions, WaitPolicy, WriteOptions,
};
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{self, create, present, to_json, value};

/// A lease that outlives the time that tests let pass.
const LONG: Duration = Duration::from_secs(3600);
/// The maximum wait for something that takes some tenths of a second.
const PATIENCE: Duration = Duration::from_secs(30);
const BLOCK: BlockLimits = BlockLimits { rows: 3, bytes: 1 << 20 };

fn open(cluster: &MemoryCluster, lease: Duration) -> Arc<Store> {
    open_as(cluster, lease, ChangeLogMode::OnDemand)
}

fn open_as(cluster: &MemoryCluster, lease: Duration, mode: ChangeLogMode) -> Arc<Store> {
    let options = StoreOptions {
        collection_wait: WaitPolicy::UpTo(PATIENCE),
        sync_definitions: false,
        changes: ChangeLogOptions { mode, ..ChangeLogOptions::default() },
        ..StoreOptions::default()
    };
    Store::open(cluster.open(lease).unwrap(), options).unwrap()
}

/// Servers of one cluster, with a collection and a log.
fn servers<const N: usize>(lease: Duration) -> (MemoryCluster, [Arc<Store>; N]) {
    let cluster = MemoryCluster::new();
    let stores = std::array::from_fn(|_| open(&cluster, lease));
    create(&stores[0], "c", CollectionType::Document);
    stores[0].begin_change_log(PATIENCE).unwrap();
    (cluster, stores)
}

/// An entry as tests compare it.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    position: u64,
    transaction: u64,
    kind: ChangeKind,
    document: Value,
}

fn scope(store: &Store) -> ChangeScope {
    ChangeScope::Database(store.catalog().database(SYSTEM_DATABASE).unwrap().definition().id)
}

/// Reads the entries of documents behind a position. Returns the position up to which it has read.
fn read(store: &Store, after: u64) -> (Vec<Entry>, u64) {
    let mut scan = store.scan_changes(scope(store), after).unwrap();
    let (mut entries, mut end) = (Vec::new(), after.max(scan.end().saturating_sub(1)));
    while let Some(block) = scan.next_block(BLOCK).unwrap() {
        block
            .for_each(after, |commit, changes| {
                end = end.max(commit.end - 1);
                entries.extend(changes.iter().filter(|change| change.kind.is_of_document()).map(|change| {
                    Entry {
                        position: change.position,
                        transaction: commit.first,
                        kind: change.kind,
                        document: to_json(change.document, "c"),
                    }
                }));
                Ok(())
            })
            .unwrap();
    }
    (entries, end)
}

fn settled(store: &Store) -> u64 {
    store.settled_position(&|| Ok(())).unwrap()
}

/// Reads the whole log, once it has all commits so far.
fn whole(store: &Store) -> Vec<Entry> {
    settled(store);
    read(store, store.change_log().unwrap().first - 1).0
}

/// Reads what follows until `is_over`, and then to the end.
fn follow(store: &Store, is_over: &AtomicBool) -> Vec<Entry> {
    let (mut entries, mut after) = (Vec::new(), store.change_log().unwrap().first - 1);
    loop {
        let is_last = is_over.load(Ordering::SeqCst);
        if is_last {
            settled(store);
        } else {
            store.wait_for_changes(after + 1, Duration::from_millis(200));
        }
        let (more, end) = read(store, after);
        entries.extend(more);
        after = end;
        if is_last {
            return entries;
        }
    }
}

/// Runs one transaction. Repeats what conflicts with others.
fn commit(store: &Store, work: impl Fn(&mut Transaction) -> Result<()>) -> Result<()> {
    loop {
        let outcome = store.begin(&TransactionOptions::default()).and_then(|mut transaction| {
            work(&mut transaction)?;
            transaction.commit(Durability::Buffered)
        });
        match outcome {
            Err(error) if error.code() == ErrorCode::Conflict => {}
            outcome => return outcome,
        }
    }
}

fn insert(store: &Store, json: &str) -> Result<()> {
    let collection = present(store, "c");
    commit(store, |transaction| {
        transaction.insert(&collection, Slice::new(&value(json)), &WriteOptions::default()).map(drop)
    })
}

/// Adds one to a counter that all servers share, and inserts a document with its value.
fn count_up(store: &Store, writer: &str) -> Result<()> {
    let collection = present(store, "c");
    commit(store, |transaction| {
        let view = transaction.view();
        let n = common::get(&view, &collection, "counter").unwrap()["n"].as_u64().unwrap() + 1;
        let counter = format!(r#"{{"_key":"counter","n":{n}}}"#);
        let options = WriteOptions::default();
        transaction.replace(&collection, "counter", Slice::new(&value(&counter)), &options)?;
        let document = format!(r#"{{"_key":"{writer}-{n}"}}"#);
        transaction.insert(&collection, Slice::new(&value(&document)), &options).map(drop)
    })
}

fn key(entry: &Entry) -> &str {
    entry.document["_key"].as_str().unwrap()
}

/// Every commit of every server appears once, in the same order on all of them. A commit that has
/// read another one comes after it. Readers that follow the log while it grows miss nothing.
#[test]
fn all_servers_show_all_commits_in_one_order() {
    const ROUNDS: usize = 15;
    let (_cluster, stores) = servers::<3>(LONG);
    wait_until("the log has begun everywhere", || stores.iter().all(|store| store.change_log().is_some()));
    insert(&stores[0], r#"{"_key":"counter","n":0}"#).unwrap();
    let is_over = AtomicBool::new(false);
    let followed: Vec<Vec<Entry>> = std::thread::scope(|scope| {
        let followers: Vec<_> = stores.iter().map(|store| scope.spawn(|| follow(store, &is_over))).collect();
        let writers: Vec<_> = (0..6)
            .map(|i| {
                let store = &stores[i % 3];
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        insert(store, &format!(r#"{{"_key":"single-{i}-{round}"}}"#)).unwrap();
                        count_up(store, &format!("w{i}")).unwrap();
                    }
                })
            })
            .collect();
        let written: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        // A follower that waits on would hide the failure of a writer.
        is_over.store(true, Ordering::SeqCst);
        written.into_iter().for_each(|written| written.unwrap());
        followers.into_iter().map(|follower| follower.join().unwrap()).collect()
    });
    let entries = whole(&stores[0]);
    for (store, followed) in stores.iter().zip(&followed) {
        assert_eq!(&entries, followed);
        assert_eq!(entries, whole(store));
    }
    assert!(entries.is_sorted_by(|left, right| left.position < right.position));
    let counted: Vec<u64> = entries
        .iter()
        .filter(|entry| key(entry) == "counter")
        .map(|e| e.document["n"].as_u64().unwrap())
        .collect();
    assert_eq!(counted, (0..=6 * ROUNDS as u64).collect::<Vec<_>>());
    let others: BTreeSet<&str> = entries.iter().map(key).filter(|key| *key != "counter").collect();
    assert_eq!(others.len(), 2 * 6 * ROUNDS);
    assert_eq!(entries.len(), 1 + 3 * 6 * ROUNDS);
    // The two entries of a transaction have one number and follow one another.
    for pair in entries[1..].windows(2).filter(|pair| key(&pair[0]) == "counter") {
        assert_eq!(pair[0].transaction, pair[1].transaction);
        assert_eq!(pair[0].position + 1, pair[1].position);
    }
}

/// A commit is shown on the other server soon.
#[test]
fn a_commit_is_shown_on_the_other_server_soon() {
    let (_cluster, [left, right]) = servers::<2>(LONG);
    wait_until("the log has begun everywhere", || right.change_log().is_some());
    let mut times = Vec::new();
    for i in 0..40 {
        let before = right.resolved_position();
        insert(&left, &format!(r#"{{"_key":"k{i}"}}"#)).unwrap();
        let begun = Instant::now();
        assert!(right.wait_for_changes(before, PATIENCE) > before);
        times.push(begun.elapsed());
        // The next commit is at another moment of the servers' rounds.
        std::thread::sleep(Duration::from_millis(i * 13 % 100));
    }
    times.sort_unstable();
    assert!(times[20] < Duration::from_secs(1), "{times:?}");
}

/// A server that dies stops readers until its lease has ended, and no longer.
#[test]
fn a_dead_server_stops_readers_until_its_lease_ends() {
    let lease = Duration::from_secs(20);
    let (cluster, [left]) = servers::<1>(LONG);
    let dead = open(&cluster, lease);
    insert(&dead, r#"{"_key":"of-the-dead"}"#).unwrap();
    assert_eq!(whole(&left).len(), 1);
    cluster.cut_last();
    let before = left.resolved_position();
    insert(&left, r#"{"_key":"after"}"#).unwrap();
    assert_eq!(left.wait_for_changes(before, Duration::from_millis(500)), before);
    cluster.pass(lease + Duration::from_secs(1));
    let begun = Instant::now();
    assert!(left.wait_for_changes(before, PATIENCE) > before);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(whole(&left).iter().map(key).collect::<Vec<_>>(), ["of-the-dead", "after"]);
}

/// Servers that join and leave while others write lose no commit, and hold nobody up.
#[test]
fn servers_join_and_leave() {
    let (cluster, [left]) = servers::<1>(LONG);
    let is_over = AtomicBool::new(false);
    let (followed, written) = std::thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&left, &is_over));
        let writer = scope.spawn(|| {
            let mut count = 0;
            while !is_over.load(Ordering::SeqCst) {
                insert(&left, &format!(r#"{{"_key":"left-{count}"}}"#)).unwrap();
                count += 1;
            }
            count
        });
        for round in 0..6 {
            let guest = open(&cluster, LONG);
            assert!(guest.change_log().is_some());
            for i in 0..3 {
                insert(&guest, &format!(r#"{{"_key":"guest-{round}-{i}"}}"#)).unwrap();
            }
            // The second one leaves what it has written unread.
            if round % 2 == 0 {
                assert!(whole(&guest).len() >= 3);
            }
            guest.close().unwrap();
        }
        is_over.store(true, Ordering::SeqCst);
        // The writer may have inserted one more since the follower's last look.
        (follower.join().unwrap(), writer.join().unwrap())
    });
    let entries = whole(&left);
    assert_eq!(entries.len(), written + 18);
    assert_eq!(followed, entries[..followed.len()]);
    assert_eq!(entries.iter().filter(|entry| key(entry).starts_with("guest")).count(), 18);
}

/// Where messages are lost, nobody knows if some commits took place. The log has those that did,
/// once readers have passed them.
#[test]
fn commits_with_unknown_outcomes_are_in_the_log_if_they_took_place() {
    let lease = Duration::from_secs(4);
    let cluster = MemoryCluster::with_timeout(Duration::from_millis(300));
    let stores = [open(&cluster, lease), open(&cluster, lease)];
    create(&stores[0], "c", CollectionType::Document);
    stores[0].begin_change_log(PATIENCE).unwrap();
    wait_until("the log has begun everywhere", || stores[1].change_log().is_some());
    cluster.fail_at_random(4);
    std::thread::scope(|scope| {
        for (i, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..30 {
                    // It may fail.
                    let _ = insert(store, &format!(r#"{{"_key":"{i}-{round}"}}"#));
                }
            });
        }
    });
    cluster.fail_at_random(0);
    for store in &stores {
        let entries = whole(store);
        let logged: BTreeSet<String> = entries.iter().map(|entry| key(entry).to_owned()).collect();
        let snapshot = store.snapshot().unwrap();
        let stored: BTreeSet<String> = common::keys(&snapshot, &present(store, "c")).into_iter().collect();
        assert_eq!(logged, stored);
        assert_eq!(entries.len(), logged.len());
    }
}

/// The server that removes old entries knows the readers of all servers.
#[test]
fn a_server_knows_the_readers_of_all() {
    struct Reader(u64, Duration);

    impl storage::LogUse for Reader {
        fn held_from(&self) -> u64 {
            self.0
        }

        fn idle(&self) -> Duration {
            self.1
        }
    }

    let (_cluster, [left, right]) = servers::<2>(LONG);
    left.respect_log_readers(Arc::new(Reader(70, Duration::from_secs(7))));
    right.respect_log_readers(Arc::new(Reader(50, Duration::from_secs(900))));
    wait_until("the servers have told each other", || {
        [&left, &right].iter().all(|store| store.log_use().unwrap() == (50, Duration::from_secs(7)))
    });
}
