//! Edge indexes of collections that an interrupted restore left without one. They are built after a
//! while.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use catalog::CollectionId;
use errors::{Error, ErrorCode};
use storage::Collection;

use crate::instance::Instance;

/// The collections that an interrupted restore left without their edge index.
#[derive(Default)]
pub(crate) struct LeftBehind {
    /// The last load of each collection without an edge index, and the time since which it is the
    /// last.
    seen: HashMap<CollectionId, (u64, Instant)>,
    builder: Option<JoinHandle<()>>,
}

impl LeftBehind {
    /// Searches all collections, and builds one index on a thread of its own. It is called every
    /// few seconds.
    pub(crate) fn look_after(&mut self, instance: &Arc<Instance>) {
        if self.builder.as_ref().is_some_and(|builder| !builder.is_finished()) {
            return;
        }
        let catalog = instance.store().catalog();
        let collections = catalog.databases().flat_map(|database| database.collections());
        // An empty collection needs no index yet, and its documents may follow an hour later.
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
        let should_continue = || match watched.upgrade() {
            Some(instance) if !instance.is_stopping() => Ok(()),
            _ => Err(Error::of(ErrorCode::ShuttingDown)),
        };
        let _permit = store.is_following().then(|| store.permit_writes());
        if let Err(error) = store.build_edge_index(&collection, &should_continue) {
            let name = collection.name();
            tracing::warn!(target: "engines", "cannot build the edge index of '{name}': {error}");
        }
    };
    // Without a thread the next call tries again.
    std::thread::Builder::new().name("edge-index".into()).spawn(build).ok()
}
