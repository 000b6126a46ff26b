//! Definitions that several threads of one server change at the same time, where servers share the
//! store: few commits make them, and each thread gets the answer to its own change.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use catalog::{CollectionType, SYSTEM_DATABASE};
use errors::{ErrorCode, Result};
use kv_tikv::MemoryCluster;
use storage::{
    BlockLimits, ChangeKind, ChangeLogMode, ChangeLogOptions, ChangeScope, Collection, Store, StoreOptions,
};

use crate::common::{create, create_index, create_with, insert, present};

/// A lease that outlives the time that tests let pass.
const LONG: Duration = Duration::from_secs(3600);
const THREADS: usize = 16;
/// The changes of each thread.
const ROUNDS: usize = 4;

/// Two servers of a cluster whose messages take as long as in a real one.
fn servers() -> (MemoryCluster, Arc<Store>, Arc<Store>) {
    let cluster = MemoryCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    cluster.delay(Duration::from_millis(1));
    (cluster, left, right)
}

fn open(cluster: &MemoryCluster) -> Arc<Store> {
    let changes = ChangeLogOptions { mode: ChangeLogMode::OnDemand, ..ChangeLogOptions::default() };
    let options = StoreOptions { sync_definitions: false, changes, ..StoreOptions::default() };
    Store::open(cluster.open(LONG).unwrap(), options).unwrap()
}

/// Runs threads that make changes, and returns the outcomes of all.
fn at_once<T: Send>(change: impl Fn(usize, usize) -> Result<T> + Sync) -> Vec<Result<T>> {
    std::thread::scope(|scope| {
        let change = &change;
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || (0..ROUNDS).map(|round| change(thread, round)).collect::<Vec<_>>())
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn names(store: &Store) -> BTreeSet<String> {
    let catalog = store.catalog();
    let collections = catalog.database(SYSTEM_DATABASE).unwrap().collections();
    collections.map(|collection| collection.name().to_owned()).collect()
}

/// Each version of the catalog is a commit.
#[test]
fn few_commits_make_many_collections() {
    let (cluster, left, right) = servers();
    let before = left.catalog().version();
    let created = at_once(|thread, round| create_with(&left, &format!(r#"{{"name":"c{thread}-{round}"}}"#)));
    assert!(created.iter().all(Result::is_ok));
    let commits = left.catalog().version() - before;
    assert!(commits <= (THREADS * ROUNDS / 2) as u64, "{commits} commits");
    assert_eq!(names(&left).len(), names(&right).len());
    assert_eq!((names(&left), names(&right)), (names(&open(&cluster)), names(&left)));
}

/// The lock of a collection, the index, and the end of the lock share their commits with others.
#[test]
fn indexes_of_several_collections_are_built_together() {
    let (_cluster, left, right) = servers();
    let collections: Vec<Arc<Collection>> =
        (0..THREADS).map(|thread| create(&left, &format!("c{thread}"), CollectionType::Document)).collect();
    insert(&right, &present(&right, "c3"), r#"{"a0":1}"#).unwrap();
    let before = left.catalog().version();
    let built = at_once(|thread, round| {
        let index = format!(r#"{{"type":"persistent","fields":["a{round}"]}}"#);
        create_index(&left, &collections[thread], &index)
    });
    assert!(built.iter().all(Result::is_ok));
    let commits = left.catalog().version() - before;
    assert!(commits <= (THREADS * ROUNDS * 3 / 2) as u64, "{commits} announcements");
    for thread in 0..THREADS {
        assert_eq!(present(&right, &format!("c{thread}")).indexes().len(), 1 + ROUNDS);
    }
    // Nobody has a collection alone any more.
    insert(&right, &present(&right, "c0"), r#"{"a0":1}"#).unwrap();
}

/// A change that is refused leaves the others of its commit as they are.
#[test]
fn each_thread_gets_its_own_answer() {
    let (cluster, left, right) = servers();
    // Every name is asked for by two threads.
    let created =
        at_once(|thread, round| create_with(&left, &format!(r#"{{"name":"c{}-{round}"}}"#, thread / 2)));
    let refused: Vec<ErrorCode> =
        created.iter().filter_map(|created| created.as_ref().err().map(|error| error.code())).collect();
    assert_eq!(refused, [ErrorCode::DuplicateName; THREADS * ROUNDS / 2]);
    let expected: BTreeSet<String> =
        (0..THREADS / 2).flat_map(|name| (0..ROUNDS).map(move |round| format!("c{name}-{round}"))).collect();
    for store in [&left, &right, &open(&cluster)] {
        assert!(names(store).is_superset(&expected));
        assert_eq!(names(store), names(&left));
    }
}

/// Two servers whose threads all change definitions repeat what conflicts.
#[test]
fn groups_of_two_servers_are_serialized() {
    let (cluster, left, right) = servers();
    let created = at_once(|thread, round| {
        let (store, name) = if thread % 2 == 0 { (&left, "l") } else { (&right, "r") };
        create_with(store, &format!(r#"{{"name":"{name}{thread}-{round}"}}"#))
    });
    created.into_iter().for_each(|created| drop(created.unwrap()));
    let all = names(&open(&cluster));
    assert_eq!((names(&left), names(&right)), (all.clone(), all));
}

/// The log has an entry for each change, whichever others were in its commit.
#[test]
fn the_log_has_each_change_once() {
    let (_cluster, left, right) = servers();
    left.begin_change_log(Duration::from_secs(30)).unwrap();
    let created = at_once(|thread, round| create_with(&left, &format!(r#"{{"name":"c{thread}-{round}"}}"#)));
    let mut expected: Vec<u64> = created.into_iter().map(|created| created.unwrap().id().0).collect();
    right.settled_position(&|| Ok(())).unwrap();
    let database = right.catalog().database(SYSTEM_DATABASE).unwrap().definition().id;
    let after = right.change_log().unwrap().first - 1;
    let mut scan = right.scan_changes(ChangeScope::Database(database), after).unwrap();
    let mut logged = Vec::new();
    while let Some(block) = scan.next_block(BlockLimits { rows: 10, bytes: 1 << 20 }).unwrap() {
        block
            .for_each(after, |_, changes| {
                assert_eq!(changes.len(), 1, "each change is a commit of its own for readers");
                let created = changes.iter().filter(|change| change.kind == ChangeKind::CollectionCreated);
                logged.extend(created.filter_map(|change| change.collection.map(|origin| origin.id.0)));
                Ok(())
            })
            .unwrap();
    }
    expected.sort_unstable();
    logged.sort_unstable();
    assert_eq!(logged, expected);
}
