//! A database.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{CollectionId, DatabaseDefinition};

use super::Collection;
use crate::{Error, Result};

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

    /// Its id and name.
    pub fn definition(&self) -> &DatabaseDefinition {
        &self.definition
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The collection of a name, or of a number written as text.
    pub fn collection(&self, name_or_id: &str) -> Option<&Arc<Collection>> {
        let id = match self.names.get(name_or_id) {
            Some(id) => *id,
            None => name_or_id.parse().ok()?,
        };
        self.collections.get(&id)
    }

    /// As [`Database::collection`].
    ///
    /// Errors: 1203.
    pub fn require_collection(&self, name_or_id: &str) -> Result<&Arc<Collection>> {
        self.collection(name_or_id).ok_or_else(|| Error::collection_not_found(name_or_id))
    }

    /// The collection of a number.
    pub fn collection_by_id(&self, id: CollectionId) -> Option<&Arc<Collection>> {
        self.collections.get(&id)
    }

    /// All collections by name.
    pub fn collections(&self) -> impl Iterator<Item = &Arc<Collection>> {
        self.names.values().filter_map(|id| self.collections.get(id))
    }

    /// The same database, in which of the collections that `is_hidden` names nothing can be told but that they are there:
    /// no documents, indexes or schema. For a reader who must not see them; nothing may be written to those.
    ///
    /// Errors: 9 for an index of a type that this version does not have.
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
