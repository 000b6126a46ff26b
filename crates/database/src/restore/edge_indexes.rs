//! Edge indexes that restored collections still lack.
//!
//! A client that restores documents and says that it will ask for the indexes afterwards gets edge collections
//! without their edge index ([`storage::Store::create_collection_to_load`]). `restore-indexes` builds it. Whoever
//! needs it sooner builds it first: a query that uses the collection, and the removal of a vertex. What is left when
//! a restore was broken off is built after a while.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use aql_plan::Plan;
use catalog::CollectionId;
use storage::{Catalog, Collection};

use crate::instance::Instance;
use crate::session::Session;
use crate::{Error, ErrorCode, Result};

impl Session {
    /// The collections of a plan that lack their edge index.
    pub(crate) fn lacking_edge_index(&self, plan: &Plan, catalog: &Catalog) -> Result<Vec<Arc<Collection>>> {
        let database = self.database_in(catalog)?;
        let used = plan.collections.iter();
        let used = used.filter_map(|used| database.collection_by_id(CollectionId(used.collection.id)));
        Ok(used.filter(|collection| collection.lacks_edge_index()).cloned().collect())
    }

    /// Builds the edge index of a collection, if it lacks it. `check` is asked from time to time whether to go on.
    pub(crate) fn build_edge_index(
        &self,
        collection: &Collection,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<()> {
        self.instance().store().build_edge_index(collection, check)
    }
}

/// Finds the collections that a broken restore has left.
#[derive(Default)]
pub(crate) struct LeftBehind {
    /// The last load of each collection without an edge index, and since when it is the last.
    seen: HashMap<CollectionId, (u64, Instant)>,
    builder: Option<JoinHandle<()>>,
}

impl LeftBehind {
    /// Looks at all collections, and builds one index on a thread of its own. To be called every few seconds.
    pub(crate) fn look_after(&mut self, instance: &Arc<Instance>) {
        if self.builder.as_ref().is_some_and(|builder| !builder.is_finished()) {
            return;
        }
        let catalog = instance.store().catalog();
        let collections = catalog.databases().flat_map(|database| database.collections());
        // An empty collection needs no index yet, and its documents may come an hour after it.
        let lacking = collections.filter(|found| found.lacks_edge_index() && found.count_now() > 0);
        let mut seen = HashMap::new();
        let mut idle = None;
        for collection in lacking {
            let last = collection.last_load();
            let known = self.seen.get(&collection.id()).filter(|(load, _)| *load == last);
            let (_, since) = known.copied().unwrap_or((last, Instant::now()));
            seen.insert(collection.id(), (last, since));
            if since.elapsed() >= instance.options().broken_restore_after {
                idle = Some(Arc::clone(collection));
            }
        }
        self.seen = seen;
        if let Some(collection) = idle {
            self.builder = start_building(instance, collection);
        }
    }
}

fn start_building(instance: &Arc<Instance>, collection: Arc<Collection>) -> Option<JoinHandle<()>> {
    let (store, watched) = (Arc::clone(instance.store()), Arc::downgrade(instance));
    let build = move || {
        let goes_on = || match watched.upgrade() {
            Some(instance) if !instance.is_stopping() => Ok(()),
            _ => Err(Error::of(ErrorCode::ShuttingDown)),
        };
        if let Err(error) = store.build_edge_index(&collection, &goes_on) {
            let name = collection.name();
            tracing::warn!(target: "engines", "the edge index of '{name}' could not be built: {error}");
        }
    };
    // Without a thread it is tried again.
    std::thread::Builder::new().name("edge-index".into()).spawn(build).ok()
}

/// The check of a query, for storage.
pub(crate) fn check_of(interrupt: &aql_value::Interrupt) -> impl Fn() -> Result<()> + Sync + '_ {
    || interrupt.check()
}
