//! A change of definitions that is being made.

use std::sync::Arc;

use catalog::{ObjectId, Record, UserDefinition, ViewDefinition, ViewId};
use errors::{Error, Result};
use kv::WriteTransaction;

use super::changed_records::ChangedRecords;
use super::definition_changes::DefinitionChanges;
use super::{Catalog, Collection, Database};
use crate::base::error;
use crate::encoding::change::ChangeKind;
use crate::encoding::metadata::{
    CounterRecord, collection_key, counter_key, database_key, key_counter_key, pending_deletion_key,
    user_key, view_key,
};
use crate::sharing::Coordination;
use crate::visibility::counters::Totals;
use crate::visibility::read_cache::CommitNumber;

/// The new catalog, and the records that belong to it.
pub(crate) struct Draft {
    catalog: Catalog,
    transaction: Box<dyn WriteTransaction>,
    /// The commit that makes the change visible.
    number: CommitNumber,
    coordination: Coordination,
    /// The entries of the change log.
    changes: DefinitionChanges,
    /// The keys of the records of definitions, for the other servers.
    changed: ChangedRecords,
}

/// A finished draft.
pub(crate) struct DraftParts {
    pub(crate) catalog: Catalog,
    pub(crate) transaction: Box<dyn WriteTransaction>,
    pub(crate) changes: DefinitionChanges,
    pub(crate) changed: ChangedRecords,
}

impl Draft {
    pub(crate) fn new(
        catalog: Catalog,
        transaction: Box<dyn WriteTransaction>,
        number: CommitNumber,
        coordination: Coordination,
        changes: DefinitionChanges,
    ) -> Self {
        let changed = ChangedRecords::default();
        Draft { catalog, transaction, number, coordination, changes, changed }
    }

    pub(crate) fn into_parts(self) -> DraftParts {
        let Draft { catalog, transaction, changes, changed, .. } = self;
        DraftParts { catalog, transaction, changes, changed }
    }

    /// Writes the record of a definition.
    fn put_record(&mut self, key: Vec<u8>, record: &[u8]) -> Result<()> {
        self.transaction.put(&key, record)?;
        self.changed.note(key);
        Ok(())
    }

    /// Removes the record of a definition.
    fn delete_record(&mut self, key: Vec<u8>) -> Result<()> {
        self.transaction.delete(&key)?;
        self.changed.note(key);
        Ok(())
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the transaction that makes the change.
    pub(crate) fn transaction(&mut self) -> &mut dyn WriteTransaction {
        self.transaction.as_mut()
    }

    /// Returns a database by name.
    ///
    /// Errors: 1228.
    pub(crate) fn database(&self, name: &str) -> Result<&Arc<Database>> {
        self.catalog.database(name).ok_or_else(error::database_not_found)
    }

    /// Returns the current version of a collection.
    ///
    /// Errors: 1203 if it was dropped.
    pub(crate) fn present(&self, collection: &Collection) -> Result<Arc<Collection>> {
        let present = self.catalog.same_collection(collection);
        present.cloned().ok_or_else(|| Error::collection_not_found(collection.name()))
    }

    pub(crate) fn put_database(&mut self, database: Database) -> Result<()> {
        let definition = &database.definition;
        self.changes.database(ChangeKind::DatabaseCreated, definition)?;
        self.put_record(database_key(definition.id), &definition.to_record()?)?;
        self.catalog.databases.insert(database.definition.name.clone(), Arc::new(database));
        Ok(())
    }

    pub(crate) fn remove_database(&mut self, name: &str) -> Result<()> {
        if let Some(database) = self.catalog.databases.remove(name) {
            self.changes.database(ChangeKind::DatabaseDropped, &database.definition)?;
            self.delete_record(database_key(database.definition.id))?;
        }
        Ok(())
    }

    /// Adds a collection, or replaces its previous version.
    pub(crate) fn put_collection(&mut self, collection: Collection) -> Result<Arc<Collection>> {
        self.catalog.has_text_indexes |= collection.has_text_index();
        self.catalog.has_access_rules |= collection.has_access_rules();
        collection.share_text_indexes(&self.coordination);
        let database = self.catalog.databases.get(collection.database());
        let database = database.ok_or_else(error::database_not_found)?;
        let before = database.collections.get(&collection.id());
        self.changes.collection(before.map(AsRef::as_ref), &collection)?;
        let key = collection_key(collection.database_id, collection.id());
        self.put_record(key, &collection.definition.to_record()?)?;
        let collection = Arc::new(Collection { defined_since: self.number, ..collection });
        let database = self.catalog.databases.get_mut(collection.database());
        Arc::make_mut(database.ok_or_else(error::database_not_found)?)
            .put_collection(Arc::clone(&collection));
        Ok(collection)
    }

    pub(crate) fn remove_collection(&mut self, collection: &Collection) -> Result<()> {
        self.changes.dropped_collection(collection)?;
        self.delete_record(collection_key(collection.database_id, collection.id()))?;
        if !self.coordination.is_alone() {
            self.transaction.delete(&key_counter_key(collection.id()))?;
        }
        if let Some(database) = self.catalog.databases.get_mut(collection.database()) {
            Arc::make_mut(database).remove_collection(collection.id());
        }
        Ok(())
    }

    /// Adds a view to a database, or replaces its previous version.
    ///
    /// Errors: 1228.
    pub(crate) fn put_view(&mut self, database: &str, view: ViewDefinition) -> Result<Arc<ViewDefinition>> {
        let database = self.catalog.databases.get_mut(database).ok_or_else(error::database_not_found)?;
        let kind = match database.view_by_id(view.id) {
            Some(_) => ChangeKind::ViewChanged,
            None => ChangeKind::ViewCreated,
        };
        self.changes.view(kind, database, &view)?;
        let (key, record) = (view_key(database.definition.id, view.id), view.to_record()?);
        let view = Arc::new(view);
        Arc::make_mut(database).put_view(Arc::clone(&view));
        self.put_record(key, &record)?;
        Ok(view)
    }

    /// Removes a view of a database. Errors: 1228.
    pub(crate) fn remove_view(&mut self, database: &str, view: ViewId) -> Result<()> {
        let database = self.catalog.databases.get_mut(database).ok_or_else(error::database_not_found)?;
        if let Some(present) = database.view_by_id(view) {
            self.changes.view(ChangeKind::ViewDropped, database, present)?;
        }
        Arc::make_mut(database).remove_view(view);
        let key = view_key(database.definition.id, view);
        self.delete_record(key)
    }

    pub(crate) fn put_user(&mut self, user: UserDefinition) -> Result<()> {
        self.changes.user(ChangeKind::UserChanged, &user)?;
        self.put_record(user_key(&user.name), &user.to_record()?)?;
        self.catalog.users.insert(user.name.clone(), Arc::new(user));
        Ok(())
    }

    pub(crate) fn remove_user(&mut self, name: &str) -> Result<()> {
        if let Some(user) = self.catalog.users.remove(name) {
            self.changes.user(ChangeKind::UserRemoved, &user)?;
        }
        self.delete_record(user_key(name))
    }

    /// Records that nothing owns an object any more. The object is deleted now or when the store
    /// next opens.
    pub(crate) fn pend_deletion(&mut self, object: ObjectId) -> Result<()> {
        Ok(self.transaction.put(&pending_deletion_key(object), &self.coordination.deletion_record())?)
    }

    /// Records that an object is owned, so that it is kept.
    pub(crate) fn keep(&mut self, object: ObjectId) -> Result<()> {
        Ok(self.transaction.delete(&pending_deletion_key(object))?)
    }

    /// Sets the counters of a new object.
    pub(crate) fn put_counters(&mut self, object: ObjectId, totals: Totals) -> Result<()> {
        Ok(self.transaction.put(&counter_key(object, CounterRecord::Slot(0)), &totals.to_bytes())?)
    }
}
