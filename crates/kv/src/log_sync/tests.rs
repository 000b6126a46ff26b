use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::LogSync;
use crate::background::BackgroundThread;
use crate::{ConflictTable, Error, Result};

/// A log that counts its syncs and lets each end only when the test allows it.
struct Fixture {
    wal_sync: Arc<LogSync>,
    table: Arc<ConflictTable>,
    syncs: Arc<AtomicUsize>,
    /// Receives a message when a sync starts.
    started: Receiver<()>,
    /// The sender that ends one sync per message. Without it, syncs end immediately.
    go_on: Option<SyncSender<Result<()>>>,
}

fn fixture(interval_ms: u64) -> Fixture {
    let table = Arc::new(ConflictTable::new(10));
    let syncs = Arc::new(AtomicUsize::new(0));
    let (start, started) = sync_channel(1000);
    let (go_on, answers) = sync_channel(1000);
    let answers = Mutex::new(answers);
    let counted = Arc::clone(&syncs);
    let sync_log = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        let _ = start.send(());
        answers.lock().unwrap().recv().unwrap_or(Ok(()))
    };
    let wal_sync = LogSync::new(Box::new(sync_log), Arc::clone(&table), Duration::from_millis(interval_ms));
    Fixture { wal_sync: Arc::new(wal_sync), table, syncs, started, go_on: Some(go_on) }
}

impl Fixture {
    fn commit(&self) -> u64 {
        self.table.enter().commit()
    }

    fn syncs(&self) -> usize {
        self.syncs.load(Ordering::SeqCst)
    }
}

#[test]
fn commits_that_wait_at_the_same_time_share_one_sync() {
    let mut fixture = fixture(1000);
    let go_on = fixture.go_on.take().unwrap();
    let first = fixture.commit();
    std::thread::scope(|scope| {
        let wal_sync = &fixture.wal_sync;
        scope.spawn(move || wal_sync.sync_commit(first).unwrap());
        fixture.started.recv().unwrap();
        // These come too late for the running sync. The next one covers all of them.
        let later: Vec<u64> = (0..8).map(|_| fixture.commit()).collect();
        for commit in later {
            scope.spawn(move || wal_sync.sync_commit(commit).unwrap());
        }
        go_on.send(Ok(())).unwrap();
        fixture.started.recv().unwrap();
        go_on.send(Ok(())).unwrap();
    });
    assert_eq!(fixture.syncs(), 2);
}

#[test]
fn what_is_durable_is_not_synced_again() {
    let mut fixture = fixture(1000);
    fixture.go_on = None;
    let (first, second) = (fixture.commit(), fixture.commit());
    fixture.wal_sync.sync_commit(second).unwrap();
    fixture.wal_sync.sync_commit(first).unwrap();
    fixture.wal_sync.sync_all().unwrap();
    assert_eq!(fixture.syncs(), 1);
}

#[test]
fn a_sync_does_not_cover_commits_that_came_after_its_start() {
    let mut fixture = fixture(1000);
    let go_on = fixture.go_on.take().unwrap();
    let first = fixture.commit();
    std::thread::scope(|scope| {
        let wal_sync = &fixture.wal_sync;
        let running = scope.spawn(move || wal_sync.sync_commit(first));
        fixture.started.recv().unwrap();
        let second = fixture.commit();
        go_on.send(Ok(())).unwrap();
        running.join().unwrap().unwrap();
        assert_eq!(fixture.syncs(), 1);
        let running = scope.spawn(move || wal_sync.sync_commit(second));
        fixture.started.recv().unwrap();
        go_on.send(Ok(())).unwrap();
        running.join().unwrap().unwrap();
        assert_eq!(fixture.syncs(), 2);
    });
}

#[test]
fn a_failed_sync_makes_nothing_durable() {
    let mut fixture = fixture(1000);
    let go_on = fixture.go_on.take().unwrap();
    let full = Error::Full { reason: "a test".into() };
    go_on.send(Err(full.clone())).unwrap();
    let commit = fixture.commit();
    assert!(matches!(fixture.wal_sync.sync_commit(commit), Err(Error::Undetermined { .. })));
    go_on.send(Err(full.clone())).unwrap();
    assert_eq!(fixture.wal_sync.sync_all(), Err(full));
    go_on.send(Ok(())).unwrap();
    fixture.wal_sync.sync_commit(commit).unwrap();
    assert_eq!(fixture.syncs(), 3);
}

#[test]
fn who_waits_for_a_sync_that_fails_tries_for_himself() {
    let mut fixture = fixture(1000);
    let go_on = fixture.go_on.take().unwrap();
    let (first, second) = (fixture.commit(), fixture.commit());
    std::thread::scope(|scope| {
        let wal_sync = &fixture.wal_sync;
        let failing = scope.spawn(move || wal_sync.sync_commit(second));
        fixture.started.recv().unwrap();
        let waiting = scope.spawn(move || wal_sync.sync_commit(first));
        go_on.send(Err(Error::Closed)).unwrap();
        assert!(failing.join().unwrap().is_err());
        fixture.started.recv().unwrap();
        go_on.send(Ok(())).unwrap();
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(fixture.syncs(), 2);
}

#[test]
fn the_background_syncs_once_an_interval_and_only_when_something_was_written() {
    let mut fixture = fixture(20);
    fixture.go_on = None;
    let mut background = BackgroundThread::start("log-sync", Arc::clone(&fixture.wal_sync) as _).unwrap();
    assert!(fixture.started.recv_timeout(Duration::from_millis(100)).is_err(), "nothing was written");
    let started = Instant::now();
    for _ in 0..1000 {
        fixture.commit();
        fixture.wal_sync.sync_soon();
    }
    fixture.started.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(20));
    // At most the writes since the first sync started remain for a second one.
    let _ = fixture.started.recv_timeout(Duration::from_millis(100));
    assert!(fixture.started.recv_timeout(Duration::from_millis(100)).is_err(), "nothing was written since");
    assert!(fixture.wal_sync.lock().synced == 1000);
    fixture.commit();
    fixture.wal_sync.sync_soon();
    fixture.started.recv_timeout(Duration::from_secs(10)).unwrap();
    background.stop();
    background.stop();
}

#[test]
fn stopping_does_not_wait_for_the_interval() {
    let mut fixture = fixture(100_000);
    fixture.go_on = None;
    let mut background = BackgroundThread::start("log-sync", Arc::clone(&fixture.wal_sync) as _).unwrap();
    fixture.commit();
    fixture.wal_sync.sync_soon();
    let started = Instant::now();
    background.stop();
    assert!(started.elapsed() < Duration::from_secs(10));
}
