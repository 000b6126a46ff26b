//! The indexes of views: links from a client's definitions, and inverted indexes by their names.

use std::sync::Arc;

use catalog::index::IndexProperties;
use catalog::text_index::PrimarySort;
use catalog::view::{AliasChange, AliasIndex, LinkChange};
use catalog::{AccessLevel, IndexType, ViewDefinition};
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Database, ViewLink};

use crate::session::Session;

impl Session {
    /// Returns the changes of links that a client asks for. The user must be able to read the
    /// collections.
    ///
    /// Errors: 1203, 11, 10 for a wrong link, 10 for an unknown analyzer.
    pub(super) fn view_links(
        &self,
        database: &Database,
        view: &ViewDefinition,
        changes: &[LinkChange<'_>],
    ) -> Result<Vec<ViewLink>> {
        changes.iter().map(|change| self.view_link(database, view, change)).collect()
    }

    fn view_link(
        &self,
        database: &Database,
        view: &ViewDefinition,
        change: &LinkChange<'_>,
    ) -> Result<ViewLink> {
        let collection = Arc::clone(database.require_collection(change.collection)?);
        self.require_collection(collection.name(), AccessLevel::ReadOnly)?;
        let Some((definition, properties)) = change.definition.zip(view.arangosearch()) else {
            return Ok(ViewLink { collection, index: None });
        };
        // Compression matters to the view only.
        let sort = PrimarySort { fields: properties.primary_sort.fields.clone(), ..PrimarySort::default() };
        let index = IndexProperties::link(view.id, definition, sort, properties.stored_values.clone());
        let index = index.and_then(|mut index| {
            self.find_analyzers(&mut index)?;
            Ok(index)
        });
        let index = index.map_err(|error| {
            let message = format!("link to collection '{}': {}", collection.name(), error.message());
            error.with_message(message)
        })?;
        Ok(ViewLink { collection, index: Some(index) })
    }

    /// Returns the inverted index that a change of a `search-alias` view names.
    ///
    /// Errors: 1203, 11, 1212 for an index that does not exist, 10 for one that is not inverted.
    pub(super) fn find_alias_index(&self, database: &Database, change: &AliasChange) -> Result<AliasIndex> {
        let collection = database.require_collection(&change.collection)?;
        self.require_collection(collection.name(), AccessLevel::ReadOnly)?;
        let index = collection.find_index(&change.index).ok_or_else(|| {
            let (name, collection) = (&change.index, collection.name());
            let message = format!("index not found: collection '{collection}' has no index '{name}'");
            Error::new(ErrorCode::IndexNotFound, message)
        })?;
        if index.index_type() != IndexType::Inverted {
            let message = format!(
                "index '{}' of collection '{}' is not an inverted index",
                index.name(),
                collection.name()
            );
            return Err(Error::bad_parameter(message));
        }
        Ok(AliasIndex { collection: collection.id(), index: index.id() })
    }

    /// Returns an index that is to be removed from a view; `None` if it does not exist any more.
    pub(super) fn find_removed_index(
        &self,
        database: &Database,
        change: &AliasChange,
    ) -> Result<Option<AliasIndex>> {
        match self.find_alias_index(database, change) {
            Ok(index) => Ok(Some(index)),
            Err(error) if error.code() == ErrorCode::Forbidden => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Checks that inverted indexes fit into one view: they need the same `primarySort` and
    /// `storedValues`. A field that several of them have needs the same analyzer and the same
    /// `searchField`. A collection has one of them, since a view would find its documents once for
    /// each.
    ///
    /// Errors: 10.
    pub(super) fn check_alias(&self, database: &Database, indexes: &[AliasIndex]) -> Result<()> {
        let mut found = indexes.iter().filter_map(|own| inverted(database, *own));
        let Some((first_collection, first)) = found.next() else { return Ok(()) };
        let all = std::iter::once((first_collection, first)).chain(found);
        let mut known: Vec<(&Arc<Collection>, &catalog::index::InvertedOptions)> = Vec::new();
        for (collection, options) in all {
            for (other, earlier) in &known {
                if other.id() == collection.id() {
                    let name = collection.name();
                    let message = format!("a view cannot have two inverted indexes of collection '{name}'");
                    return Err(Error::bad_parameter(message));
                }
                if let Some(reason) = options.conflict_in_view(earlier) {
                    let message = format!(
                        "the inverted indexes of collections '{}' and '{}' cannot be in one view: {reason}",
                        other.name(),
                        collection.name()
                    );
                    return Err(Error::bad_parameter(message));
                }
            }
            known.push((collection, options));
        }
        Ok(())
    }
}

/// Returns the options of an inverted index with its collection.
fn inverted(
    database: &Database,
    own: AliasIndex,
) -> Option<(&Arc<Collection>, &catalog::index::InvertedOptions)> {
    let collection = database.collection_by_id(own.collection)?;
    let index = collection.index(own.index)?;
    Some((collection, index.definition().properties.as_inverted()?))
}
