//! The subscriptions that are in use.

mod slots;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::DatabaseId;

pub use slots::SubscriptionReader;
pub(crate) use slots::{SLOTS, Share, Slots};

/// The subscriptions that were used since the start, by database and name.
#[derive(Default)]
pub(crate) struct Subscriptions {
    open: Mutex<HashMap<(DatabaseId, String), Arc<OpenSubscription>>>,
}

/// A subscription that is in use.
pub(crate) struct OpenSubscription {
    state: Mutex<SubscriptionState>,
}

/// The state of a subscription.
pub(crate) struct SubscriptionState {
    /// The log that the positions belong to.
    pub(crate) log: u64,
    pub(crate) slots: Slots,
    /// Positions have changed since they were stored.
    pub(crate) is_changed: bool,
    /// The subscription was removed.
    pub(crate) is_removed: bool,
}

impl Subscriptions {
    /// Returns a subscription that is in use.
    pub(crate) fn get(&self, database: DatabaseId, name: &str) -> Option<Arc<OpenSubscription>> {
        self.lock().get(&(database, name.to_owned())).cloned()
    }

    /// Returns a subscription. `state` is its state unless it is in use already.
    pub(crate) fn open(
        &self,
        database: DatabaseId,
        name: &str,
        state: impl FnOnce() -> (u64, Slots),
    ) -> Arc<OpenSubscription> {
        let mut open = self.lock();
        let entry = open.entry((database, name.to_owned())).or_insert_with(|| {
            let (log, slots) = state();
            let state = SubscriptionState { log, slots, is_changed: false, is_removed: false };
            Arc::new(OpenSubscription { state: Mutex::new(state) })
        });
        Arc::clone(entry)
    }

    /// Forgets a subscription that was removed. Its readers notice.
    pub(crate) fn forget(&self, database: DatabaseId, name: &str) {
        let removed = self.lock().remove(&(database, name.to_owned()));
        if let Some(removed) = removed {
            removed.lock().is_removed = true;
        }
    }

    /// Forgets all subscriptions that are in use, because another server has their readers.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// Returns all subscriptions that are in use, and forgets those of databases that `is_there`
    /// does not know.
    pub(crate) fn all(
        &self,
        is_there: impl Fn(DatabaseId) -> bool,
    ) -> Vec<((DatabaseId, String), Arc<OpenSubscription>)> {
        let mut open = self.lock();
        open.retain(|(database, _), _| is_there(*database));
        open.iter().map(|(key, subscription)| (key.clone(), Arc::clone(subscription))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(DatabaseId, String), Arc<OpenSubscription>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenSubscription {
    pub(crate) fn lock(&self) -> MutexGuard<'_, SubscriptionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
