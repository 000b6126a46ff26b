//! One webhook in memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aql_value::Charge;
use catalog::DatabaseId;

use super::definition::WebhookDefinition;
use super::progress::WebhookProgress;
use crate::embedded_aql::ChangeFilter;

/// A webhook.
pub(crate) struct Hook {
    /// The number by which the schedule knows it.
    pub(crate) id: u64,
    /// A random number that distinguishes it from others that had its name.
    pub(crate) unique: u64,
    pub(crate) database: Arc<str>,
    pub(crate) database_id: DatabaseId,
    pub(crate) name: Arc<str>,
    /// The lock is held while the document is written, so that both agree.
    state: Mutex<HookState>,
    /// The position from which on the webhook needs the log, by its document; `u64::MAX` if it
    /// needs none.
    held_from: AtomicU64,
}

/// The parts of a webhook that change.
pub(crate) struct HookState {
    pub(crate) definition: Arc<WebhookDefinition>,
    pub(crate) filter: Option<Arc<ChangeFilter>>,
    pub(crate) progress: WebhookProgress,
    /// Grows when the position is set by a user. A delivery that began before does not move it.
    pub(crate) generation: u64,
    pub(crate) is_removed: bool,
    pub(crate) pace: Pace,
    /// The memory of the definition.
    pub(crate) memory: Charge,
}

/// The times of a webhook that its document does not keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// When the position was last saved.
    pub(crate) saved: Instant,
    /// Since when changes wait for more.
    pub(crate) waiting_since: Option<Instant>,
}

impl HookState {
    /// Returns true if nothing is to be delivered until a user changes that.
    pub(crate) fn is_stopped(&self) -> bool {
        let is_idle = self.definition.paused && !self.progress.retries_dead_letters;
        is_idle || self.progress.failure.is_some() || self.is_removed
    }
}

impl Hook {
    pub(crate) fn new(
        id: u64,
        unique: u64,
        database: (DatabaseId, Arc<str>),
        name: Arc<str>,
        state: HookState,
    ) -> Self {
        let (database_id, database) = database;
        let held_from = AtomicU64::new(held_from(&state));
        Hook { id, unique, database, database_id, name, state: Mutex::new(state), held_from }
    }

    /// Locks the state.
    pub(crate) fn state(&self) -> MutexGuard<'_, HookState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the document has the present state.
    pub(crate) fn note_saved(&self, state: &mut HookState) {
        state.pace.saved = Instant::now();
        self.held_from.store(held_from(state), Ordering::Release);
    }

    /// Returns the position from which on the webhook needs the log.
    pub(crate) fn held_from(&self) -> u64 {
        self.held_from.load(Ordering::Acquire)
    }
}

fn held_from(state: &HookState) -> u64 {
    match state.progress.failure.is_some() || state.is_removed {
        true => u64::MAX,
        false => state.progress.position.saturating_add(1),
    }
}
