//! Registration of the store's metrics.

use std::sync::Arc;

use ::metrics::{Registry, Section, labels};

use crate::metrics::{self, CatalogSize, TextIndexes, UntrainedIndexes};
use crate::{Catalog, Collection, Database, Index, Store};

impl Store {
    /// Registers the metrics of the store and of its engine.
    pub fn register_metrics(self: &Arc<Self>, registry: &Registry) {
        let engine = Arc::clone(self.engine());
        kv::metrics::register(registry, move || engine.statistics());
        let store = Arc::clone(self);
        registry.register_reading(Section::Catalog, metrics::CATALOG, move || catalog_size(&store.catalog()));
        let store = Arc::clone(self);
        registry
            .register_reading(Section::ReadCache, metrics::READ_CACHE, move || store.read_cache_statistics());
        let store = Arc::clone(self);
        registry.register_reading(Section::Search, metrics::SEARCH, move || text_indexes(&store.catalog()));
        let core = Arc::clone(&self.core);
        registry.register_writer(move |page| {
            page.write_all(Section::Search, metrics::VECTOR_BUILDS, &core.vector_builds);
            page.write_all(Section::Search, metrics::UNTRAINED, &untrained_indexes(&core.catalog()));
            page.write_all(Section::Commits, metrics::COMMITS, &core.intermediate_commits);
            page.write_all(Section::Locks, metrics::LOCKS, &core.lock_counts);
            if let Some(times) = &core.document_times {
                page.write_all(Section::Documents, metrics::DOCUMENTS, times);
            }
        });
    }
}

fn catalog_size(catalog: &Catalog) -> CatalogSize {
    let databases = catalog.databases();
    let (databases, collections) = databases.fold((0, 0), |(databases, collections), database| {
        (databases + 1, collections + database.collections().count())
    });
    CatalogSize { databases, collections }
}

fn untrained_indexes(catalog: &Catalog) -> UntrainedIndexes {
    let collections = catalog.databases().flat_map(|database| database.collections());
    let states =
        collections.flat_map(|collection| collection.indexes()).filter_map(|index| index.training_state());
    UntrainedIndexes(states.filter(|state| state.lists.is_none()).count())
}

/// Returns the statistics of all text indexes of all databases.
fn text_indexes(catalog: &Catalog) -> TextIndexes {
    let mut found = Vec::new();
    for database in catalog.databases() {
        for collection in database.collections() {
            for index in collection.indexes() {
                if let Some(statistics) = index.text_statistics() {
                    found.push((labels_of(database, collection, index), statistics));
                }
            }
        }
    }
    found
}

fn labels_of(database: &Database, collection: &Collection, index: &Index) -> String {
    let view = index.view().and_then(|view| database.view_by_id(view));
    let (kind, name) = match view {
        Some(view) => ("view", view.name.as_str()),
        None => ("index", index.name()),
    };
    labels(&[("db", database.name()), (kind, name), ("collection", collection.name())])
}
