//! Object storage in memory, for tests: the requests of S3 that the client makes.
//!
//! It refuses what S3 refuses: bodies with another digest than the signed one, small parts, unknown
//! uploads, and requests without a signature. [`Storage::fail`] makes the next requests fail.

mod objects;
mod exchange;

use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use objects::Objects;

/// A fault of the next requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The storage answers 503 with the code `SlowDown`.
    Busy,
    /// The connection ends after half of the reply's body.
    Half,
    /// The storage answers 403.
    Denied,
}

/// A storage that runs until the process ends. It has one bucket, `backups`.
#[derive(Clone, Debug)]
pub struct Storage {
    state: Arc<Mutex<State>>,
    endpoint: String,
}

#[derive(Debug, Default)]
struct State {
    objects: Objects,
    faults: Vec<Fault>,
    requests: Vec<String>,
}

impl Storage {
    /// Starts a storage on a free port of this machine.
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let storage = Storage { state: Arc::default(), endpoint };
        let served = storage.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let storage = served.clone();
                std::thread::spawn(move || storage.serve(stream));
            }
        });
        Ok(storage)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its address, `http://HOST:PORT`.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Makes the next requests fail, in this order.
    pub fn fail(&self, faults: &[Fault]) {
        self.lock().faults.extend(faults.iter().rev());
    }

    /// Returns method and target of all requests up to now.
    pub fn requests(&self) -> Vec<String> {
        self.lock().requests.clone()
    }

    /// Returns the keys of all objects.
    pub fn keys(&self) -> Vec<String> {
        self.lock().objects.keys()
    }

    /// Replaces the content of an object.
    pub fn damage(&self, key: &str, content: &[u8]) {
        self.lock().objects.put(key, content.to_vec());
    }

    /// Returns the number of uploads in parts that were neither completed nor aborted.
    pub fn open_uploads(&self) -> usize {
        self.lock().objects.open_uploads()
    }

    /// Makes all objects as old as if they had been written this many seconds before.
    pub fn age(&self, seconds: u64) {
        self.lock().objects.age(seconds);
    }
}
