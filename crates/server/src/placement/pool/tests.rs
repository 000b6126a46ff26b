//! Tests of the pool.

use std::sync::mpsc;

use super::*;

fn pool(threads: usize, max_threads: usize, max_queue: usize) -> WorkerPool {
    WorkerPool::new(PoolLimits { threads, max_threads, max_queue })
}

/// Occupies a thread until the sender is dropped.
fn block(pool: &WorkerPool) -> mpsc::Sender<()> {
    let (release, wait) = mpsc::channel::<()>();
    let (started, has_started) = mpsc::channel();
    pool.submit(
        &None,
        Box::new(move || {
            started.send(()).unwrap();
            let _ = wait.recv();
        }),
    )
    .unwrap();
    has_started.recv_timeout(Duration::from_secs(5)).unwrap();
    release
}

#[test]
fn jobs_are_done_in_order() {
    let pool = pool(1, 1, 100);
    let (sender, receiver) = mpsc::channel();
    for number in 0..50 {
        let sender = sender.clone();
        pool.submit(&None, Box::new(move || sender.send(number).unwrap())).unwrap();
    }
    drop(sender);
    assert_eq!(receiver.iter().collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
}

#[test]
fn a_full_queue_rejects() {
    let pool = pool(1, 1, 1);
    let release = block(&pool);
    pool.submit(&None, Box::new(|| ())).unwrap();
    assert_eq!(pool.submit(&None, Box::new(|| ())), Err(Rejected));
    drop(release);
    assert!(pool.stop(Duration::from_secs(5)));
    let counts =
        PoolCounts { submitted: 2, rejected: 1, taken: 2, done: 2, threads_started: 1, threads_ended: 1 };
    assert_eq!(pool.counts(), counts);
    assert_eq!(pool.waits().count(), 2);
}

#[test]
fn a_spare_thread_is_added_when_all_are_stuck() {
    let pool = pool(1, 2, 10);
    let release = block(&pool);
    let (sender, receiver) = mpsc::channel();
    pool.submit(&None, Box::new(move || sender.send(()).unwrap())).unwrap();
    assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
    pool.relieve();
    receiver.recv_timeout(Duration::from_secs(5)).unwrap();
    drop(release);
}

#[test]
fn a_panic_does_not_cost_a_thread() {
    let pool = pool(1, 1, 10);
    pool.submit(&None, Box::new(|| panic!("expected in this test"))).unwrap();
    let (sender, receiver) = mpsc::channel();
    pool.submit(&None, Box::new(move || sender.send(()).unwrap())).unwrap();
    receiver.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(pool.threads().0, 1);
}

#[test]
fn stopping_finishes_what_is_queued_and_takes_no_more() {
    let pool = pool(1, 1, 10);
    let release = block(&pool);
    let (sender, receiver) = mpsc::channel();
    pool.submit(&None, Box::new(move || sender.send(()).unwrap())).unwrap();
    assert!(!pool.stop(Duration::from_millis(20)));
    assert_eq!(pool.submit(&None, Box::new(|| ())), Err(Rejected));
    drop(release);
    assert!(pool.stop(Duration::from_secs(5)));
    receiver.recv().unwrap();
}
