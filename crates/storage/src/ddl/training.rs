//! Training of indexes that learn from documents, after they were created.
//!
//! The entries are loaded into a new object, which replaces the old one in the catalog. Writers
//! wait in the meantime; readers with a snapshot keep the old object.

use std::sync::Arc;
use std::time::Duration;

use catalog::{IndexId, IndexType, ObjectId};
use errors::{Error, ErrorCode, Result};
use kv::WaitPolicy;

use crate::ddl::index_build::{Build, IndexSource, SharedCheck};
use crate::{Collection, Index, Store};

/// The wait for a collection's writers. Those that come later wait behind the training.
const WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_millis(20));

impl Store {
    /// Returns the indexes that a training would improve, each with its collection.
    pub fn indexes_to_train(&self) -> Vec<(Arc<Collection>, IndexId)> {
        let catalog = self.catalog();
        let collections = catalog.databases().flat_map(|database| database.collections());
        let mut found = Vec::new();
        for collection in collections {
            let mut documents = None;
            let indexes = collection.indexes().iter().filter(|index| {
                index.index_type() == IndexType::Vector
                    && index.needs_training(*documents.get_or_insert_with(|| collection.count_about()))
            });
            found.extend(indexes.map(|index| (Arc::clone(collection), index.id())));
        }
        found
    }

    /// Trains an index, and loads its entries anew. Returns false if the collection has writers
    /// now, the documents do not suffice, or the index does not need it any more.
    ///
    /// Errors: 1203, 1004, that of `check`. The index stays as it was then.
    pub fn train_index(&self, collection: &Collection, id: IndexId, check: SharedCheck<'_>) -> Result<bool> {
        self.core.check_writable()?;
        let guard = self.core.lock_everywhere(collection, WAIT, check)?;
        let Some(_guard) = guard else { return Ok(false) };
        let snapshot = self.snapshot()?;
        let present = snapshot.catalog().same_collection(collection);
        let present = Arc::clone(present.ok_or_else(|| Error::collection_not_found(collection.name()))?);
        let documents = snapshot.count(&present)?;
        let Some(old) = present.index(id).filter(|index| index.needs_training(documents)) else {
            return Ok(false);
        };
        old.note_tried(documents);
        let object = ObjectId(self.core.ids.next()?);
        let definition = catalog::IndexDefinition { object_id: object, ..old.definition().clone() };
        let options = &self.core.options;
        let source = IndexSource { snapshot: &snapshot, collection: &present, options, check };
        let builds = &self.core.vector_builds;
        let index = Arc::new(source.train(definition, builds)?);
        if index.trained().is_none() {
            return Ok(false);
        }
        // After a crash during the build, the store deletes the unfinished object.
        self.core.pend_deletion(object)?;
        let engine = self.core.engine.as_ref();
        let build = Build {
            engine,
            snapshot: &snapshot,
            collection: &present,
            index: &index,
            options,
            builds,
            check,
        };
        let replaced = old.definition().object_id;
        if let Err(error) = build.run().and_then(|()| self.replace_index(&present, &index, replaced)) {
            if error.code() != ErrorCode::TransactionInternal {
                self.core.delete_objects(&[object]);
            }
            return Err(error);
        }
        self.core.delete_objects(&[replaced]);
        Ok(true)
    }

    /// Puts an index in the place of the one with the same number.
    fn replace_index(&self, collection: &Collection, index: &Arc<Index>, replaced: ObjectId) -> Result<()> {
        self.core.alter(|draft| {
            let mut changed = Collection::clone(draft.present(collection)?.as_ref());
            let definitions = changed.definition.indexes.iter_mut();
            definitions.filter(|own| own.id == index.id()).for_each(|own| *own = index.definition().clone());
            let indexes = changed.indexes.iter_mut();
            indexes.filter(|own| own.id() == index.id()).for_each(|own| *own = Arc::clone(index));
            draft.keep(index.definition().object_id)?;
            draft.pend_deletion(replaced)?;
            draft.put_collection(changed)?;
            Ok(())
        })
    }
}
