//! A client that reads at a follower and records what it finds.

use std::sync::atomic::Ordering;
use std::time::Duration;

use client::Client;
use fastrand::Rng;
use harness::requests::Failure;

use crate::histories::database::{Database, Path};
use crate::histories::history::{Key, Operation, Outcome, Transaction};
use crate::histories::worker::Shared;

/// Maximum pause between two transactions, so that the leader keeps most of the processor.
const PAUSE_MAX: Duration = Duration::from_millis(4);

/// A client of one follower.
pub(crate) struct Reader<'a> {
    pub(crate) number: usize,
    /// The number of the follower.
    pub(crate) follower: usize,
    pub(crate) client: &'a Client,
    pub(crate) shared: &'a Shared,
    pub(crate) rng: Rng,
}

impl Reader<'_> {
    /// Reads until the time is over, and returns the transactions that found something out.
    pub(crate) fn run(mut self) -> Vec<Transaction> {
        let mut history = Vec::new();
        while !self.shared.is_over.load(Ordering::Relaxed) {
            let begin = self.shared.start.elapsed();
            let database = Database::new(self.client);
            let mut operations = Vec::new();
            let done = match self.rng.u8(..4) {
                0 => self.read(&database, &mut operations),
                1 => self.read_many(&database, &mut operations),
                _ => self.stream(&database, &mut operations),
            };
            if let Err(failure) = done {
                self.shared.note(self.number, &failure);
            }
            if !operations.is_empty() {
                history.push(Transaction {
                    client: self.number,
                    follower: Some(self.follower),
                    begin,
                    end: self.shared.start.elapsed(),
                    operations,
                    refused: Vec::new(),
                    outcome: Outcome::Committed,
                });
            }
            std::thread::sleep(PAUSE_MAX.mul_f64(self.rng.f64()));
        }
        history
    }

    /// Reads several times in one stream transaction. Reads before a failure count: they were of
    /// one state.
    fn stream(&mut self, database: &Database<'_>, found: &mut Vec<Operation>) -> Result<(), Failure> {
        let database = database.begin_reading()?;
        for _ in 0..self.rng.usize(2..=5) {
            match self.rng.bool() {
                true => self.read(&database, found)?,
                false => self.read_many(&database, found)?,
            }
        }
        if self.rng.bool() { database.commit() } else { database.abort() }
    }

    fn read(&mut self, database: &Database<'_>, found: &mut Vec<Operation>) -> Result<(), Failure> {
        let keys = self.shared.keys(&mut self.rng);
        for key in keys.into_iter().take(1) {
            let values = database.read(key, Path::any(&mut self.rng))?;
            found.push(Operation::Read { key, values });
        }
        Ok(())
    }

    fn read_many(&mut self, database: &Database<'_>, found: &mut Vec<Operation>) -> Result<(), Failure> {
        let keys: Vec<Key> = self.shared.keys(&mut self.rng);
        let all = database.read_many(&keys)?;
        found.extend(keys.into_iter().zip(all).map(|(key, values)| Operation::Read { key, values }));
        Ok(())
    }
}
