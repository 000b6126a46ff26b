//! Indexes.
//!
//! Writers wait while an index is built; readers do not. The collection stays locked exclusively
//! until the index is in the catalog. The lock begins before the build takes its snapshot.
//!
//! Edge collections have their edge index from the beginning, except those that are created to be
//! loaded ([`Store::create_collection_to_load`]). A build from sorted entries takes half as long as
//! adding entries document by document.

use std::sync::Arc;

use catalog::index::IndexProperties;
use catalog::view::AliasIndex;
use catalog::{IndexDefinition, IndexId, IndexType, ObjectId};
use errors::{Error, ErrorCode, Result};

use super::view;
use crate::catalog_snapshot::Catalog;
use crate::ddl::index_build::{Build, IndexSource, SharedCheck};
use crate::{Collection, Index, Snapshot, Store};

impl Store {
    /// Creates an index over all documents, or returns the existing one. The flag is true if the
    /// index is new.
    ///
    /// Errors: 1203, 1208 for the name, 1005 if another index has the name, 1210 if the documents
    /// break uniqueness, 1235 for too many indexes, 18, 1004.
    pub fn create_index(
        &self,
        collection: &Collection,
        properties: IndexProperties,
    ) -> Result<(Arc<Index>, bool)> {
        self.create_index_unless(collection, properties, &|| Ok(()))
    }

    /// As [`Store::create_index`], but calls `check` from time to time. Its error ends the build,
    /// after which there is no index.
    pub fn create_index_unless(
        &self,
        collection: &Collection,
        properties: IndexProperties,
        check: SharedCheck<'_>,
    ) -> Result<(Arc<Index>, bool)> {
        if let Some(name) = &properties.name {
            self.core.options.naming_rules.check_index_name(name)?;
        }
        // The first look takes no lock, so that a request for an existing index does not wait for
        // writers.
        let catalog = self.catalog();
        let present = catalog.same_collection(collection);
        let present = present.ok_or_else(|| Error::collection_not_found(collection.name()))?;
        if let Some(existing) = find_same(present, &properties)? {
            return Ok((existing, false));
        }
        let guard = self.core.exclude_writers_unless(collection, check)?;
        let snapshot = self.snapshot()?;
        let present = snapshot.catalog().same_collection(collection);
        let present = Arc::clone(present.ok_or_else(|| Error::collection_not_found(collection.name()))?);
        if let Some(existing) = find_same(&present, &properties)? {
            return Ok((existing, false));
        }
        let id = self.index_id(&present, properties.id)?;
        let object = ObjectId(self.core.ids.next()?);
        let definition = IndexDefinition::new(id, object, properties);
        let index = self.add_index(&snapshot, &present, definition, check)?;
        drop(guard);
        self.fill(&present, &index, check)?;
        Ok((index, true))
    }

    /// Makes the first step of a new text index. Writers do not wait for it: what they write is in
    /// its outbox.
    ///
    /// Errors: that of `check`, those of the engine. There is no index then.
    fn fill(
        &self,
        collection: &Collection,
        index: &Arc<Index>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        if index.text().is_none() {
            return Ok(());
        }
        self.index_now(&[Arc::clone(index)], check).inspect_err(|_| {
            // Another failure leaves an index that the background tries to fill.
            let _ = self.drop_index(collection, index.id());
        })
    }

    /// Returns `wanted`, or a number that no index of the collection has.
    pub(super) fn index_id(&self, collection: &Collection, wanted: Option<IndexId>) -> Result<IndexId> {
        if let Some(wanted) = wanted.filter(|id| *id > IndexId::LARGEST_RESERVED) {
            return Ok(wanted);
        }
        loop {
            let id = IndexId(self.core.ids.next()?);
            // A client may have chosen the number before the server came to it.
            if collection.index(id).is_none() {
                return Ok(id);
            }
        }
    }

    /// Builds the edge index of an edge collection that was created without it
    /// ([`Store::create_collection_to_load`]).
    ///
    /// Does nothing if the index exists or the collection holds no edges. Calls `check` from time
    /// to time; its error stops the build.
    ///
    /// Errors: 1203, 18, 1004, that of `check`. There is no index then.
    pub fn build_edge_index(&self, collection: &Collection, check: SharedCheck<'_>) -> Result<()> {
        let lacks_index = |catalog: &Catalog| {
            let present = catalog.same_collection(collection).cloned();
            let present = present.ok_or_else(|| Error::collection_not_found(collection.name()))?;
            Ok::<_, Error>(Some(present).filter(|present| present.lacks_edge_index()))
        };
        if lacks_index(&self.catalog())?.is_none() {
            return Ok(());
        }
        let _guard = self.core.exclude_writers_unless(collection, check)?;
        let snapshot = self.snapshot()?;
        let Some(present) = lacks_index(snapshot.catalog())? else { return Ok(()) };
        let definition = IndexDefinition::edge(ObjectId(self.core.ids.next()?));
        self.add_index(&snapshot, &present, definition, check)?;
        Ok(())
    }

    /// Builds an index and adds it to the catalog. The caller keeps writers out.
    fn add_index(
        &self,
        snapshot: &Snapshot,
        collection: &Collection,
        definition: IndexDefinition,
        check: SharedCheck<'_>,
    ) -> Result<Arc<Index>> {
        let index = self.build_index(snapshot, collection, definition, check)?;
        if let Err(error) = self.publish(collection, &index) {
            self.abandon(&[index.definition().object_id], &error);
            return Err(error);
        }
        Ok(index)
    }

    /// Builds an index that is not in the catalog yet. Its object is pending deletion. The caller
    /// keeps writers out.
    ///
    /// Errors: those of the build, after which nothing is left of it.
    pub(super) fn build_index(
        &self,
        snapshot: &Snapshot,
        collection: &Collection,
        definition: IndexDefinition,
        check: SharedCheck<'_>,
    ) -> Result<Arc<Index>> {
        let object = definition.object_id;
        let options = &self.core.options;
        let source = IndexSource { snapshot, collection, options, check };
        let builds = &self.core.vector_builds;
        let index = Arc::new(source.train(definition, builds)?);
        if let Some(text) = index.text() {
            text.schema()?;
        }
        // After a crash during the build, the store deletes the unfinished index.
        self.core.pend_deletion(object)?;
        let engine = self.core.engine.as_ref();
        let build = Build { engine, snapshot, collection, index: &index, options, builds, check };
        // A text index is filled from its outbox.
        let built = if index.text().is_some() { Ok(()) } else { build.run() };
        if let Err(error) = built {
            self.abandon(&[object], &error);
            return Err(error);
        }
        Ok(index)
    }

    /// Deletes the objects of indexes that did not get into the catalog because of an error.
    pub(super) fn abandon(&self, objects: &[ObjectId], error: &Error) {
        // An index that is perhaps in the catalog keeps its entries.
        if error.code() != ErrorCode::TransactionInternal {
            self.core.delete_objects(objects);
        }
    }

    /// Adds a built index to the catalog.
    fn publish(&self, collection: &Collection, index: &Arc<Index>) -> Result<()> {
        self.core.alter(|draft| {
            let mut changed = Collection::clone(draft.present(collection)?.as_ref());
            // The edge index follows the primary one, no matter when it was built.
            let place = if index.id() == IndexId::EDGE { 1 } else { changed.indexes.len() };
            changed.definition.indexes.insert(place, index.definition().clone());
            changed.indexes.insert(place, Arc::clone(index));
            draft.keep(index.definition().object_id)?;
            draft.put_collection(changed)?;
            Ok(())
        })
    }

    /// Drops an index. Waits for the collection's writers.
    ///
    /// Errors: 1203, 1212, 11 for the primary and the edge index, 18, 1004.
    pub fn drop_index(&self, collection: &Collection, id: IndexId) -> Result<()> {
        if id == IndexId::PRIMARY || (id == IndexId::EDGE && collection.is_edge()) {
            let message = "forbidden: the primary index and the edge index cannot be dropped";
            return Err(Error::new(ErrorCode::Forbidden, message));
        }
        let _guard = self.core.exclude_writers(collection)?;
        let (index, object) = self.core.alter(|draft| {
            let mut changed = Collection::clone(draft.present(collection)?.as_ref());
            let index = Arc::clone(changed.index(id).ok_or_else(index_not_found)?);
            let object = index.definition().object_id;
            changed.definition.indexes.retain(|index| index.id != id);
            changed.indexes.retain(|index| index.id() != id);
            draft.pend_deletion(object)?;
            let changed = draft.put_collection(changed)?;
            let is_it = |own: AliasIndex| own.index == id && own.collection == changed.id();
            view::forget_indexes(draft, changed.database(), is_it)?;
            Ok((index, object))
        })?;
        self.core.give_up(&[object], [&index]);
        Ok(())
    }
}

/// Returns the existing index that the client wants, if there is one.
///
/// Errors: 1005 if another index has the name, 1235 if there are too many, 10 for a second ttl
/// index.
fn find_same(collection: &Collection, wanted: &IndexProperties) -> Result<Option<Arc<Index>>> {
    let mut indexes = collection.indexes().iter();
    if let Some(existing) = indexes.find(|index| index.definition().is_same_as(wanted)) {
        return Ok(Some(Arc::clone(existing)));
    }
    if wanted.index_type == IndexType::Ttl
        && collection.indexes().iter().any(|index| index.index_type() == IndexType::Ttl)
    {
        let message = "there can only be one ttl index per collection";
        return Err(Error::bad_parameter(message));
    }
    let is_named_so = |index: &Arc<Index>| wanted.name.as_deref() == Some(index.name());
    if wanted.id.is_some_and(|id| collection.index(id).is_some())
        || collection.indexes().iter().any(is_named_so)
    {
        return Err(Error::new(ErrorCode::DuplicateIdentifier, "duplicate value for `id` or `name`"));
    }
    collection.check_room_for_index(0)?;
    Ok(None)
}

fn index_not_found() -> Error {
    Error::of(ErrorCode::IndexNotFound)
}
