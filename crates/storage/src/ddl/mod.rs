//! Changes of definitions. Each is one atomic write; what it leaves behind is deleted afterwards.

mod collection;
mod database;
mod index;
mod recount;
mod truncate;
mod user;

use std::time::{Duration, Instant};

use crate::error;
use crate::gate::{GateGuard, Passage};
use crate::index::build::SharedCheck;
use crate::store::Shared;
use crate::{Collection, Result};

/// How long a gate is waited for between two checks.
const WAIT_PER_CHECK: Duration = Duration::from_millis(50);

impl Shared {
    /// Waits until nobody else writes or changes the collection.
    ///
    /// Errors: 18, 1004.
    pub(crate) fn exclude_writers(&self, collection: &Collection) -> Result<GateGuard> {
        self.check_writable()?;
        let timeout = Duration::from_millis(self.options.gate_timeout_ms);
        let guard = collection.gate.pass(Passage::Exclusive, timeout);
        guard.ok_or_else(|| error::lock_timeout(collection.name()))
    }

    /// The same, asking `check` from time to time whether to go on waiting.
    ///
    /// Errors: 18, 1004, that of `check`.
    pub(crate) fn exclude_writers_unless(
        &self,
        collection: &Collection,
        check: SharedCheck<'_>,
    ) -> Result<GateGuard> {
        self.check_writable()?;
        let until = Instant::now() + Duration::from_millis(self.options.gate_timeout_ms);
        loop {
            check()?;
            let left = until.saturating_duration_since(Instant::now());
            match collection.gate.pass(Passage::Exclusive, left.min(WAIT_PER_CHECK)) {
                Some(guard) => return Ok(guard),
                None if left.is_zero() => return Err(error::lock_timeout(collection.name())),
                None => {}
            }
        }
    }
}
