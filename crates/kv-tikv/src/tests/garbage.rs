//! The collection of old versions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kv::{Durability, Engine, Error, LoadHint, LoadKind};

use super::*;
use crate::maintenance::garbage::{Collected, collect};
use crate::maintenance::upkeep;
use crate::shared::Shared;

/// The milliseconds after which servers that give no sign of life hold nothing any more.
const PASSED_MS: u64 = 200_000;

/// Opens a store whose thread collects nothing, and returns its state too.
fn open_quiet(cluster: &Arc<MockCluster>) -> (Arc<TikvEngine>, Arc<Shared>) {
    let options = TikvOptions { lease: LONG_LEASE, collect_garbage: false, ..options() };
    let engine = open_with(cluster, &options);
    let shared = Arc::clone(&engine.store().unwrap().shared);
    (engine, shared)
}

/// Versions that nobody can read any more are removed, and all others stay: with both kinds of PD.
#[test]
fn old_versions_are_removed() {
    for is_old in [false, true] {
        let cluster = MockCluster::new();
        cluster.set_old_pd(is_old);
        split(&cluster);
        let (engine, shared) = open_quiet(&cluster);
        for round in 0..20 {
            for key in ["a", "c", "n"] {
                put(&engine, key, &round.to_string()).unwrap();
            }
        }
        let mut transaction = begin(&engine);
        transaction.delete(b"c").unwrap();
        transaction.commit(Durability::Buffered).unwrap();
        let (before, _) = cluster.kept();
        // Everything is younger than ten minutes.
        assert!(matches!(collect(&shared, Duration::from_secs(600)), Ok(Collected::Before(_))));
        assert_eq!(cluster.kept(), (before, 0));
        cluster.pass(700_000);
        upkeep::round(&shared).unwrap();
        assert!(matches!(collect(&shared, Duration::from_secs(600)), Ok(Collected::Before(_))));
        let (after, forgotten) = cluster.kept();
        assert!(before > 60 && after < before - 50, "{before} versions, then {after}");
        assert_eq!(forgotten, 0);
        assert_eq!((get(&engine, "a").as_deref(), get(&engine, "c")), (Some("19"), None));
    }
}

/// The state of a living snapshot stays, also one of another server.
#[test]
fn what_is_read_stays() {
    for is_old in [false, true] {
        let cluster = MockCluster::new();
        cluster.set_old_pd(is_old);
        let (engine, shared) = open_quiet(&cluster);
        let (other, other_shared) = open_quiet(&cluster);
        put(&engine, "a", "old").unwrap();
        let snapshot = other.snapshot().unwrap();
        put(&engine, "a", "new").unwrap();
        cluster.pass(PASSED_MS);
        // Both servers tell PD what they read.
        let tell = || [&shared, &other_shared].iter().for_each(|server| upkeep::round(server).unwrap());
        tell();
        assert!(matches!(collect(&shared, Duration::ZERO), Ok(Collected::Before(_))));
        assert_eq!(get_in(&*snapshot, "a").unwrap().as_deref(), Some("old"));
        drop(snapshot);
        tell();
        let before = cluster.kept().0;
        collect(&shared, Duration::ZERO).unwrap();
        assert!(cluster.kept().0 < before);
        assert_eq!(get(&other, "a").as_deref(), Some("new"));
    }
}

/// A server goes on in a state that another one has read, as long as the cluster has it.
#[test]
fn a_past_state_is_read_until_it_is_removed() {
    for is_old in [false, true] {
        let cluster = MockCluster::new();
        cluster.set_old_pd(is_old);
        let (engine, shared) = open_quiet(&cluster);
        let (other, _other_shared) = open_quiet(&cluster);
        put(&engine, "a", "old").unwrap();
        let version = engine.snapshot().unwrap().version();
        put(&engine, "a", "new").unwrap();
        cluster.pass(PASSED_MS);
        upkeep::round(&shared).unwrap();
        let past = other.snapshot_at(version).unwrap();
        // The server that reads it has told PD at once.
        collect(&shared, Duration::ZERO).unwrap();
        assert_eq!(get_in(&*past, "a").unwrap().as_deref(), Some("old"));
        drop(past);
        cluster.pass(PASSED_MS);
        upkeep::round(&shared).unwrap();
        collect(&shared, Duration::ZERO).unwrap();
        assert_eq!(other.snapshot_at(version).err(), Some(Error::SnapshotExpired));
        let future = other.sharing().unwrap().timestamps(1).unwrap() + (1 << 40);
        assert_eq!(other.snapshot_at(future).err(), Some(Error::SnapshotExpired));
    }
}

/// The locks of a transaction are ended before its outcome may be forgotten.
#[test]
fn locks_are_ended_before_their_transactions_are_forgotten() {
    let cluster = MockCluster::new();
    split(&cluster);
    let (engine, shared) = open_quiet(&cluster);
    let value = vec![7; 1 << 20];
    let begin_load = |engine: &TikvEngine| {
        let mut load = engine.load(LoadKind::Visible, LoadHint::Scattered).unwrap();
        (0..20).for_each(|number| load.add(format!("k{number:04}").as_bytes(), &value).unwrap());
        load
    };
    // A load that is still written needs the states since its start.
    let load = begin_load(&engine);
    assert!(cluster.locks() > 0);
    collect(&shared, Duration::ZERO).unwrap();
    assert!(cluster.locks() > 0);
    assert_eq!(cluster.kept().1, 0);
    load.finish(Durability::Buffered).unwrap();
    assert!(get_in(&*engine.snapshot().unwrap(), "k0019").unwrap().is_some());

    // One whose server has died is rolled back once its locks have expired.
    let mut transaction = begin(&engine);
    (0..20).for_each(|number| transaction.delete(format!("k{number:04}").as_bytes()).unwrap());
    transaction.commit(Durability::Buffered).unwrap();
    let route = Route::to(&cluster);
    let lost = TikvEngine::over(Arc::clone(&route) as _, &options()).unwrap();
    let load = begin_load(&lost);
    route.cut();
    assert!(cluster.locks() > 0);
    cluster.pass(PASSED_MS);
    upkeep::round(&shared).unwrap();
    collect(&shared, Duration::ZERO).unwrap();
    assert_eq!((cluster.locks(), cluster.kept().1), (0, 0));
    assert_eq!(get(&engine, "k0000"), None);
    drop(load);
}

/// One server collects, and none where other programs have keys.
#[test]
fn one_server_of_a_cluster_of_its_own_collects() {
    let cluster = MockCluster::new();
    let ((_first, first), (_second, second)) = (open_quiet(&cluster), open_quiet(&cluster));
    assert!(matches!(collect(&first, Duration::ZERO), Ok(Collected::Before(_))));
    assert_eq!(collect(&second, Duration::ZERO), Ok(Collected::ByOther));
    let options = TikvOptions { prefix: "another".to_owned(), lease: LONG_LEASE, ..options() };
    let _other = open_with(&cluster, &options);
    let Ok(Collected::NotAlone(key)) = collect(&first, Duration::ZERO) else { panic!("the other has keys") };
    assert!(key.starts_with(b"another"), "{}", key.escape_ascii());
}

/// Writers work while everything that is older than a moment is collected.
#[test]
fn nothing_is_lost_while_versions_are_collected() {
    const ROUNDS: usize = 60;
    let cluster = MockCluster::new();
    split(&cluster);
    let (engine, shared) = open_quiet(&cluster);
    let keys: Vec<String> =
        (0..21).map(|number| format!("{}{number}", ["a", "c", "n"][number % 3])).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let (engine, keys, is_over) = (&engine, &keys, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let mut transaction = begin(engine);
                    // Neighbours write the same key.
                    for key in keys.iter().skip(writer * 7).take(8) {
                        let _ = transaction.put(key.as_bytes(), b"value");
                    }
                    match transaction.commit(Durability::Buffered) {
                        Ok(()) | Err(Error::Conflict) => {}
                        Err(error) => assert!(error.is_retryable(), "{error}"),
                    }
                }
            });
        }
        for _ in 0..ROUNDS {
            std::thread::sleep(Duration::from_millis(10));
            cluster.pass(2_000);
            upkeep::round(&shared).unwrap();
            collect(&shared, Duration::ZERO).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (versions, forgotten) = cluster.kept();
    assert!(versions > 0 && forgotten == 0, "{forgotten} transactions were forgotten");
    assert!(keys.iter().all(|key| get(&engine, key).is_some()));
}
