//! The open feeds of changes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use aql_value::Interrupt;
use errors::{Error, ErrorCode, Result};

use crate::base::Owner;

/// Maximum number of open feeds.
const FEEDS_MAX: usize = 10_000;

/// The open feeds, by their numbers.
#[derive(Default)]
pub(crate) struct Feeds {
    open: Arc<Mutex<BTreeMap<u64, Arc<Entry>>>>,
    are_ended: AtomicBool,
}

struct Entry {
    owner: Owner,
    collections: Vec<String>,
    filter: Option<String>,
    started: SystemTime,
    position: AtomicU64,
    interrupt: Interrupt,
}

/// A feed as its owner sees it.
#[derive(Clone, Debug)]
pub struct OpenFeed {
    /// The number by which it is ended.
    pub id: u64,
    /// Its database and user.
    pub owner: Owner,
    /// The collections that it names; empty for all.
    pub collections: Vec<String>,
    /// The filter.
    pub filter: Option<String>,
    /// The time of its beginning.
    pub started: SystemTime,
    /// The position up to which it has read.
    pub position: u64,
}

/// The registration of a feed, which ends when this is dropped.
pub(crate) struct Registration {
    id: u64,
    entry: Arc<Entry>,
    open: Arc<Mutex<BTreeMap<u64, Arc<Entry>>>>,
}

impl Feeds {
    /// Registers a feed.
    ///
    /// Errors: 32 if there are too many.
    pub(crate) fn register(
        &self,
        id: u64,
        owner: Owner,
        collections: Vec<String>,
        filter: Option<String>,
        interrupt: Interrupt,
    ) -> Result<Registration> {
        let mut open = lock(&self.open);
        if open.len() >= FEEDS_MAX {
            let message = format!("{FEEDS_MAX} feeds of changes are open");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        let (started, position) = (SystemTime::now(), AtomicU64::new(0));
        let entry = Arc::new(Entry { owner, collections, filter, started, position, interrupt });
        open.insert(id, Arc::clone(&entry));
        Ok(Registration { id, entry, open: Arc::clone(&self.open) })
    }

    /// Ends all feeds, because the server stops.
    pub(crate) fn end_all(&self) {
        self.are_ended.store(true, Ordering::Release);
        lock(&self.open).values().for_each(|entry| entry.interrupt.kill());
    }

    /// Returns true once all feeds must end.
    pub(crate) fn are_ended(&self) -> bool {
        self.are_ended.load(Ordering::Acquire)
    }

    /// Returns the number of open feeds.
    pub(crate) fn len(&self) -> usize {
        lock(&self.open).len()
    }

    /// Lists the feeds that `is_visible` selects.
    pub(crate) fn list(&self, is_visible: impl Fn(&Owner) -> bool) -> Vec<OpenFeed> {
        let open = lock(&self.open);
        let visible = open.iter().filter(|(_, entry)| is_visible(&entry.owner));
        visible
            .map(|(id, entry)| OpenFeed {
                id: *id,
                owner: entry.owner.clone(),
                collections: entry.collections.clone(),
                filter: entry.filter.clone(),
                started: entry.started,
                position: entry.position.load(Ordering::Relaxed),
            })
            .collect()
    }

    /// Ends a feed that `is_visible` selects. Returns false if there is none.
    pub(crate) fn end(&self, id: u64, is_visible: impl Fn(&Owner) -> bool) -> bool {
        let open = lock(&self.open);
        let entry = open.get(&id).filter(|entry| is_visible(&entry.owner));
        entry.map(|entry| entry.interrupt.kill()).is_some()
    }
}

impl Registration {
    /// Notes how far the feed has read.
    pub(crate) fn note(&self, position: u64) {
        self.entry.position.store(position, Ordering::Relaxed);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        lock(&self.open).remove(&self.id);
    }
}

fn lock(open: &Mutex<BTreeMap<u64, Arc<Entry>>>) -> MutexGuard<'_, BTreeMap<u64, Arc<Entry>>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
