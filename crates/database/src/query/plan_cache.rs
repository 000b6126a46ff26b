//! Plans that were made before: a query that comes again with the same parameters and options is not planned again.
//!
//! The key is everything that a plan depends on: database, text, bind values, options of the optimizer, and the
//! catalog's version, so that a plan made before an index existed is never used after.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use aql_plan::Plan;

/// What a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanKey {
    /// Database in which names are looked up.
    pub database: Arc<str>,
    /// The query's text.
    pub text: Box<str>,
    /// The bind values, a VelocyPack object.
    pub bind_variables: Box<[u8]>,
    /// Option `fullCount`.
    pub full_count: bool,
    /// Option `optimizer.rules`.
    pub rules: Box<[String]>,
    /// Version of the catalog.
    pub catalog_version: u64,
}

impl PlanKey {
    fn size_bytes(&self) -> usize {
        size_of::<Self>()
            + self.text.len()
            + self.bind_variables.len()
            + self.rules.iter().map(String::len).sum::<usize>()
    }
}

/// Bounded by the number of plans and the size of their keys; when full, it forgets what was not used lately.
#[derive(Debug)]
pub struct PlanCache {
    state: Mutex<State>,
    max_entries: usize,
    max_key_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    plans: HashMap<PlanKey, Entry>,
    /// Counts look-ups; an entry's age is the distance to it.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    plan: Arc<Plan>,
    used: u64,
}

impl PlanCache {
    /// At most `max_entries` plans; texts with parameters beyond `max_key_bytes` are not kept.
    pub fn new(max_entries: usize, max_key_bytes: usize) -> Self {
        PlanCache { state: Mutex::default(), max_entries, max_key_bytes }
    }

    /// The plan made for the same key before.
    pub fn get(&self, key: &PlanKey) -> Option<Arc<Plan>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        let entry = state.plans.get_mut(key)?;
        entry.used = now;
        Some(Arc::clone(&entry.plan))
    }

    /// Keeps a plan.
    pub fn put(&self, key: PlanKey, plan: Arc<Plan>) {
        if self.max_entries == 0 || key.size_bytes() > self.max_key_bytes {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.plans.len() >= self.max_entries {
            // Half goes at once, so that a stream of ever new queries does not pay for the search each time.
            let mut used: Vec<u64> = state.plans.values().map(|entry| entry.used).collect();
            let middle = used.len() / 2;
            let (_, &mut median, _) = used.select_nth_unstable(middle);
            state.plans.retain(|_, entry| entry.used > median);
        }
        let used = state.clock;
        state.plans.insert(key, Entry { plan, used });
    }

    /// Forgets all plans.
    pub fn clear(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).plans.clear();
    }

    /// How many plans are kept.
    pub fn len(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).plans.len()
    }

    /// Whether no plan is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
