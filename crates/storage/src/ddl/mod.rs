//! Changes of definitions. Each is one atomic write; what it leaves behind is deleted afterwards.

mod collection;
mod database;
mod index;
mod recount;
mod truncate;
mod user;

use std::time::Duration;

use crate::gate::{GateGuard, Passage};
use crate::store::Shared;
use crate::{Collection, Error, Result};

impl Shared {
    /// Waits until nobody else writes or changes the collection.
    ///
    /// Errors: 18, 1004.
    pub(crate) fn exclude_writers(&self, collection: &Collection) -> Result<GateGuard> {
        self.check_writable()?;
        let timeout = Duration::from_millis(self.options.gate_timeout_ms);
        let guard = collection.gate.pass(Passage::Exclusive, timeout);
        guard.ok_or_else(|| Error::lock_timeout(collection.name()))
    }
}
