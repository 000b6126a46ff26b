//! Tests: every collection is processed and closed once, whatever goes wrong with others.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Work, lock, run};

/// Work that counts to a number in each collection.
#[derive(Default)]
struct Counting {
    /// The collections that cannot be opened.
    closed_for_us: Vec<&'static str>,
    /// The collections in which the third step fails.
    broken: Vec<&'static str>,
    /// The steps of each, and true if it was whole when it was closed.
    closed: Mutex<BTreeMap<&'static str, (usize, bool)>>,
    /// The number of open collections at the first step.
    opened: AtomicUsize,
    open_at_first_step: AtomicUsize,
    /// True if two threads were in one collection.
    was_helped: AtomicBool,
    threads: usize,
}

struct Job {
    name: &'static str,
    left: AtomicUsize,
    done: AtomicUsize,
    inside: AtomicUsize,
}

impl Work for Counting {
    type Failure = String;
    type Collection = (&'static str, usize);
    type Job = Job;
    type Own = ();

    fn name(collection: &Self::Collection) -> &str {
        collection.0
    }

    fn within(failure: String, collection: &str) -> String {
        format!("collection {collection:?}: {failure}")
    }

    fn own(&self) {}

    fn open(&self, (name, steps): Self::Collection) -> Result<Job, String> {
        if self.closed_for_us.contains(&name) {
            return Err("no way in".to_owned());
        }
        self.opened.fetch_add(1, Ordering::SeqCst);
        let (left, done, inside) = (AtomicUsize::new(steps), AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Job { name, left, done, inside })
    }

    fn is_shared(&self, _: &Job) -> bool {
        true
    }

    fn work_on(&self, job: &Job, _: &mut (), should_continue: &dyn Fn() -> bool) -> Result<(), String> {
        let opened = self.opened.load(Ordering::SeqCst);
        let _ = self.open_at_first_step.compare_exchange(0, opened, Ordering::SeqCst, Ordering::SeqCst);
        if job.inside.fetch_add(1, Ordering::SeqCst) > 0 {
            self.was_helped.store(true, Ordering::SeqCst);
        }
        while should_continue()
            && let Ok(left) =
                job.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
        {
            // Waits for a helper, if there can be one.
            let may_be_helped = job.name == "last" && left > 1 && self.threads > 1;
            while may_be_helped && should_continue() && !self.was_helped.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            if job.done.fetch_add(1, Ordering::SeqCst) == 2 && self.broken.contains(&job.name) {
                return Err("broken".to_owned());
            }
        }
        Ok(())
    }

    fn close(&self, job: &Job, is_whole: bool) -> Result<(), String> {
        let before = lock(&self.closed).insert(job.name, (job.done.load(Ordering::SeqCst), is_whole));
        assert!(before.is_none(), "{} was closed twice", job.name);
        Ok(())
    }
}

const COLLECTIONS: [(&str, usize); 5] = [("a", 10), ("empty", 0), ("b", 500), ("c", 3), ("last", 1000)];

fn work(threads: usize, force: bool, work: Counting) -> (Vec<String>, Counting) {
    let work = Counting { threads, ..work };
    let failures = run(&work, COLLECTIONS.to_vec(), threads, force);
    (failures.to_vec(), work)
}

#[test]
fn everything_is_done_once_and_threads_help_each_other() {
    for threads in [1, 2, 3, 16] {
        let (failures, done) = work(threads, false, Counting::default());
        assert!(failures.is_empty());
        let expected = COLLECTIONS.map(|(name, steps)| (name, (steps, true)));
        assert_eq!(*lock(&done.closed), BTreeMap::from(expected));
        assert_eq!(done.was_helped.load(Ordering::SeqCst), threads > 1, "{threads}");
    }
}

#[test]
fn one_collection_is_open_ahead() {
    let (_, done) = work(1, false, Counting::default());
    assert_eq!(done.open_at_first_step.load(Ordering::SeqCst), 2);
}

#[test]
fn the_first_failure_ends_everything_and_what_is_open_is_closed() {
    for threads in [1, 4] {
        let (failures, done) = work(threads, false, Counting { broken: vec!["a"], ..Counting::default() });
        assert_eq!(failures, ["collection \"a\": broken"]);
        let closed = lock(&done.closed);
        assert_eq!(closed.len(), done.opened.load(Ordering::SeqCst));
        assert!(!closed["a"].1);
        let (failures, _) =
            work(threads, false, Counting { closed_for_us: vec!["a"], ..Counting::default() });
        assert_eq!(failures, ["collection \"a\": no way in"]);
    }
}

#[test]
fn with_force_the_others_are_done() {
    for threads in [1, 4] {
        let with = Counting { broken: vec!["b"], closed_for_us: vec!["c"], ..Counting::default() };
        let (mut failures, done) = work(threads, true, with);
        failures.sort();
        assert_eq!(failures, ["collection \"b\": broken", "collection \"c\": no way in"]);
        let closed = lock(&done.closed);
        assert_eq!(closed.keys().copied().collect::<Vec<_>>(), ["a", "b", "empty", "last"]);
        assert!(closed["last"] == (1000, true) && closed["a"] == (10, true) && !closed["b"].1);
    }
}
