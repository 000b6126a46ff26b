//! The context of an evaluation: all that an expression may reach while it runs.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use errors::{ErrorCode, Result};
use fastrand::Rng;
use owner::{Interrupt, MemoryAccount};

use crate::environment::Environment;
use crate::memo::Memo;
use crate::pattern::PatternCache;
use crate::warnings::Warnings;

/// The state of a query that its expressions share and change: compiled patterns, random numbers,
/// its time.
#[derive(Debug)]
pub struct EvaluationState {
    /// Regular expressions and LIKE patterns compiled at run time.
    pub patterns: PatternCache,
    /// The preparations of single functions.
    pub memo: Memo,
    /// The random numbers of `RAND()`, `UUID()` and the like: fast, and not for secrets.
    pub random: Rng,
    /// The query's start in milliseconds since 1970-01-01 UTC: `DATE_NOW()` is constant in a query.
    pub statement_time_ms: i64,
}

impl EvaluationState {
    /// Returns a state that starts now, with random numbers of its own.
    pub fn new() -> Self {
        Self {
            patterns: PatternCache::default(),
            memo: Memo::default(),
            // The keys of the standard library's hasher come from the operating system's
            // randomness.
            random: Rng::with_seed(RandomState::new().build_hasher().finish()),
            statement_time_ms: now_ms(),
        }
    }

    /// Returns a new state with the same time, for another thread of the statement.
    ///
    /// Its random numbers are others.
    pub fn of_same_statement(&self) -> Self {
        Self { statement_time_ms: self.statement_time_ms, ..Self::new() }
    }

    /// Reads the clock again, for a state that outlives a statement.
    pub fn restart_clock(&mut self) {
        self.statement_time_ms = now_ms();
    }

    /// Returns a state with a given time and seed, for tests and for exact repetition.
    pub fn fixed(statement_time_ms: i64, seed: u64) -> Self {
        Self {
            patterns: PatternCache::default(),
            memo: Memo::default(),
            random: Rng::with_seed(seed),
            statement_time_ms,
        }
    }
}

fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

impl Default for EvaluationState {
    fn default() -> Self {
        Self::new()
    }
}

/// A borrowed view of a query's parts for one evaluation.
pub struct EvaluationContext<'a> {
    /// The query's warnings.
    pub warnings: &'a mut Warnings,
    /// The state that the expression shares with the rest of the query.
    pub state: &'a mut EvaluationState,
    /// The account for everything large that the expression builds.
    pub memory: &'a MemoryAccount,
    /// The interrupt that long loops check.
    pub interrupt: &'a Interrupt,
    /// The server.
    pub environment: &'a dyn Environment,
}

impl EvaluationContext<'_> {
    /// Registers a warning. Errors: the warning's code if the query has `failOnWarning`.
    pub fn warn(&mut self, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Result<()> {
        self.warnings.register(code, message)
    }
}
