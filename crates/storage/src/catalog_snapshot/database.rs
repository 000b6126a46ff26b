//! A database.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{CollectionId, DatabaseDefinition, ViewDefinition, ViewId};
use errors::{Error, Result};

use super::Collection;
use crate::Index;

/// A database with its collections and views.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) definition: DatabaseDefinition,
    pub(crate) collections: BTreeMap<CollectionId, Arc<Collection>>,
    pub(crate) names: BTreeMap<String, CollectionId>,
    pub(crate) views: BTreeMap<String, Arc<ViewDefinition>>,
}

impl Database {
    pub(crate) fn new(definition: DatabaseDefinition) -> Self {
        let (collections, names, views) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Database { definition, collections, names, views }
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

    /// Returns a view by name, or by an id written as text.
    pub fn view(&self, name_or_id: &str) -> Option<&Arc<ViewDefinition>> {
        let by_id = || self.view_by_id(ViewId(name_or_id.parse().ok()?));
        self.views.get(name_or_id).or_else(by_id)
    }

    /// Returns a view as [`Database::view`] does.
    ///
    /// Errors: 1203.
    pub fn require_view(&self, name_or_id: &str) -> Result<&Arc<ViewDefinition>> {
        self.view(name_or_id).ok_or_else(|| Error::collection_not_found(name_or_id))
    }

    /// Returns a view by its id.
    pub fn view_by_id(&self, id: ViewId) -> Option<&Arc<ViewDefinition>> {
        self.views.values().find(|view| view.id == id)
    }

    /// Iterates over all views by name.
    pub fn views(&self) -> impl Iterator<Item = &Arc<ViewDefinition>> {
        self.views.values()
    }

    /// Iterates over the indexes of a view by the names of their collections: the links of an
    /// `arangosearch` view, or the inverted indexes of a `search-alias` view.
    pub fn view_indexes<'a>(
        &'a self,
        view: &'a ViewDefinition,
    ) -> impl Iterator<Item = (&'a Arc<Collection>, &'a Arc<Index>)> {
        self.collections().flat_map(move |collection| {
            let is_listed = move |index: &&Arc<Index>| match index.view() {
                Some(owner) => owner == view.id,
                None => {
                    let is_it = |own: &catalog::view::AliasIndex| {
                        own.index == index.id() && own.collection == collection.id()
                    };
                    view.alias_indexes().iter().any(is_it)
                }
            };
            let indexes = collection.indexes().iter().filter(is_listed);
            indexes.map(move |index| (collection, index))
        })
    }

    /// Returns true if a collection or a view has the name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.names.contains_key(name) || self.views.contains_key(name)
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

    pub(crate) fn put_view(&mut self, view: Arc<ViewDefinition>) {
        self.remove_view(view.id);
        self.views.insert(view.name.clone(), view);
    }

    pub(crate) fn remove_view(&mut self, id: ViewId) {
        self.views.retain(|_, view| view.id != id);
    }

    pub(crate) fn remove_collection(&mut self, id: CollectionId) {
        if let Some(old) = self.collections.remove(&id) {
            self.names.remove(old.name());
        }
    }
}
