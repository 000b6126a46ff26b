//! Collections.

use std::sync::Arc;

use catalog::{
    CollectionChanges, CollectionDefinition, CollectionId, CollectionProperties, CollectionType,
    DatabaseDefinition, IndexDefinition, IndexId, NamingRules, ObjectId,
};
use errors::{Error, ErrorCode, Result};

use super::names::check_name_is_free;
use super::view;
use crate::base::computed_values;
use crate::base::schema::Schema;
use crate::ids::key_generator::KeyGenerator;
use crate::locks::collection_lock::CollectionLock;
use crate::store_core::StoreCore;
use crate::visibility::counters::Counters;
use crate::{Collection, Index, Store};

impl Store {
    /// Creates a collection with its primary index and, for an edge collection, its edge index.
    ///
    /// Errors: 1208, 1207, 1228, 1621, 10 for computed values, 1004.
    pub fn create_collection(
        &self,
        database: &str,
        properties: CollectionProperties,
    ) -> Result<Arc<Collection>> {
        self.create(database, properties, false, None)
    }

    /// Creates a collection from a dump or a log of another server. With `globally_unique_id` both
    /// collections have the same identifier, by which the log names them. One that `is_to_load` has
    /// no edge index yet, if it is for edges.
    ///
    /// [`Store::build_edge_index`] builds it later. Until then a snapshot cannot follow edges
    /// (1200), and everything else works as usual.
    ///
    /// Errors: as [`Store::create_collection`].
    pub fn restore_collection(
        &self,
        database: &str,
        properties: CollectionProperties,
        globally_unique_id: Option<&str>,
        is_to_load: bool,
    ) -> Result<Arc<Collection>> {
        self.create(database, properties, is_to_load, globally_unique_id)
    }

    /// Creates a collection that is to be loaded: an edge collection has no edge index yet. See
    /// [`Store::restore_collection`].
    ///
    /// Errors: as [`Store::create_collection`].
    pub fn create_collection_to_load(
        &self,
        database: &str,
        properties: CollectionProperties,
    ) -> Result<Arc<Collection>> {
        self.create(database, properties, true, None)
    }

    fn create(
        &self,
        database: &str,
        properties: CollectionProperties,
        is_to_load: bool,
        globally_unique_id: Option<&str>,
    ) -> Result<Arc<Collection>> {
        properties.check_name(self.core.options.naming_rules)?;
        self.core.alter(move |draft| {
            let database = Arc::clone(draft.database(database)?);
            check_name_is_free(&database, &properties.name)?;
            let mut collection = self.core.new_collection(&database.definition, properties.clone())?;
            if let Some(id) = globally_unique_id {
                collection.definition.globally_unique_id = id.to_owned();
            }
            if is_to_load {
                collection.definition.indexes.retain(|index| index.id != IndexId::EDGE);
                collection.indexes.retain(|index| index.id() != IndexId::EDGE);
            }
            draft.put_collection(collection)
        })
    }

    /// Drops a collection with its indexes. Waits for its writers.
    ///
    /// Errors: 1203, 11 for a system collection unless `system_too`, 18, 1004.
    pub fn drop_collection(&self, collection: &Collection, system_too: bool) -> Result<()> {
        check_not_system(collection, system_too)?;
        let _guard = self.core.exclude_writers(collection)?;
        let (present, objects) = self.core.alter(|draft| {
            let present = draft.present(collection)?;
            draft.remove_collection(&present)?;
            view::forget_indexes(draft, present.database(), |index| index.collection == present.id())?;
            let objects: Vec<ObjectId> = present.objects().collect();
            for object in &objects {
                draft.pend_deletion(*object)?;
            }
            Ok((present, objects))
        })?;
        self.core.give_up(&objects, present.indexes());
        Ok(())
    }

    /// Gives a collection another name.
    ///
    /// Errors: 1203, 1208, 1207, 11 for a system collection, 18, 1004.
    pub fn rename_collection(&self, collection: &Collection, name: &str) -> Result<Arc<Collection>> {
        check_not_system(collection, false)?;
        let rules: NamingRules = self.core.options.naming_rules;
        rules.check_collection_name(name, false)?;
        let _guard = self.core.exclude_writers(collection)?;
        self.core.alter(|draft| {
            let present = draft.present(collection)?;
            if present.name() != name {
                check_name_is_free(draft.database(present.database())?, name)?;
            }
            let mut renamed = Collection::clone(&present);
            renamed.definition.properties.name = name.to_owned();
            renamed.name = name.into();
            draft.put_collection(renamed)
        })
    }

    /// Changes properties. Writes in progress may still use the old ones.
    ///
    /// Errors: 1203, 1621, 10 for computed values, 1004.
    pub fn change_properties(
        &self,
        collection: &Collection,
        changes: CollectionChanges,
    ) -> Result<Arc<Collection>> {
        self.core.alter(move |draft| {
            let mut changed = Collection::clone(draft.present(collection)?.as_ref());
            let properties = changed.definition.properties.clone().with(changes.clone());
            changed.schema = compile_schema(&properties)?;
            changed.computed_values =
                computed_values::compile(&properties, self.core.options.computed_values.as_deref())?;
            changed.definition.properties = properties;
            draft.put_collection(changed)
        })
    }
}

fn check_not_system(collection: &Collection, allowed: bool) -> Result<()> {
    if collection.definition.properties.is_system && !allowed {
        let message = format!("forbidden: '{}' is a system collection", collection.name());
        return Err(Error::new(ErrorCode::Forbidden, message));
    }
    Ok(())
}

fn compile_schema(properties: &CollectionProperties) -> Result<Option<Arc<Schema>>> {
    properties.schema.as_ref().map(|rule| Schema::compile(rule).map(Arc::new)).transpose()
}

impl StoreCore {
    /// Makes a collection with new ids; it is not in the catalog yet.
    pub(crate) fn new_collection(
        &self,
        database: &DatabaseDefinition,
        properties: CollectionProperties,
    ) -> Result<Collection> {
        let id = CollectionId(self.ids.next()?);
        let object_id = ObjectId(self.ids.next()?);
        let mut indexes = vec![IndexDefinition::primary(object_id)];
        if properties.collection_type == CollectionType::Edge {
            indexes.push(IndexDefinition::edge(ObjectId(self.ids.next()?)));
        }
        let globally_unique_id = if properties.is_system {
            properties.name.clone()
        } else {
            format!("h{:X}/{id}", self.server_id)
        };
        let opened: Result<Vec<_>> = indexes
            .iter()
            .map(|index| Index::new(index.clone(), None, &self.options.search).map(Arc::new))
            .collect();
        Ok(Collection {
            name: properties.name.as_str().into(),
            database: database.name.as_str().into(),
            database_id: database.id,
            indexes: opened?,
            lock: Arc::new(CollectionLock::default()),
            running_loads: Arc::default(),
            last_load: Arc::default(),
            counters: Arc::new(Counters::empty(object_id).shared_by(&self.coordination)),
            keys: Arc::new(KeyGenerator::new(properties.key_options, 0).shared_by(&self.coordination, id)),
            commit_watch: Arc::default(),
            longest_document: Arc::default(),
            defined_since: 0,
            schema: compile_schema(&properties)?,
            computed_values: computed_values::compile(&properties, self.options.computed_values.as_deref())?,
            definition: CollectionDefinition { id, object_id, globally_unique_id, properties, indexes },
        })
    }
}

impl Collection {
    /// Iterates over all objects that belong to the collection: its documents, and the entries of
    /// its indexes.
    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let own = self.definition.object_id;
        let indexes = self.definition.indexes.iter().map(|index| index.object_id);
        std::iter::once(own).chain(indexes.filter(move |object| *object != own))
    }
}
