//! A group whose members call each other directly.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use elections::{Candidate, Elections, Member, Options, Position, Transport};
use tempfile::TempDir;

/// The longest wait for a condition.
const PATIENCE: Duration = Duration::from_secs(60);

/// The members that run, as their transport sees them.
#[derive(Default)]
pub(crate) struct Lines {
    running: Mutex<BTreeMap<u64, Weak<Elections>>>,
    cut: AtomicU64,
}

/// The way of one member to the others.
pub(crate) struct Line {
    lines: Arc<Lines>,
    own: u64,
}

impl Transport for Line {
    fn call(&self, to: &Member, message: Vec<u8>, _timeout: Duration) -> Result<Vec<u8>, String> {
        self.lines.call(self.own, to, &message)
    }
}

impl Lines {
    /// Lets no message to or from a member through any more.
    pub(crate) fn cut(&self, id: u64) {
        self.cut.store(id, Ordering::Relaxed);
    }

    fn call(&self, from: u64, to: &Member, message: &[u8]) -> Result<Vec<u8>, String> {
        if [from, to.id].contains(&self.cut.load(Ordering::Relaxed)) {
            return Err(String::from("the network is down"));
        }
        let member = self.running.lock().unwrap().get(&to.id).and_then(Weak::upgrade);
        let member = member.ok_or("the connection was refused")?;
        member.receive(message).map_err(|error| error.to_string())
    }
}

/// The data of a member: a position.
pub(crate) struct Data {
    pub(crate) position: Mutex<Option<Position>>,
    pub(crate) calls: Mutex<Vec<&'static str>>,
}

impl Data {
    fn new() -> Data {
        Data { position: Mutex::new(Some(Position { epoch: 0, tick: 0 })), calls: Mutex::default() }
    }
}

impl Candidate for Data {
    fn position(&self) -> Option<Position> {
        *self.position.lock().unwrap()
    }

    fn catch_up(&self, to: Position, _timeout: Duration) -> Result<(), String> {
        self.calls.lock().unwrap().push("catch up");
        *self.position.lock().unwrap() = Some(to);
        Ok(())
    }

    fn stop_writes(&self, _timeout: Duration) -> Result<Position, String> {
        self.calls.lock().unwrap().push("stop");
        self.position.lock().unwrap().ok_or_else(|| String::from("it has no data"))
    }

    fn resume_writes(&self) {
        self.calls.lock().unwrap().push("resume");
    }
}

/// A group in temporary folders.
pub(crate) struct Group {
    pub(crate) lines: Arc<Lines>,
    pub(crate) data: BTreeMap<u64, Arc<Data>>,
    pub(crate) running: BTreeMap<u64, Arc<Elections>>,
    folder: TempDir,
}

impl Group {
    /// Starts members with the ids from 1 on.
    pub(crate) fn start(count: u64) -> Group {
        let mut group = Group {
            lines: Arc::default(),
            data: (1..=count).map(|id| (id, Arc::new(Data::new()))).collect(),
            running: BTreeMap::new(),
            folder: tempfile::tempdir().unwrap(),
        };
        for id in 1..=count {
            group.start_member(id);
        }
        group
    }

    pub(crate) fn folder(&self, id: u64) -> PathBuf {
        self.folder.path().join(id.to_string())
    }

    pub(crate) fn options(&self, id: u64) -> Options {
        let member = |id: &u64| Member { id: *id, endpoint: format!("member{id}") };
        Options {
            own: id,
            members: self.data.keys().map(member).collect(),
            folder: self.folder(id),
            lease: Duration::from_millis(600),
            transport: Arc::new(Line { lines: Arc::clone(&self.lines), own: id }),
            candidate: Arc::clone(&self.data[&id]) as Arc<dyn Candidate>,
        }
    }

    /// Returns options of a member that the group does not have.
    pub(crate) fn options_without_data(&self, id: u64) -> Options {
        Options {
            own: id,
            members: Vec::new(),
            folder: self.folder(id),
            lease: elections::LEASE,
            transport: Arc::new(Line { lines: Arc::clone(&self.lines), own: id }),
            candidate: Arc::new(Data::new()),
        }
    }

    /// Adds a member to the configuration of those that start from now on.
    pub(crate) fn admit(&mut self, id: u64) {
        self.data.insert(id, Arc::new(Data::new()));
    }

    pub(crate) fn start_member(&mut self, id: u64) {
        let member = Elections::start(self.options(id)).unwrap();
        self.lines.running.lock().unwrap().insert(id, Arc::downgrade(&member));
        self.running.insert(id, member);
    }

    /// Cuts a member off and stops it.
    pub(crate) fn stop_member(&mut self, id: u64, cut_off: bool) {
        if cut_off {
            self.lines.running.lock().unwrap().remove(&id);
        }
        self.running.remove(&id).unwrap().stop();
        self.lines.running.lock().unwrap().remove(&id);
    }

    /// Waits until a member may write, and returns it with its epoch.
    pub(crate) fn wait_for_writer(&self) -> (u64, u64) {
        wait("a member may write", || {
            let known = self.running.iter().map(|(id, member)| (*id, member.leadership()));
            known
                .filter(|(_, known)| known.may_write(Instant::now()))
                .map(|(id, known)| (id, known.epoch))
                .next()
        })
    }
}

/// Waits until a value is there.
pub(crate) fn wait<T>(what: &str, mut value: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(value) = value() {
            return value;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not come to this within {PATIENCE:?}: {what}");
}
