//! Creation of views.

use std::sync::Arc;

use catalog::view::{NewView, NewViewContent, parse_links};
use catalog::{AccessLevel, ViewDefinition, ViewProperties};
use errors::Result;
use velocypack::Slice;

use crate::session::Session;

impl Session {
    /// Creates a view from a client's description, with all its links, or nothing.
    ///
    /// Errors: 10, 11, 1207, 1208, 1203 for a collection, 1202 for an analyzer or an index, 18.
    pub fn create_view(&self, body: Slice<'_>) -> Result<Arc<ViewDefinition>> {
        self.require_database(AccessLevel::ReadWrite)?;
        let new = NewView::parse(body)?;
        let _changes = self.instance().view_changes.hold();
        self.create_view_of(new, body)
    }

    /// Creates a parsed view. The caller keeps other changes of views out.
    pub(super) fn create_view_of(&self, new: NewView, body: Slice<'_>) -> Result<Arc<ViewDefinition>> {
        let store = self.instance().store();
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let (properties, links) = match new.content {
            NewViewContent::ArangoSearch(properties) => {
                (ViewProperties::ArangoSearch(properties), parse_links(body)?.unwrap_or_default())
            }
            NewViewContent::SearchAlias(changes) => {
                let indexes =
                    changes.apply(&[], false, |change| self.find_alias_index(database, change).map(Some))?;
                self.check_alias(database, &indexes)?;
                (ViewProperties::SearchAlias(indexes), Vec::new())
            }
        };
        let view = store.new_view(&new.name, properties)?;
        let links = self.view_links(database, &view, &links)?;
        let work = self.list_work(&format!("/* a new view, without a query */ {}", view.name));
        store.create_view(self.database_name(), &view, links, &|| work.check())
    }
}
