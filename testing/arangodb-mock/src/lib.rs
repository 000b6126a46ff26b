//! An ArangoDB server in memory, for tests of what reads from one.
//!
//! It answers as a single server of ArangoDB 3.10 to 3.12 does, as far as a reader of its data and
//! of its log asks. Writes go through [`Model`], and appear in dumps and in the log. The forms of
//! replies are those of ArangoDB's documentation: "HTTP interface for WAL access" of 3.12, and
//! "Replication" of 3.8 to 3.11. [`Mock::fail`] makes requests fail.

#![allow(clippy::needless_pass_by_value, reason = "callers write JSON in place")]

mod model;
mod fault;
mod route;
mod server;
#[cfg(test)]
mod tests;

use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use fault::Fault;
pub use model::{Model, Role, TransactionId, Version};

use fault::Faults;
use route::Readers;

/// A server that runs until the process ends. Its user `root` has the password `secret`.
#[derive(Clone, Debug)]
pub struct Mock {
    state: Arc<Mutex<State>>,
    endpoint: String,
}

/// The state behind the requests.
#[derive(Debug)]
struct State {
    model: Model,
    readers: Readers,
    faults: Faults,
    requests: Vec<String>,
}

impl Mock {
    /// Starts a server on a free port of this machine.
    pub fn start(version: Version) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let state = State {
            model: Model::new(version),
            readers: Readers::default(),
            faults: Faults::default(),
            requests: Vec::new(),
        };
        let mock = Mock { state: Arc::new(Mutex::new(state)), endpoint };
        let served = mock.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mock = served.clone();
                std::thread::spawn(move || mock.serve(stream));
            }
        });
        Ok(mock)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its address, `http://HOST:PORT`.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Writes as a client does. Returns false, without a write, in read-only mode.
    pub fn write(&self, write: impl FnOnce(&mut Model)) -> bool {
        let mut state = self.lock();
        let may_write = !state.model.is_read_only();
        if may_write {
            write(&mut state.model);
        }
        may_write
    }

    /// Reads the present state.
    pub fn read<T>(&self, read: impl FnOnce(&Model) -> T) -> T {
        read(&self.lock().model)
    }

    /// Changes properties of the server that no client could change, such as its role.
    pub fn configure(&self, change: impl FnOnce(&mut Model)) {
        change(&mut self.lock().model);
    }

    /// Makes the next request fail whose method and target contain a text. Faults of the same text
    /// come in the order of the calls.
    pub fn fail(&self, request: &str, fault: Fault) {
        self.lock().faults.add(request, fault);
    }

    /// Calls `change` before the next request is answered whose method and target contain a text.
    pub fn before(&self, request: &str, change: impl FnOnce(&mut Model) + Send + 'static) {
        self.lock().faults.add_change(request, Box::new(change));
    }

    /// Returns method and target of all requests up to now.
    pub fn requests(&self) -> Vec<String> {
        self.lock().requests.clone()
    }

    /// Returns the number of snapshots and dumps that no client has closed.
    pub fn open_snapshots(&self) -> usize {
        self.lock().readers.open_snapshots()
    }
}
