//! Objects that clients hold by a number until they release them or let them expire.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use errors::{Error, ErrorCode, Result};

use crate::base::Owner;

/// The objects that clients hold. All methods may be called from many threads.
pub(crate) struct Registry<T> {
    /// The name of an entry in messages.
    what: &'static str,
    limit: usize,
    started: Instant,
    entries: Mutex<HashMap<u64, Arc<Entry<T>>>>,
}

struct Entry<T> {
    id: u64,
    owner: Owner,
    /// Milliseconds after `started` from which the entry expires, unless it is in use.
    expires_ms: AtomicU64,
    ttl_ms: AtomicU64,
    started: Instant,
    value: T,
}

impl<T> Entry<T> {
    fn touch(&self) {
        let now_ms = self.started.elapsed().as_millis() as u64;
        let ttl_ms = self.ttl_ms.load(Ordering::Relaxed);
        self.expires_ms.store(now_ms.saturating_add(ttl_ms), Ordering::Release);
    }
}

/// An entry in use, which cannot expire. Its idle time restarts when the guard is dropped.
pub(crate) struct InUse<T> {
    entry: Arc<Entry<T>>,
}

impl<T> InUse<T> {
    pub(crate) fn id(&self) -> u64 {
        self.entry.id
    }
}

impl<T> Clone for InUse<T> {
    fn clone(&self) -> Self {
        InUse { entry: Arc::clone(&self.entry) }
    }
}

impl<T> Deref for InUse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.entry.value
    }
}

impl<T> Drop for InUse<T> {
    fn drop(&mut self) {
        self.entry.touch();
    }
}

impl<T> Registry<T> {
    pub(crate) fn new(what: &'static str, limit: usize) -> Self {
        Registry { what, limit, started: Instant::now(), entries: Mutex::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries().len()
    }

    /// Adds an entry. Errors: 32 if there are too many.
    pub(crate) fn insert(&self, id: u64, owner: Owner, ttl: Duration, value: T) -> Result<InUse<T>> {
        let entry = Arc::new(Entry {
            id,
            owner,
            expires_ms: AtomicU64::new(u64::MAX),
            ttl_ms: AtomicU64::new(ttl.as_millis() as u64),
            started: self.started,
            value,
        });
        let mut entries = self.entries();
        if entries.len() >= self.limit {
            let (open, what) = (entries.len(), self.what);
            let message = format!(
                "resource limit exceeded: there are {open} entries of type '{what}', the maximum; delete some"
            );
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        entries.insert(id, Arc::clone(&entry));
        drop(entries);
        Ok(InUse { entry })
    }

    /// Finds an entry. Errors: 1600 if this owner has none with this number.
    pub(crate) fn find(&self, id: u64, owner: &Owner) -> Result<InUse<T>> {
        let entries = self.entries();
        let entry = entries.get(&id).filter(|entry| entry.owner == *owner);
        let entry = Arc::clone(entry.ok_or_else(|| self.not_found(id))?);
        drop(entries);
        Ok(InUse { entry })
    }

    /// Returns the newest entry of this owner.
    pub(crate) fn newest(&self, owner: &Owner) -> Option<InUse<T>> {
        let entries = self.entries();
        let own = entries.values().filter(|entry| entry.owner == *owner);
        let entry = Arc::clone(own.max_by_key(|entry| entry.id)?);
        drop(entries);
        Some(InUse { entry })
    }

    /// Gives an entry a new time to live, counted from now. Errors: 1600.
    pub(crate) fn extend(&self, id: u64, owner: &Owner, ttl: Duration) -> Result<()> {
        self.find(id, owner)?.entry.ttl_ms.store(ttl.as_millis() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Forgets an entry; its present users keep it until they are done. Errors: 1600.
    pub(crate) fn remove(&self, id: u64, owner: &Owner) -> Result<()> {
        let mut entries = self.entries();
        if entries.get(&id).is_none_or(|entry| entry.owner != *owner) {
            return Err(self.not_found(id));
        }
        let entry = entries.remove(&id);
        drop(entries);
        // Freed outside the lock.
        drop(entry);
        Ok(())
    }

    /// Forgets all entries of a dropped database.
    pub(crate) fn remove_database(&self, database: &str) {
        self.forget(|entry| &*entry.owner.database == database);
    }

    /// Forgets the entries whose idle time is over.
    pub(crate) fn expire(&self) {
        let now_ms = self.started.elapsed().as_millis() as u64;
        self.forget(|entry| {
            // The registry holds the only handle of an entry that is not in use.
            entry.expires_ms.load(Ordering::Acquire) < now_ms && Arc::strong_count(entry) == 1
        });
    }

    fn forget(&self, is_gone: impl Fn(&Arc<Entry<T>>) -> bool) {
        let mut gone = Vec::new();
        self.entries().retain(|_, entry| {
            let keep = !is_gone(entry);
            if !keep {
                gone.push(Arc::clone(entry));
            }
            keep
        });
    }

    /// Visits all present entries. This does not count as a use.
    pub(crate) fn for_each(&self, visit: impl Fn(&T)) {
        let entries: Vec<Arc<Entry<T>>> = self.entries().values().cloned().collect();
        entries.iter().for_each(|entry| visit(&entry.value));
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<u64, Arc<Entry<T>>>> {
        // The map is consistent wherever a panic may release its lock.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn not_found(&self, id: u64) -> Error {
        let what = self.what;
        Error::new(
            ErrorCode::CursorNotFound,
            format!("cursor not found: no {what} {id}; it was deleted, or idle for too long"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(database: &str) -> Owner {
        Owner { database: database.into(), user: None }
    }

    #[test]
    fn only_idle_time_counts() {
        let registry = Registry::new("thing", 2);
        let used = registry.insert(1, owner("a"), Duration::from_millis(1), ()).unwrap();
        drop(registry.insert(2, owner("a"), Duration::from_millis(1), ()).unwrap());
        // Time is what is tested.
        std::thread::sleep(Duration::from_millis(10));
        registry.expire();
        assert_eq!(registry.len(), 1, "an entry in use does not expire");
        drop(used);
        registry.extend(1, &owner("a"), Duration::from_secs(60)).unwrap();
        std::thread::sleep(Duration::from_millis(10));
        registry.expire();
        assert_eq!(registry.find(1, &owner("a")).unwrap().id(), 1);
        assert_eq!(registry.find(2, &owner("a")).err().unwrap().number(), 1600);
    }

    #[test]
    fn entries_belong_to_their_owners() {
        let registry = Registry::new("thing", 2);
        registry.insert(1, owner("a"), Duration::from_secs(60), ()).unwrap();
        registry.insert(2, owner("b"), Duration::from_secs(60), ()).unwrap();
        assert_eq!(registry.insert(3, owner("b"), Duration::ZERO, ()).err().unwrap().number(), 32);
        assert_eq!(registry.remove(1, &owner("b")).unwrap_err().number(), 1600);
        assert_eq!(registry.newest(&owner("b")).unwrap().id(), 2);
        registry.remove_database("b");
        assert!(registry.newest(&owner("b")).is_none() && registry.len() == 1);
    }
}
