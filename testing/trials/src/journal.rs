//! The acknowledged writes of all clients, and the replies that should not have been.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use harness::requests::Failure;

/// Errors that writers may get: a conflict, a lock that is not free, a duplicate key, a document or
/// a transaction that is gone.
const EXPECTED: [u64; 5] = [1200, 18, 1210, 1202, 1655];

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Acknowledged,
    Refused,
    Unknown,
}

/// The acknowledged writes of all clients, and the replies that should not have been.
#[derive(Debug)]
pub(crate) struct Journal {
    start: Instant,
    is_over: AtomicBool,
    acknowledged: Mutex<Vec<Instant>>,
    wrong: Mutex<Vec<String>>,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Journal {
            start: Instant::now(),
            is_over: AtomicBool::new(false),
            acknowledged: Mutex::default(),
            wrong: Mutex::default(),
        }
    }

    /// Tells the clients to stop.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Notes the result of a write.
    pub(crate) fn note<T>(&self, result: &Result<T, Failure>) -> Outcome {
        match result {
            Ok(_) => {
                self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
                Outcome::Acknowledged
            }
            Err(failure) => self.note_failure(failure),
        }
    }

    /// Notes a request that did not succeed.
    pub(crate) fn note_failure(&self, failure: &Failure) -> Outcome {
        if failure.is_unknown {
            return Outcome::Unknown;
        }
        if failure.number != 0 && !EXPECTED.contains(&failure.number) {
            self.complain(&failure.to_string());
        }
        Outcome::Refused
    }

    /// Notes something that must not be.
    pub(crate) fn complain(&self, text: &str) {
        let text = format!("at {:.1} s: {text}", self.start.elapsed().as_secs_f32());
        eprintln!("  {text}");
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Returns the moments of all acknowledgements in order, and what must not be.
    pub(crate) fn into_parts(self) -> (Vec<Instant>, Vec<String>) {
        let mut moments = self.acknowledged.into_inner().unwrap_or_else(PoisonError::into_inner);
        moments.sort_unstable();
        (moments, self.wrong.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
