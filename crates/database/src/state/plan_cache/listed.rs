//! The clients' view of the plan cache: the plans of queries that asked for it (`usePlanCache`).
//! The cache also keeps the plans of all other queries, which clients do not see.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use aql_plan::Plan;
use rapidhash::v3::rapidhash_v3;
use velocypack::{Builder, Slice};

use super::{CachedPlan, MAX_AGE, PlanCache, PlanSurroundings, plan_hash};

/// A plan in the form that `/_api/query-plan-cache` lists.
#[derive(Debug)]
pub struct ListedPlan {
    /// The key that replies report (`planCacheKey`).
    pub key: String,
    /// The query's text.
    pub text: Arc<str>,
    /// A hash of the text.
    pub text_hash: u64,
    /// The bind parameters that name collections, a VelocyPack object.
    pub bind_variables: Vec<u8>,
    /// Option `fullCount`.
    pub full_count: bool,
    /// The time at which the plan was first cached for a client that asked.
    pub created: SystemTime,
    /// An estimate of the bytes that the entry takes.
    pub memory_bytes: u64,
    /// The plan.
    pub plan: Arc<Plan>,
    database: Box<str>,
    catalog_version: u64,
    hits: AtomicU64,
}

impl ListedPlan {
    /// Returns the number of times that the plan was used again.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Counts a use and returns the key.
    fn note_use(&self) -> String {
        self.hits.fetch_add(1, Ordering::Relaxed);
        self.key.clone()
    }

    /// Returns the names of the collections that the query names.
    pub fn data_sources(&self) -> impl Iterator<Item = &str> {
        self.plan.collections.iter().map(|used| &*used.collection.name)
    }
}

impl PlanCache {
    /// Notes that a client asked for a cached plan.
    ///
    /// Returns the plan's key if it was already cached for such a client. From now on it is.
    pub fn note_use(
        &self,
        text: &str,
        parameters: Slice<'_>,
        surroundings: &PlanSurroundings<'_>,
        cached: &CachedPlan,
    ) -> Option<String> {
        if let Some(listed) = &cached.listed {
            return Some(listed.note_use());
        }
        let signature = self.signature(parameters, &cached.plan.parameters, &cached.values, surroundings)?;
        let text_hash = rapidhash_v3(text.as_bytes());
        let hash = plan_hash(text_hash, &signature);
        let mut state = self.lock();
        let entry = state.plans.get_mut(&hash).filter(|entry| *entry.text == *text)?;
        if let Some(listed) = &entry.listed {
            return Some(listed.note_use());
        }
        entry.listed = Some(Arc::new(ListedPlan {
            key: hash.to_string(),
            text: Arc::clone(&entry.text),
            text_hash,
            bind_variables: collection_parameters(parameters).unwrap_or_default(),
            full_count: surroundings.full_count,
            created: SystemTime::now(),
            memory_bytes: (text.len() + signature.len() + cached.plan.size_bytes()) as u64,
            plan: Arc::clone(&cached.plan),
            database: surroundings.database.into(),
            catalog_version: surroundings.catalog_version,
            hits: AtomicU64::new(0),
        }));
        None
    }

    /// Returns the plans of a database that are valid at this version of the catalog, oldest first.
    pub fn listed(&self, database: &str, catalog_version: u64) -> Vec<Arc<ListedPlan>> {
        let state = self.lock();
        let young = state.plans.values().filter(|entry| entry.made.elapsed() <= MAX_AGE);
        let mut listed: Vec<_> = young
            .filter_map(|entry| entry.listed.as_ref())
            .filter(|plan| *plan.database == *database && plan.catalog_version == catalog_version)
            .cloned()
            .collect();
        drop(state);
        listed.sort_by_key(|plan| plan.created);
        listed
    }

    /// Forgets the plans of a database that clients see.
    pub fn clear_listed(&self, database: &str) {
        let is_gone = |plan: &Arc<ListedPlan>| *plan.database == *database;
        self.lock().plans.retain(|_, entry| !entry.listed.as_ref().is_some_and(is_gone));
    }
}

/// Returns the bind parameters that name collections: those whose names start with `@`.
fn collection_parameters(parameters: Slice<'_>) -> velocypack::Result<Vec<u8>> {
    let mut builder = Builder::with_capacity(64);
    builder.open_object()?;
    for (name, value) in parameters.entries().filter(|(name, _)| name.starts_with('@')) {
        builder.key(name)?;
        builder.add_slice(value)?;
    }
    builder.close()?;
    Ok(builder.into_vec())
}
