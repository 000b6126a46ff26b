//! Tasks: which one is due, and how they end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::tasks::TaskDefinition;
use database::{Identity, Session};
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{session, value};

/// Longer than anything here takes, also on a busy machine.
const LONG: Duration = Duration::from_secs(30);

fn create(session: &Session, json: &str) -> errors::Result<()> {
    let definition = TaskDefinition::from_body(Slice::new(&value(json)), None)?;
    session.create_task(definition, |_| Ok(())).map(drop)
}

#[test]
fn the_first_that_is_due_comes_first() {
    let session = session();
    create(&session, r#"{"id": "later", "command": "1", "offset": 0.05}"#).unwrap();
    create(&session, r#"{"id": "never", "command": "1", "offset": 1e9}"#).unwrap();
    create(&session, r#"{"id": "now", "command": "1"}"#).unwrap();
    let tasks = session.instance().tasks();
    let ids: Vec<String> = (0..2).map(|_| tasks.next_due().unwrap().task().id.to_string()).collect();
    assert_eq!(ids, ["now", "later"]);
    // A task that runs once is forgotten after its run.
    assert_eq!(session.tasks().len(), 1);
}

#[test]
fn sixteen_run_concurrently_and_none_twice() {
    let session = session();
    create(&session, r#"{"id": "often", "command": "1", "period": 0.01}"#).unwrap();
    let tasks = Arc::clone(session.instance().tasks());
    let often = tasks.next_due().unwrap();
    for _ in 0..16 {
        create(&session, r#"{"command": "1"}"#).unwrap();
    }
    let running: Vec<_> = (0..15).map(|_| tasks.next_due().unwrap()).collect();
    assert!(running.iter().all(|due| &*due.task().id != "often"));
    let waiting = Arc::clone(&tasks);
    let (sender, further) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || sender.send(waiting.next_due().is_some()).unwrap());
    assert!(further.recv_timeout(Duration::from_millis(100)).is_err(), "all places are taken");
    drop(running);
    assert!(further.recv_timeout(LONG).unwrap());
    thread.join().unwrap();
    drop(often);
    assert_eq!(&*tasks.next_due().unwrap().task().id, "often");
}

#[test]
fn a_stop_ends_runs_and_refuses_tasks() {
    let session = session();
    create(&session, r#"{"id": "a", "command": "1"}"#).unwrap();
    let tasks = Arc::clone(session.instance().tasks());
    let running = tasks.next_due().unwrap();
    let waiting = Arc::clone(&tasks);
    let thread = std::thread::spawn(move || waiting.next_due().is_none());
    session.instance().stop();
    assert!(thread.join().unwrap());
    assert!(running.task().interrupt().is_set());
    assert!(!tasks.wait_for_runs(Duration::from_millis(10)));
    drop(running);
    assert!(tasks.wait_for_runs(LONG));
    assert_eq!(create(&session, r#"{"command": "1"}"#).unwrap_err().number(), 30);
}

#[test]
fn a_run_needs_its_database() {
    let session = session();
    session.create_database("shop").unwrap();
    let shop = Session::open(Arc::clone(session.instance()), "shop", Identity::Superuser).unwrap();
    create(&shop, r#"{"id": "a", "command": "1", "period": 1}"#).unwrap();
    let running = session.instance().tasks().next_due().unwrap();
    assert!(Session::of_task(Arc::clone(session.instance()), running.task()).is_ok());
    let start = Instant::now();
    session.drop_database("shop").unwrap();
    assert!(start.elapsed() < LONG && running.task().interrupt().is_set());
    let gone = Session::of_task(Arc::clone(session.instance()), running.task()).err().unwrap();
    assert_eq!(gone.number(), 1228);
    assert!(session.tasks().is_empty());
}

/// Returns the memory of queries once the isolate that has checked a command is gone, without the
/// compiled scripts.
fn memory(session: &Session) -> u64 {
    let scripts = session.instance().compiled_scripts();
    let used = || session.instance().query_memory_used_bytes() - scripts.used_bytes();
    wait_until("the isolate is gone", || used() < 1 << 20);
    used()
}

#[test]
fn tasks_are_charged_for_memory() {
    let session = session();
    let command = format!("// {}", "x".repeat(100_000));
    create(&session, &format!(r#"{{"id": "a", "command": "{command}", "offset": 1000}}"#)).unwrap();
    assert!((100_000..110_000).contains(&memory(&session)));
    session.remove_task("a").unwrap();
    assert_eq!(memory(&session), 0);
}
