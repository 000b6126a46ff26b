//! The cached results, by database.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use aql_value::MemoryAccount;

use super::{CacheMode, CacheProperties, Entry, ResultKey};
use crate::query_request::QueryRequest;

/// All cached results. The least recently used are evicted first.
#[derive(Debug)]
pub struct ResultsCache {
    /// The mode of `properties`: a server without the cache pays only one load per query.
    mode: AtomicU8,
    properties: RwLock<CacheProperties>,
    state: Mutex<State>,
    memory: Arc<MemoryAccount>,
}

#[derive(Debug, Default)]
struct State {
    databases: HashMap<Arc<str>, Results>,
    /// The number of uses. The age of a result is its distance from this number.
    clock: u64,
}

/// The results of one database.
#[derive(Debug, Default)]
struct Results {
    entries: HashMap<ResultKey, (u64, Arc<Entry>)>,
    /// Keys by the time of their last use.
    by_use: BTreeMap<u64, ResultKey>,
    size_bytes: u64,
}

impl ResultsCache {
    /// Returns an empty cache. Its results are charged to `memory`.
    pub fn new(properties: CacheProperties, memory: Arc<MemoryAccount>) -> Self {
        ResultsCache {
            mode: AtomicU8::new(properties.mode as u8),
            properties: RwLock::new(properties),
            state: Mutex::default(),
            memory,
        }
    }

    /// Returns the properties.
    pub fn properties(&self) -> CacheProperties {
        self.properties.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the properties.
    ///
    /// Results beyond the new limits are evicted. A new mode evicts all results.
    pub fn set_properties(&self, properties: CacheProperties) {
        let mut present = self.properties.write().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state();
        if properties.mode != present.mode || properties.include_system != present.include_system {
            state.databases.clear();
        }
        state.databases.values_mut().for_each(|results| results.limit(&properties));
        self.mode.store(properties.mode as u8, Ordering::Release);
        *present = properties;
    }

    /// Returns true if the request allows the cache to answer it and to keep its result.
    pub(crate) fn is_wanted(&self, request: &QueryRequest) -> bool {
        let by_mode = match CacheMode::from_number(self.mode.load(Ordering::Acquire)) {
            CacheMode::Off => false,
            CacheMode::On => request.cache != Some(false),
            CacheMode::Demand => request.cache == Some(true),
        };
        let options = &request.options;
        // The skipped collections differ by user.
        by_mode && !options.stream && options.profile == 0 && !options.skip_inaccessible_collections
    }

    pub(crate) fn memory(&self) -> &Arc<MemoryAccount> {
        &self.memory
    }

    /// Returns the result of a query, without a check of its dependencies.
    pub(crate) fn get(&self, database: &str, key: &ResultKey) -> Option<Arc<Entry>> {
        let mut state = self.state();
        state.clock += 1;
        let now = state.clock;
        let results = state.databases.get_mut(database)?;
        let (used, entry) = results.entries.get_mut(key)?;
        let known = results.by_use.remove(used)?;
        results.by_use.insert(now, known);
        *used = now;
        Some(Arc::clone(entry))
    }

    /// Caches a result, unless it exceeds the limits.
    pub(crate) fn put(&self, database: &Arc<str>, entry: Entry) {
        let properties = self.properties.read().unwrap_or_else(PoisonError::into_inner);
        let size = entry.size_bytes();
        if properties.mode == CacheMode::Off || size > properties.max_entry_bytes {
            return;
        }
        let mut state = self.state();
        state.clock += 1;
        let now = state.clock;
        let results = state.databases.entry(Arc::clone(database)).or_default();
        results.remove(&entry.key);
        results.size_bytes += size;
        results.by_use.insert(now, entry.key.clone());
        results.entries.insert(entry.key.clone(), (now, Arc::new(entry)));
        results.limit(&properties);
    }

    /// Forgets one result, unless it was replaced.
    pub(crate) fn forget(&self, database: &str, entry: &Arc<Entry>) {
        let mut state = self.state();
        let Some(results) = state.databases.get_mut(database) else { return };
        if results.entries.get(&entry.key).is_some_and(|(_, known)| Arc::ptr_eq(known, entry)) {
            results.remove(&entry.key);
        }
    }

    /// Forgets the least recently used result of all databases. Returns false if there is none.
    pub(crate) fn forget_oldest(&self) -> bool {
        let mut state = self.state();
        let ages = state.databases.values_mut().filter_map(|results| {
            let oldest = results.by_use.keys().next().copied();
            oldest.map(|used| (used, results))
        });
        match ages.min_by_key(|(used, _)| *used) {
            None => false,
            Some((_, results)) => {
                results.remove_oldest();
                true
            }
        }
    }

    /// Forgets the results of a database.
    pub fn clear(&self, database: &str) {
        self.state().databases.remove(database);
    }

    /// Returns the results of a database, the most recently used last.
    pub fn entries(&self, database: &str) -> Vec<Arc<Entry>> {
        let state = self.state();
        let Some(results) = state.databases.get(database) else { return Vec::new() };
        let keys = results.by_use.values();
        keys.filter_map(|key| results.entries.get(key).map(|(_, entry)| Arc::clone(entry))).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs between two related changes of the maps.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Results {
    fn remove(&mut self, key: &ResultKey) {
        if let Some((used, entry)) = self.entries.remove(key) {
            self.by_use.remove(&used);
            self.size_bytes -= entry.size_bytes();
        }
    }

    fn remove_oldest(&mut self) {
        if let Some((_, key)) = self.by_use.pop_first()
            && let Some((_, entry)) = self.entries.remove(&key)
        {
            self.size_bytes -= entry.size_bytes();
        }
    }

    /// Evicts the results beyond the limits.
    fn limit(&mut self, properties: &CacheProperties) {
        let largest = properties.max_entry_bytes;
        let too_large: Vec<ResultKey> = self
            .entries
            .iter()
            .filter(|(_, (_, entry))| entry.size_bytes() > largest)
            .map(|(key, _)| key.clone())
            .collect();
        too_large.iter().for_each(|key| self.remove(key));
        while self.entries.len() > properties.max_results || self.size_bytes > properties.max_results_bytes {
            self.remove_oldest();
        }
        debug_assert_eq!(self.entries.len(), self.by_use.len(), "every result has one time of last use");
    }
}
