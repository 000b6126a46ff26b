//! The requests in progress on the worker pool, for `/_admin/activities`.
//!
//! A request that ends on its connection's task takes microseconds and is not listed. The list has
//! shards, so threads that begin and end requests seldom wait for each other.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use database::activity::Origin;
use hyper::{Method, Uri};

use super::request::Request;

/// Number of shards. Numbers of activities that follow each other are in different ones.
const SHARDS: usize = 16;

/// The requests in progress.
#[derive(Debug, Default)]
pub(crate) struct Activities {
    shards: [Mutex<HashMap<u64, RequestActivity>>; SHARDS],
    begun: AtomicU64,
}

/// A request in progress.
#[derive(Clone, Debug)]
pub(crate) struct RequestActivity {
    pub(crate) origin: Origin,
    pub(crate) method: Method,
    /// The address as it was sent.
    pub(crate) uri: Uri,
    /// The pattern of the route.
    pub(crate) route: &'static str,
}

/// The entry of a request in the list; it ends on drop.
#[derive(Debug)]
pub(crate) struct Listed {
    activities: Arc<Activities>,
    id: u64,
}

impl Activities {
    /// Lists a request under its number until the entry is dropped.
    pub(crate) fn begin(self: &Arc<Self>, id: u64, request: &Request) -> Listed {
        let activity = RequestActivity {
            origin: Origin::with_id(id),
            method: request.method().clone(),
            uri: request.uri().clone(),
            route: request.matched.pattern,
        };
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.shard(id).insert(id, activity);
        Listed { activities: Arc::clone(self), id }
    }

    /// Returns all requests in progress, newest first.
    pub(crate) fn list(&self) -> Vec<RequestActivity> {
        let shards = self.shards.iter().map(lock);
        let mut all: Vec<_> = shards.flat_map(|shard| shard.values().cloned().collect::<Vec<_>>()).collect();
        all.sort_by_key(|activity| std::cmp::Reverse(activity.origin.id));
        all
    }

    /// Returns the number of requests in progress.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// Returns the number of requests that were ever listed.
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    fn shard(&self, id: u64) -> MutexGuard<'_, HashMap<u64, RequestActivity>> {
        let [first, ..] = &self.shards;
        lock(self.shards.get(id as usize % SHARDS).unwrap_or(first))
    }
}

impl Listed {
    /// Returns the number of the activity.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.activities.shard(self.id).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
