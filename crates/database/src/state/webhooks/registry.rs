//! The webhooks of all databases.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::DatabaseId;
use errors::{Error, ErrorCode, Result};
use webhooks::{AllowList, Sender};

use super::hook::Hook;
use super::schedule::Schedule;
use crate::metrics::WebhookCounts;

/// Maximum number of webhooks of a database.
const WEBHOOKS_MAX: usize = 100;
/// Maximum number of test deliveries at once.
const PINGS_MAX: usize = 4;
/// The name that deliveries give to receivers.
const USER_AGENT: &str = "Persea-Webhooks";

/// The options of webhooks.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// False to make none, and to deliver nothing.
    pub is_enabled: bool,
    /// The addresses that the operator allows.
    pub allowed: AllowList,
}

impl WebhookOptions {
    /// Makes options. `allowed` has host names, `*.example.com`, addresses and networks.
    ///
    /// Errors: the entry that is none of these.
    pub fn new<'a>(
        is_enabled: bool,
        allowed: impl Iterator<Item = &'a str>,
    ) -> std::result::Result<Self, String> {
        Ok(WebhookOptions { is_enabled, allowed: AllowList::parse(allowed)? })
    }
}

impl Default for WebhookOptions {
    fn default() -> Self {
        WebhookOptions { is_enabled: true, allowed: AllowList::default() }
    }
}

/// Webhooks by their database and name.
type HooksByName = BTreeMap<(DatabaseId, Arc<str>), Arc<Hook>>;

/// The webhooks of all databases.
pub(crate) struct Webhooks {
    pub(crate) is_enabled: bool,
    pub(crate) sender: Sender,
    pub(crate) schedule: Schedule,
    pub(crate) counts: WebhookCounts,
    hooks: Mutex<HooksByName>,
    /// This server delivers: it is alone, or the first of those that share the store.
    is_delivering: AtomicBool,
    pings: AtomicUsize,
    stop: Arc<AtomicBool>,
}

/// A test delivery in progress.
pub(crate) struct Ping<'a>(&'a AtomicUsize);

impl Drop for Ping<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Webhooks {
    pub(crate) fn new(options: &WebhookOptions) -> Self {
        let stop = Arc::<AtomicBool>::default();
        Webhooks {
            is_enabled: options.is_enabled,
            sender: Sender::new(options.allowed.clone(), USER_AGENT, Arc::clone(&stop)),
            schedule: Schedule::default(),
            counts: WebhookCounts::default(),
            hooks: Mutex::default(),
            is_delivering: AtomicBool::new(false),
            pings: AtomicUsize::new(0),
            stop,
        }
    }

    /// Notes if this server delivers, and returns if it did before.
    pub(crate) fn set_delivering(&self, is_delivering: bool) -> bool {
        self.is_delivering.swap(is_delivering, Ordering::AcqRel)
    }

    /// Forgets all webhooks, because another server delivers. Deliveries in progress end.
    pub(crate) fn forget_all(&self) {
        self.all().iter().for_each(|hook| self.remove(hook));
    }

    /// Checks that a database may have another webhook of a name.
    ///
    /// Errors: 1207 if it has one of this name, 32 if it has too many.
    pub(crate) fn check_new(&self, database: DatabaseId, name: &str) -> Result<()> {
        let hooks = self.hooks();
        if hooks.contains_key(&(database, Arc::from(name))) {
            return Err(Error::new(ErrorCode::DuplicateName, format!("there is a webhook '{name}' already")));
        }
        if hooks.keys().filter(|(other, _)| *other == database).count() >= WEBHOOKS_MAX {
            let message = format!("the database has {WEBHOOKS_MAX} webhooks; remove some");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        Ok(())
    }

    /// Adds a webhook, which begins to deliver.
    pub(crate) fn insert(&self, hook: Arc<Hook>) {
        self.hooks().insert((hook.database_id, Arc::clone(&hook.name)), Arc::clone(&hook));
        self.schedule.insert(hook);
    }

    pub(crate) fn get(&self, database: DatabaseId, name: &str) -> Option<Arc<Hook>> {
        self.hooks().get(&(database, Arc::from(name))).cloned()
    }

    pub(crate) fn list(&self, database: DatabaseId) -> Vec<Arc<Hook>> {
        let hooks = self.hooks();
        hooks.iter().filter(|((other, _), _)| *other == database).map(|(_, hook)| Arc::clone(hook)).collect()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Hook>> {
        self.hooks().values().cloned().collect()
    }

    /// Forgets a webhook.
    pub(crate) fn remove(&self, hook: &Hook) {
        let mut hooks = self.hooks();
        let key = (hook.database_id, Arc::clone(&hook.name));
        if hooks.get(&key).is_some_and(|present| present.id == hook.id) {
            hooks.remove(&key);
        }
        self.schedule.remove(hook.id);
    }

    /// Forgets the webhooks of a database that is about to be dropped.
    pub(crate) fn remove_database(&self, database: DatabaseId) {
        for hook in self.list(database) {
            let mut state = hook.state();
            state.is_removed = true;
            state.generation += 1;
            drop(state);
            self.remove(&hook);
        }
    }

    /// Returns the position from which on webhooks need the change log; `u64::MAX` without any.
    pub(crate) fn held_from(&self) -> u64 {
        match self.is_enabled {
            true => self.hooks().values().map(|hook| hook.held_from()).min().unwrap_or(u64::MAX),
            false => u64::MAX,
        }
    }

    /// Begins a test delivery.
    ///
    /// Errors: 32 if there are too many.
    pub(crate) fn begin_ping(&self) -> Result<Ping<'_>> {
        let ping = Ping(&self.pings);
        match self.pings.fetch_add(1, Ordering::Relaxed) < PINGS_MAX {
            true => Ok(ping),
            false => {
                let message = format!("{PINGS_MAX} test deliveries are in progress; ask again");
                Err(Error::new(ErrorCode::ResourceLimit, message))
            }
        }
    }

    /// Ends deliveries in progress, and begins no more.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.schedule.stop();
    }

    fn hooks(&self) -> MutexGuard<'_, HooksByName> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
