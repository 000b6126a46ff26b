//! Views.
//!
//! A link of an `arangosearch` view is an index of the linked collection. A request may change the
//! links to several collections. All of them are built first, while their writers wait, and become
//! visible in one step with the view.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::index::IndexProperties;
use catalog::view::AliasIndex;
use catalog::{CollectionId, IndexDefinition, IndexId, ObjectId, ViewDefinition, ViewId, ViewProperties};
use errors::{Error, Result};

use super::names::check_name_is_free;
use crate::base::error;
use crate::catalog_snapshot::draft::Draft;
use crate::ddl::index_build::SharedCheck;
use crate::{Collection, Database, Index, Snapshot, Store};

/// A change of the link between a view and a collection.
#[derive(Clone, Debug)]
pub struct ViewLink {
    /// The collection.
    pub collection: Arc<Collection>,
    /// The index that the link becomes; `None` removes the link.
    pub index: Option<IndexProperties>,
}

/// A change of a collection's links that is prepared.
struct Prepared {
    collection: Arc<Collection>,
    removed: Vec<Arc<Index>>,
    added: Option<Arc<Index>>,
}

impl Store {
    /// Returns a view that does not exist yet, with a new number.
    pub fn new_view(&self, name: &str, properties: ViewProperties) -> Result<ViewDefinition> {
        let id = ViewId(self.core.ids.next()?);
        let globally_unique_id = format!("h{:X}/{id}", self.core.server_id);
        Ok(ViewDefinition { id, globally_unique_id, name: name.to_owned(), properties })
    }

    /// Creates a view with its links, or nothing. Waits for the writers of linked collections.
    ///
    /// `check` is called from time to time; its error leaves the first step of links to the
    /// background.
    ///
    /// Errors: 1207, 1208, 1228, 1203 for a collection, 1235 for too many indexes, those of builds,
    /// 18, 1004.
    pub fn create_view(
        &self,
        database: &str,
        view: &ViewDefinition,
        links: Vec<ViewLink>,
        check: SharedCheck<'_>,
    ) -> Result<Arc<ViewDefinition>> {
        self.core.options.naming_rules.check_collection_name(&view.name, false)?;
        let catalog = self.catalog();
        check_name_is_free(catalog.database(database).ok_or_else(error::database_not_found)?, &view.name)?;
        self.apply_links(view.id, links, check, |draft| {
            check_name_is_free(draft.database(database)?, &view.name)?;
            draft.put_view(database, existing_indexes(draft, database, view.clone())?)
        })
    }

    /// Changes the properties and links of a view, or nothing. Links that are not named stay.
    ///
    /// `properties` returns the new properties of the view that it gets. It runs again if another
    /// server has changed definitions. The caller keeps other changes of the view on this server
    /// out. `check` is called from time to time; its error leaves the first step of new links to
    /// the background.
    ///
    /// Errors: 1203 for the view or a collection, those of `properties`, otherwise as
    /// [`Store::create_view`].
    pub fn change_view(
        &self,
        database: &str,
        id: ViewId,
        properties: &dyn Fn(&Database, &ViewDefinition) -> Result<ViewProperties>,
        links: Vec<ViewLink>,
        check: SharedCheck<'_>,
    ) -> Result<Arc<ViewDefinition>> {
        self.apply_links(id, links, check, |draft| {
            let before = draft.database(database)?;
            let present = before.view_by_id(id).ok_or_else(|| Error::collection_not_found(id))?;
            let properties = properties(before, present)?;
            let changed = ViewDefinition { properties, ..(**present).clone() };
            draft.put_view(database, existing_indexes(draft, database, changed)?)
        })
    }

    /// Gives a view another name. Errors: 1203, 1207, 1208, 1228, 1004.
    pub fn rename_view(&self, database: &str, id: ViewId, name: &str) -> Result<Arc<ViewDefinition>> {
        self.core.options.naming_rules.check_collection_name(name, false)?;
        self.core.alter(|draft| {
            let present = draft.database(database)?.view_by_id(id);
            let present = Arc::clone(present.ok_or_else(|| Error::collection_not_found(id))?);
            if present.name != name {
                check_name_is_free(draft.database(database)?, name)?;
            }
            draft.put_view(database, ViewDefinition { name: name.to_owned(), ..(*present).clone() })
        })
    }

    /// Drops a view with its links. Waits for the writers of linked collections.
    ///
    /// The caller keeps other changes of the view out. Errors: 1203, 1228, 18, 1004.
    pub fn drop_view(&self, database: &str, id: ViewId) -> Result<()> {
        let catalog = self.catalog();
        let present = catalog.database(database).ok_or_else(error::database_not_found)?;
        let view = present.view_by_id(id).ok_or_else(|| Error::collection_not_found(id))?;
        let linked = present.view_indexes(view).filter(|(_, index)| index.view().is_some());
        let links =
            linked.map(|(collection, _)| ViewLink { collection: Arc::clone(collection), index: None });
        self.apply_links(id, links.collect(), &|| Ok(()), |draft| {
            let present = draft.database(database)?.view_by_id(id);
            present.ok_or_else(|| Error::collection_not_found(id))?;
            draft.remove_view(database, id)
        })
    }

    /// Builds and removes links, and makes that visible together with `change`.
    fn apply_links<T>(
        &self,
        view: ViewId,
        links: Vec<ViewLink>,
        check: SharedCheck<'_>,
        change: impl Fn(&mut Draft) -> Result<T>,
    ) -> Result<T> {
        // Locks are taken in one order, so that no two changes wait for each other.
        let links: BTreeMap<CollectionId, ViewLink> =
            links.into_iter().map(|link| (link.collection.id(), link)).collect();
        let guards: Result<Vec<_>> =
            links.values().map(|link| self.core.exclude_writers_unless(&link.collection, check)).collect();
        let guards = guards?;
        let snapshot = self.snapshot()?;
        let mut prepared = Vec::with_capacity(links.len());
        let outcome = links
            .into_values()
            .try_for_each(|link| {
                prepared.extend(self.prepare_link(&snapshot, view, link, check)?);
                Ok(())
            })
            .and_then(|()| {
                self.core.alter(|draft| {
                    prepared.iter().try_for_each(|link| link.apply(draft))?;
                    change(draft)
                })
            });
        match &outcome {
            Ok(_) => {
                let removed = || prepared.iter().flat_map(|link| &link.removed);
                self.core.give_up(&objects(removed()), removed());
            }
            Err(error) => {
                self.abandon(&objects(prepared.iter().filter_map(|link| link.added.as_ref())), error);
            }
        }
        let value = outcome?;
        drop(guards);
        let added: Vec<Arc<Index>> = prepared.into_iter().filter_map(|link| link.added).collect();
        // The first step of new links. After an error the background makes it.
        let _ = self.index_now(&added, check);
        Ok(value)
    }

    /// Builds the index of a link, if it differs from the present one. The caller holds the
    /// collection's lock.
    fn prepare_link(
        &self,
        snapshot: &Snapshot,
        view: ViewId,
        link: ViewLink,
        check: SharedCheck<'_>,
    ) -> Result<Option<Prepared>> {
        let present = snapshot.catalog().same_collection(&link.collection);
        let present = present.ok_or_else(|| Error::collection_not_found(link.collection.name()))?;
        let own = present.indexes().iter().filter(|index| index.view() == Some(view));
        let removed: Vec<Arc<Index>> = own.cloned().collect();
        let Some(properties) = link.index else {
            return Ok(Some(Prepared { collection: Arc::clone(present), removed, added: None }));
        };
        if removed.iter().any(|index| index.definition().is_same_as(&properties)) {
            return Ok(None);
        }
        present.check_room_for_index(removed.len())?;
        let id = self.index_id(present, None)?;
        let definition = IndexDefinition::new(id, ObjectId(self.core.ids.next()?), properties);
        let added = self.build_index(snapshot, present, definition, check)?;
        Ok(Some(Prepared { collection: Arc::clone(present), removed, added: Some(added) }))
    }
}

impl Prepared {
    fn apply(&self, draft: &mut Draft) -> Result<()> {
        let mut changed = Collection::clone(draft.present(&self.collection)?.as_ref());
        let is_removed = |id: IndexId| self.removed.iter().any(|index| index.id() == id);
        changed.definition.indexes.retain(|index| !is_removed(index.id));
        changed.indexes.retain(|index| !is_removed(index.id()));
        for index in &self.removed {
            draft.pend_deletion(index.definition().object_id)?;
        }
        if let Some(index) = &self.added {
            changed.definition.indexes.push(index.definition().clone());
            changed.indexes.push(Arc::clone(index));
            draft.keep(index.definition().object_id)?;
        }
        draft.put_collection(changed)?;
        Ok(())
    }
}

fn objects<'a>(indexes: impl Iterator<Item = &'a Arc<Index>>) -> Vec<ObjectId> {
    indexes.map(|index| index.definition().object_id).collect()
}

/// Returns the view without indexes that were dropped since the caller looked them up.
fn existing_indexes(draft: &Draft, database: &str, mut view: ViewDefinition) -> Result<ViewDefinition> {
    let database = draft.database(database)?;
    if let ViewProperties::SearchAlias(indexes) = &mut view.properties {
        indexes.retain(|own| {
            let collection = database.collection_by_id(own.collection);
            collection.is_some_and(|collection| collection.index(own.index).is_some())
        });
    }
    Ok(view)
}

/// Removes indexes from the `search-alias` views of a database.
pub(super) fn forget_indexes(
    draft: &mut Draft,
    database: &str,
    is_forgotten: impl Fn(AliasIndex) -> bool,
) -> Result<()> {
    let present = draft.database(database)?;
    let uses_it = |view: &&Arc<ViewDefinition>| view.alias_indexes().iter().any(|own| is_forgotten(*own));
    let users: Vec<ViewDefinition> =
        present.views().filter(uses_it).map(|view| ViewDefinition::clone(view)).collect();
    for mut view in users {
        if let ViewProperties::SearchAlias(indexes) = &mut view.properties {
            indexes.retain(|own| !is_forgotten(*own));
        }
        draft.put_view(database, view)?;
    }
    Ok(())
}
