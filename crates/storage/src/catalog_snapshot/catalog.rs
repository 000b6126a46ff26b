//! The root of the catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::catalog::{CollectionId, DatabaseDefinition, DatabaseId, UserDefinition};

use super::{Collection, Database};

/// All databases, collections, indexes and users.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    pub(crate) version: u64,
    pub(crate) databases: BTreeMap<String, Arc<Database>>,
    pub(crate) users: BTreeMap<String, Arc<UserDefinition>>,
    /// True if a collection has, or had, a text index.
    pub(crate) has_text_indexes: bool,
    /// True if a collection has, or had, rules for what users see.
    pub(crate) has_access_rules: bool,
}

impl Catalog {
    /// Returns a number that grows with every change, for caches of data derived from the catalog.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns a database by name.
    pub fn database(&self, name: &str) -> Option<&Arc<Database>> {
        self.databases.get(name)
    }

    /// Returns a database by its id, to be changed.
    pub(crate) fn database_by_id_mut(&mut self, id: DatabaseId) -> Option<&mut Database> {
        let database = self.databases.values_mut().find(|database| database.definition.id == id);
        database.map(Arc::make_mut)
    }

    /// Iterates over all databases by name.
    pub fn databases(&self) -> impl ExactSizeIterator<Item = &Arc<Database>> {
        self.databases.values()
    }

    /// Returns a user by name.
    pub fn user(&self, name: &str) -> Option<&Arc<UserDefinition>> {
        self.users.get(name)
    }

    /// Iterates over all users by name.
    pub fn users(&self) -> impl ExactSizeIterator<Item = &Arc<UserDefinition>> {
        self.users.values()
    }

    /// Returns true if a collection has rules that restrict users, or had some.
    pub fn has_access_rules(&self) -> bool {
        self.has_access_rules
    }

    /// Returns true if a collection has a text index, or had one.
    pub(crate) fn has_text_indexes(&self) -> bool {
        self.has_text_indexes
    }

    /// Returns the version of a collection in this catalog, by its database and number.
    pub(crate) fn same_definition(
        &self,
        database: &DatabaseDefinition,
        id: CollectionId,
    ) -> Option<&Arc<Collection>> {
        let present = self.databases.get(&database.name)?;
        if present.definition.id == database.id { present.collections.get(&id) } else { None }
    }

    /// Returns a collection by its number, which no other database has.
    pub(crate) fn collection_by_id(&self, id: CollectionId) -> Option<&Arc<Collection>> {
        self.databases.values().find_map(|database| database.collections.get(&id))
    }

    /// Returns the same collection in this catalog, perhaps renamed or changed; `None` if it was
    /// dropped.
    pub(crate) fn same_collection(&self, collection: &Collection) -> Option<&Arc<Collection>> {
        let database = self.databases.get(&*collection.database)?;
        if database.definition.id != collection.database_id {
            return None;
        }
        database.collections.get(&collection.id())
    }
}
