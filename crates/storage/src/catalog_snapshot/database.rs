//! A database.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{CollectionId, DatabaseDefinition};

use super::Collection;
use errors::{Error, Result};

/// A database and its collections.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) definition: DatabaseDefinition,
    pub(crate) collections: BTreeMap<CollectionId, Arc<Collection>>,
    pub(crate) names: BTreeMap<String, CollectionId>,
}

impl Database {
    pub(crate) fn new(definition: DatabaseDefinition) -> Self {
        Database { definition, collections: BTreeMap::new(), names: BTreeMap::new() }
    }

    /// Returns its id and name.
    pub fn definition(&self) -> &DatabaseDefinition {
        &self.definition
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns a collection by name, or by an id written as text.
    pub fn collection(&self, name_or_id: &str) -> Option<&Arc<Collection>> {
        let id = match self.names.get(name_or_id) {
            Some(id) => *id,
            None => name_or_id.parse().ok()?,
        };
        self.collections.get(&id)
    }

    /// Returns a collection as [`Database::collection`] does.
    ///
    /// Errors: 1203.
    pub fn require_collection(&self, name_or_id: &str) -> Result<&Arc<Collection>> {
        self.collection(name_or_id).ok_or_else(|| Error::collection_not_found(name_or_id))
    }

    /// Returns a collection by its id.
    pub fn collection_by_id(&self, id: CollectionId) -> Option<&Arc<Collection>> {
        self.collections.get(&id)
    }

    /// Iterates over all collections by name.
    pub fn collections(&self) -> impl Iterator<Item = &Arc<Collection>> {
        self.names.values().filter_map(|id| self.collections.get(id))
    }

    /// Returns the same database, in which the collections that `is_hidden` selects show no
    /// documents, indexes or schema.
    ///
    /// It is for a reader who must not see them and can only tell that they exist. Nothing may be
    /// written to those collections.
    ///
    /// Errors: 9 for an index whose type this version does not have.
    pub fn hiding(&self, is_hidden: impl Fn(&Collection) -> bool) -> Result<Database> {
        let mut database = self.clone();
        for collection in database.collections.values_mut().filter(|collection| is_hidden(collection)) {
            *collection = Arc::new(collection.hidden()?);
        }
        Ok(database)
    }

    pub(crate) fn put_collection(&mut self, collection: Arc<Collection>) {
        self.remove_collection(collection.id());
        self.names.insert(collection.name().to_owned(), collection.id());
        self.collections.insert(collection.id(), collection);
    }

    pub(crate) fn remove_collection(&mut self, id: CollectionId) {
        if let Some(old) = self.collections.remove(&id) {
            self.names.remove(old.name());
        }
    }
}
