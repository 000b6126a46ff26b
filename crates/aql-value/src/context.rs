//! All that an expression may reach while it runs, passed as one argument through programs and functions.

use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::memo::Memo;
use crate::memory::MemoryAccount;
use crate::pattern::PatternCache;
use crate::warnings::Warnings;
use crate::{ErrorCode, Result};
use fastrand::Rng;
use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// State of a query that its expressions share and change: compiled patterns, random numbers, its time.
#[derive(Debug)]
pub struct EvaluationState {
    /// Regular expressions and LIKE patterns compiled at run time.
    pub patterns: PatternCache,
    /// What single functions prepared.
    pub memo: Memo,
    /// For `RAND()`, `UUID()` and the like: fast, and not for secrets.
    pub random: Rng,
    /// Milliseconds since 1970-01-01 UTC at which the query started: `DATE_NOW()` is constant during a query.
    pub statement_time_ms: i64,
}

impl EvaluationState {
    /// Starts now, with random numbers of its own.
    pub fn new() -> Self {
        Self {
            patterns: PatternCache::default(),
            memo: Memo::default(),
            // The keys of the standard library's hasher are the operating system's randomness.
            random: Rng::with_seed(RandomState::new().build_hasher().finish()),
            statement_time_ms: now_ms(),
        }
    }

    /// Takes the time again, for a state that outlives a statement.
    pub fn restart_clock(&mut self) {
        self.statement_time_ms = now_ms();
    }

    /// With time and random numbers given, for tests and for anything that must repeat exactly.
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

/// Borrowed view of a query's parts for the time of one evaluation.
pub struct EvaluationContext<'a> {
    /// Where warnings go.
    pub warnings: &'a mut Warnings,
    /// What the expression shares with the rest of the query and changes.
    pub state: &'a mut EvaluationState,
    /// Draws what the expression builds that may grow large.
    pub memory: &'a MemoryAccount,
    /// To be checked in long loops.
    pub interrupt: &'a Interrupt,
    /// The server.
    pub environment: &'a dyn Environment,
}

impl EvaluationContext<'_> {
    /// Registers a warning; an error if the query has `failOnWarning`.
    pub fn warn(&mut self, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Result<()> {
        self.warnings.register(code, message)
    }
}
