//! A client that runs random transactions and records them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::Client;
use fastrand::Rng;
use harness::requests::Failure;

use crate::histories::database::{Database, Path};
use crate::histories::history::{Key, Operation, Outcome, Transaction};

/// Number of objects of each kind that are in use concurrently.
const WINDOW: u32 = 8;

/// Transactions after which the window moves to the next object.
const TRANSACTIONS_PER_OBJECT: u32 = 12;

/// Pause after a request without a reply, in which the server may start again.
const PAUSE: Duration = Duration::from_millis(20);

/// Errors that transactions may meet: a conflict, a lock that is not free, a duplicate key.
const EXPECTED: [u64; 3] = [1200, 18, 1210];

/// The state that all clients share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) start: Instant,
    pub(crate) is_over: AtomicBool,
    /// True if processes fail in this run, so that requests may also fail.
    pub(crate) has_faults: bool,
    transactions: AtomicU32,
    last_value: AtomicU64,
    /// The first replies that should not have been.
    pub(crate) failures: Mutex<Vec<String>>,
}

impl Shared {
    pub(crate) fn new(has_faults: bool) -> Self {
        Shared {
            start: Instant::now(),
            is_over: AtomicBool::new(false),
            has_faults,
            transactions: AtomicU32::new(0),
            last_value: AtomicU64::new(0),
            failures: Mutex::default(),
        }
    }

    /// Returns the number after the greatest number of an object that was used.
    pub(crate) fn objects(&self) -> u32 {
        self.transactions.load(Ordering::Relaxed) / TRANSACTIONS_PER_OBJECT + WINDOW
    }

    /// Returns one to three objects of one kind that are in use now.
    pub(crate) fn keys(&self, rng: &mut Rng) -> Vec<Key> {
        let kind: fn(u32) -> Key = if rng.u8(..3) > 0 { Key::List } else { Key::Register };
        let moved = self.transactions.load(Ordering::Relaxed) / TRANSACTIONS_PER_OBJECT;
        let mut numbers: Vec<u32> = (moved..moved + WINDOW).collect();
        rng.shuffle(&mut numbers);
        numbers.truncate(rng.usize(1..=3));
        numbers.into_iter().map(kind).collect()
    }

    /// Notes a reply to a client that should not have been.
    pub(crate) fn note(&self, client: usize, failure: &Failure) {
        let is_missing = failure.number == 0 || failure.is_unknown;
        if is_missing {
            // The clients keep working while the server starts; they do not only wait for it.
            std::thread::sleep(PAUSE);
        }
        // The transaction is gone after a kill of its server.
        let is_excused = self.has_faults && (is_missing || failure.number == 1655);
        if !is_excused && !EXPECTED.contains(&failure.number) {
            let mut failures = self.failures.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            failures.push(format!("client {client}: {failure}"));
        }
    }
}

/// A client.
pub(crate) struct Worker<'a> {
    number: usize,
    /// A client of each server.
    clients: &'a [Client],
    shared: &'a Shared,
    rng: Rng,
    operations: Vec<Operation>,
    refused: Vec<(Key, u64)>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(number: usize, clients: &'a [Client], shared: &'a Shared, rng: Rng) -> Self {
        Worker { number, clients, shared, rng, operations: Vec::new(), refused: Vec::new() }
    }

    /// Runs transactions until the time is over, and returns those that did something.
    pub(crate) fn run(mut self) -> Vec<Transaction> {
        let mut history = Vec::new();
        while !self.shared.is_over.load(Ordering::Relaxed) {
            self.shared.transactions.fetch_add(1, Ordering::Relaxed);
            let begin = self.shared.start.elapsed();
            let mut database = Database::new(self.any_client());
            database.waits_for_sync = self.rng.u8(..4) == 0;
            let outcome = if self.rng.u8(..5) == 0 { self.single(&database) } else { self.stream(&database) };
            let operations = std::mem::take(&mut self.operations);
            let refused = std::mem::take(&mut self.refused);
            if !operations.is_empty() || !refused.is_empty() {
                let (client, end) = (self.number, self.shared.start.elapsed());
                let follower = None;
                history.push(Transaction { client, follower, begin, end, operations, refused, outcome });
            }
        }
        history
    }

    /// Returns a client of one of the servers.
    fn any_client(&mut self) -> &'a Client {
        &self.clients[self.rng.usize(..self.clients.len())]
    }

    /// Runs a request outside of stream transactions, which is a transaction by itself.
    fn single(&mut self, database: &Database<'_>) -> Outcome {
        let (keys, _) = self.keys();
        let done = match self.rng.u8(..4) {
            0 => self.write(database, &keys),
            1 => self.update(database, keys[0]),
            2 => self.read(database, keys[0]),
            _ => self.read_many(database, &keys),
        };
        match done {
            Ok(()) => Outcome::Committed,
            Err(failure) => self.missed(&failure),
        }
    }

    /// Runs a stream transaction.
    fn stream(&mut self, database: &Database<'_>) -> Outcome {
        let database = match database.begin(self.rng.u8(..30) == 0) {
            // The others pass its requests on to the server that has it.
            Ok(database) => database.at(self.any_client()),
            Err(failure) => {
                self.note(&failure);
                return Outcome::Aborted;
            }
        };
        for _ in 0..self.rng.usize(1..=5) {
            let done = self.operate(&database);
            if let Err(failure) = done {
                self.note(&failure);
                // A refused request leaves the transaction as it was.
                if failure.is_unknown || self.rng.bool() {
                    return self.abort(&database);
                }
            }
        }
        if self.rng.u8(..12) == 0 { self.abort(&database) } else { self.commit(&database) }
    }

    fn operate(&mut self, database: &Database<'_>) -> Result<(), Failure> {
        let (keys, key) = self.keys();
        match self.rng.u8(..8) {
            0 | 1 => self.read(database, key),
            2 => self.read_many(database, &keys),
            3 | 4 => self.write(database, &keys),
            5 => self.update(database, key),
            _ => self.replace(database, key),
        }
    }

    fn commit(&mut self, database: &Database<'_>) -> Outcome {
        match database.commit() {
            Ok(()) => Outcome::Committed,
            Err(failure) => self.missed(&failure),
        }
    }

    /// Returns the outcome of a commit that was not acknowledged.
    fn missed(&self, failure: &Failure) -> Outcome {
        self.note(failure);
        if failure.is_unknown { Outcome::Unknown } else { Outcome::Aborted }
    }

    fn abort(&mut self, database: &Database<'_>) -> Outcome {
        if let Err(failure) = database.abort() {
            self.note(&failure);
        }
        Outcome::Aborted
    }

    /// Returns one to three objects of one kind, and the first of them.
    fn keys(&mut self) -> (Vec<Key>, Key) {
        let keys = self.shared.keys(&mut self.rng);
        let first = keys[0];
        (keys, first)
    }

    fn next_value(&self) -> u64 {
        self.shared.last_value.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn saw(&mut self, key: Key, values: Vec<u64>) {
        self.operations.push(Operation::Read { key, values });
    }

    /// Records writes by their result. Without a reply, they may have taken place.
    fn wrote(&mut self, keys: &[Key], value: u64, done: &Result<(), Failure>) {
        match done {
            Err(failure) if !failure.is_unknown => self.refused.extend(keys.iter().map(|key| (*key, value))),
            _ => self.operations.extend(keys.iter().map(|key| Operation::Write { key: *key, value })),
        }
    }

    fn read(&mut self, database: &Database<'_>, key: Key) -> Result<(), Failure> {
        let values = database.read(key, Path::any(&mut self.rng))?;
        self.saw(key, values);
        Ok(())
    }

    fn read_many(&mut self, database: &Database<'_>, keys: &[Key]) -> Result<(), Failure> {
        let found = database.read_many(keys)?;
        keys.iter().zip(found).for_each(|(key, values)| self.saw(*key, values));
        Ok(())
    }

    fn write(&mut self, database: &Database<'_>, keys: &[Key]) -> Result<(), Failure> {
        let value = self.next_value();
        let done = database.write(keys, value);
        self.wrote(keys, value, &done);
        done
    }

    fn update(&mut self, database: &Database<'_>, key: Key) -> Result<(), Failure> {
        let value = self.next_value();
        match database.update(key, value) {
            Ok(Some([before, after])) => {
                self.saw(key, before);
                self.wrote(&[key], value, &Ok(()));
                self.saw(key, after);
                Ok(())
            }
            Ok(None) => {
                self.saw(key, Vec::new());
                Ok(())
            }
            Err(failure) => {
                let done = Err(failure);
                self.wrote(&[key], value, &done);
                done
            }
        }
    }

    /// Reads an object and writes its next state. The two requests need a transaction around them.
    fn replace(&mut self, database: &Database<'_>, key: Key) -> Result<(), Failure> {
        self.read(database, key)?;
        let Some(Operation::Read { values, .. }) = self.operations.last() else { return Ok(()) };
        let mut values = values.clone();
        let value = self.next_value();
        key.apply(&mut values, value);
        let done = database.replace(key, &values);
        self.wrote(&[key], value, &done);
        done
    }

    /// Notes a reply that should not have been.
    fn note(&self, failure: &Failure) {
        self.shared.note(self.number, failure);
    }
}
