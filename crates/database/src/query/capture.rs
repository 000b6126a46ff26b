//! The capture of a result for the cache while it is computed.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

use aql_value::{Charge, Value};
use errors::Result;
use velocypack::to_wire;

use crate::query::prepare::PreparedQuery;
use crate::state::results_cache::{Dependencies, Entry, ResultKey, ResultsCache};

/// Bytes of memory that are charged at a time.
const STEP_BYTES: u64 = 64 << 10;

/// The rows that were captured so far.
pub(crate) struct Capture {
    key: ResultKey,
    dependencies: Dependencies,
    rows: Vec<u8>,
    row_count: usize,
    limit_bytes: u64,
    charge: Charge,
}

impl Capture {
    /// Begins a capture if the query's result may be cached.
    ///
    /// Call it before the query takes its snapshot.
    pub(crate) fn begin(query: &PreparedQuery) -> Option<Self> {
        let cache = query.session.instance().results_cache();
        if !cache.is_wanted(&query.request)
            || query.session.transaction_id().is_some()
            || query.session.restrictions().is_some()
            || !query.planned.plan.is_cacheable
            || query.planned.plan.is_modification
        {
            return None;
        }
        let properties = cache.properties();
        let dependencies = dependencies(query, properties.include_system)?;
        if !query.session.may_read_all_of(&dependencies) {
            return None;
        }
        Some(Capture {
            key: ResultKey::of(&query.request),
            dependencies,
            rows: Vec::new(),
            row_count: 0,
            limit_bytes: properties.max_entry_bytes.min(properties.max_results_bytes),
            charge: Charge::new(Arc::clone(cache.memory())),
        })
    }

    /// Returns the capture with the states that searches find now, after the indexes of the query
    /// have been brought up to date; `None` if anything else has changed since [`Capture::begin`].
    ///
    /// These states have all commits before them, since there was no commit in between.
    pub(crate) fn after_indexing(self, query: &PreparedQuery) -> Option<Self> {
        let include_system = query.session.instance().results_cache().properties().include_system;
        let now = dependencies(query, include_system)?;
        Some(Capture { dependencies: self.dependencies.with_searches_of(&now)?, ..self })
    }

    /// Returns true if nothing was written since [`Capture::begin`], so that the snapshot matches
    /// the dependencies.
    ///
    /// Call it after the query has taken its snapshot.
    pub(crate) fn is_confirmed(&self, query: &PreparedQuery) -> bool {
        let include_system = query.session.instance().results_cache().properties().include_system;
        dependencies(query, include_system).as_ref() == Some(&self.dependencies)
    }

    /// Adds a row. Returns false if the result has become too large to be cached.
    pub(crate) fn push(&mut self, row: &Value, cache: &ResultsCache) -> Result<bool> {
        row.with_slice(|slice, collection| to_wire(slice, collection, &mut self.rows))?;
        self.row_count += 1;
        let size = self.rows.len() as u64;
        if size > self.limit_bytes {
            return Ok(false);
        }
        let missing = size.saturating_sub(self.charge.bytes());
        Ok(missing == 0 || grow(cache, &mut self.charge, missing.max(STEP_BYTES)))
    }

    /// Caches the result, with the reply's `extra` in VelocyPack.
    pub(crate) fn finish(mut self, query: &PreparedQuery, extra: Vec<u8>) {
        debug_assert!(
            self.dependencies.cover(&query.planned.plan),
            "a cached result carries the state of every collection that it was read from"
        );
        let catalog = query.session.catalog();
        let database = query.session.database_in(&catalog);
        if !database.is_ok_and(|database| self.dependencies.searches_hold_in(database)) {
            return;
        }
        let cache = query.session.instance().results_cache();
        self.rows.shrink_to_fit();
        let size = self.rows.len() as u64 + extra.len() as u64 + self.key.size_bytes();
        if !fit(cache, &mut self.charge, size) {
            return;
        }
        let entry = Entry {
            key: self.key,
            rows: self.rows,
            row_count: self.row_count,
            extra,
            dependencies: self.dependencies,
            hits: AtomicU64::new(0),
            run_time: query.started.elapsed(),
            added: SystemTime::now(),
            _charge: self.charge,
        };
        cache.put(query.session.database_name(), entry);
    }
}

/// Adjusts a charge to exactly `size` bytes.
fn fit(cache: &ResultsCache, charge: &mut Charge, size: u64) -> bool {
    charge.shrink(charge.bytes().saturating_sub(size));
    grow(cache, charge, size.saturating_sub(charge.bytes()))
}

/// Charges more memory. If none is left, older results are evicted.
fn grow(cache: &ResultsCache, charge: &mut Charge, bytes: u64) -> bool {
    while charge.grow(bytes).is_err() {
        if !cache.forget_oldest() {
            return false;
        }
    }
    true
}

fn dependencies(query: &PreparedQuery, include_system: bool) -> Option<Dependencies> {
    let catalog = query.session.catalog();
    let database = query.session.database_in(&catalog).ok()?;
    let versions = query.session.instance().store().data_versions();
    Dependencies::now(&query.planned.plan, &catalog, database, include_system, &versions)
}
