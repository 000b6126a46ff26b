//! Change and removal of views.

use std::sync::Arc;

use catalog::view::{AliasChanges, LinkChange, parse_links};
use catalog::{AccessLevel, ViewDefinition, ViewProperties};
use errors::Result;
use storage::{Database, ViewLink};
use velocypack::Slice;

use crate::session::Session;

impl Session {
    /// Changes a view, all that `changes` names or nothing.
    ///
    /// A `partial` change keeps everything else. Another one sets everything else to its default,
    /// and removes all other links or indexes. Errors: 1203, 10, 11, 1202, 18.
    pub fn change_view(&self, name: &str, changes: Slice<'_>, partial: bool) -> Result<Arc<ViewDefinition>> {
        let _changes = self.instance().view_changes.hold();
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let view = self.changed_view(database, name)?;
        let changed = |database: &Database, view: &ViewDefinition| {
            self.changed_properties(database, &view.properties, changes, partial)
        };
        // An error must come before the first step of new links.
        changed(database, &view)?;
        let links = match &view.properties {
            ViewProperties::ArangoSearch(_) => {
                self.changed_links(database, &view, parse_links(changes)?, partial)?
            }
            ViewProperties::SearchAlias(_) => Vec::new(),
        };
        let work = self.list_work(&format!("/* a change of a view, without a query */ {}", view.name));
        let store = self.instance().store();
        store.change_view(self.database_name(), view.id, &changed, links, &|| work.check())
    }

    fn changed_properties(
        &self,
        database: &Database,
        present: &ViewProperties,
        changes: Slice<'_>,
        partial: bool,
    ) -> Result<ViewProperties> {
        match present {
            ViewProperties::ArangoSearch(properties) => {
                Ok(ViewProperties::ArangoSearch(Box::new(properties.changed(changes, partial)?)))
            }
            ViewProperties::SearchAlias(indexes) => {
                let changes = AliasChanges::of_body(changes)?;
                let indexes = changes.apply(indexes, partial, |change| match change.is_addition {
                    true => self.find_alias_index(database, change).map(Some),
                    false => self.find_removed_index(database, change),
                })?;
                self.check_alias(database, &indexes)?;
                Ok(ViewProperties::SearchAlias(indexes))
            }
        }
    }

    /// Returns the changes of links of a request, with the removal of those that a whole
    /// replacement does not name.
    fn changed_links(
        &self,
        database: &Database,
        view: &ViewDefinition,
        changes: Option<Vec<LinkChange<'_>>>,
        partial: bool,
    ) -> Result<Vec<ViewLink>> {
        let mut links = self.view_links(database, view, &changes.unwrap_or_default())?;
        if !partial {
            let is_named = |links: &[ViewLink], id| links.iter().any(|link| link.collection.id() == id);
            for (collection, _) in database.view_indexes(view) {
                if !is_named(&links, collection.id()) {
                    links.push(ViewLink { collection: Arc::clone(collection), index: None });
                }
            }
        }
        Ok(links)
    }

    /// Gives a view another name. Errors: 1203, 1207, 1208, 11.
    pub fn rename_view(&self, name: &str, new_name: &str) -> Result<Arc<ViewDefinition>> {
        let _changes = self.instance().view_changes.hold();
        let catalog = self.catalog();
        let view = self.changed_view(self.database_in(&catalog)?, name)?;
        self.instance().store().rename_view(self.database_name(), view.id, new_name)
    }

    /// Drops a view with its links. Errors: 1203, 11, 18.
    pub fn drop_view(&self, name: &str) -> Result<()> {
        let _changes = self.instance().view_changes.hold();
        let catalog = self.catalog();
        let view = self.changed_view(self.database_in(&catalog)?, name)?;
        self.instance().store().drop_view(self.database_name(), view.id)
    }

    /// Returns a view that is about to change.
    ///
    /// The user must have the right to write the database and to read the view's collections.
    /// Errors: 1203, 11.
    pub(super) fn changed_view(&self, database: &Database, name: &str) -> Result<Arc<ViewDefinition>> {
        self.require_database(AccessLevel::ReadWrite)?;
        let view = database.require_view(name)?;
        self.require_view(database, view)?;
        Ok(Arc::clone(view))
    }
}
