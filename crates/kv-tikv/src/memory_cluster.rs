//! A cluster in memory, for tests of the layers above.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kv::Result;

use crate::mock_cluster::{MockCluster, PD_ADDRESS, Route};
use crate::{TikvEngine, TikvOptions};

/// A cluster in memory: PD, three stores, and a clock that tests can move.
pub struct MemoryCluster {
    cluster: Arc<MockCluster>,
    routes: Mutex<Vec<Arc<Route>>>,
    timeout: Duration,
}

impl Default for MemoryCluster {
    fn default() -> Self {
        MemoryCluster { cluster: Arc::default(), routes: Mutex::default(), timeout: Duration::from_secs(5) }
    }
}

impl MemoryCluster {
    /// Makes an empty cluster.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an empty cluster, in which an operation of a server has this maximum time.
    pub fn with_timeout(timeout: Duration) -> Self {
        MemoryCluster { timeout, ..Self::default() }
    }

    /// Opens the store for one more server, whose lease has this life.
    pub fn open(&self, lease: Duration) -> Result<Arc<TikvEngine>> {
        self.open_with_age(lease, Duration::ZERO)
    }

    /// Opens the store as [`MemoryCluster::open`] does, with dirty reads of an age.
    pub fn open_with_age(&self, lease: Duration, dirty_read_age: Duration) -> Result<Arc<TikvEngine>> {
        let options = TikvOptions {
            pd: vec![PD_ADDRESS.to_owned()],
            timeout: self.timeout,
            message_timeout: Duration::from_secs(1),
            lease,
            dirty_read_age,
            ..TikvOptions::default()
        };
        let route = Route::to(&self.cluster);
        self.routes().push(Arc::clone(&route));
        TikvEngine::over(route, &options)
    }

    /// Cuts off the server that was opened last, as a crash or a lost network does.
    pub fn cut_last(&self) {
        if let Some(route) = self.routes().last() {
            route.cut();
        }
    }

    /// Reaches the server again that was opened last.
    pub fn mend_last(&self) {
        if let Some(route) = self.routes().last() {
            route.mend();
        }
    }

    /// Stops one of the stores 1 to 3. The others take over its regions after an election.
    pub fn stop_store(&self, store: u64) {
        self.cluster.stop_store(store);
    }

    /// Returns the number of stores that have answered reads since the last call.
    pub fn reading_stores(&self) -> usize {
        self.cluster.reads().len()
    }

    /// Makes every message to a store take a time.
    pub fn delay(&self, time: Duration) {
        self.cluster.delay(time);
    }

    /// Returns the number of messages to stores since the last call, and the maximum number of them
    /// that were in flight concurrently.
    pub fn messages(&self) -> (usize, usize) {
        let traffic = self.cluster.traffic();
        (traffic.messages, traffic.most_at_once)
    }

    /// Lets time pass for PD.
    pub fn pass(&self, time: Duration) {
        self.cluster.pass(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    }

    /// Divides the store's keys between regions, at a key.
    pub fn split(&self, key: &[u8]) {
        self.cluster.split(&[b"persea/d", key].concat());
    }

    /// Merges a region, by its place, with the next one, if there is one.
    pub fn merge_at(&self, place: usize) {
        self.cluster.merge_at(place);
    }

    /// Moves the leader of every region to another store.
    pub fn move_leaders(&self) {
        self.cluster.move_leaders();
    }

    /// Returns the messages for timestamps since the last call, and the number of their timestamps.
    pub fn timestamps(&self) -> (u64, u64) {
        self.cluster.timestamps()
    }

    /// Makes messages to stores fail with a chance of one in `one_in`; 0 ends that.
    pub fn fail_at_random(&self, one_in: u32) {
        self.cluster.fail_at_random(one_in);
    }

    /// Removes the old versions of all keys, whoever may still read them.
    pub fn forget_old_versions(&self) {
        self.cluster.forget_old_versions();
    }

    fn routes(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Route>>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
