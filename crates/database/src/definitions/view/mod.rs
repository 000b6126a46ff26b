//! Views: their creation, change and removal, with checks of rights.
//!
//! A user sees a view if the user may read every collection that it searches.

mod change;
mod create;
mod former;
mod links;
mod print;
mod restore;

use std::sync::Arc;

use catalog::{AccessLevel, ViewDefinition};
use errors::Result;
use storage::Database;

use crate::session::Session;

pub(crate) use former::take_over_settings;

impl Session {
    /// Returns the views of the database that the user sees, by name. Errors: 11.
    pub fn views(&self) -> Result<Vec<Arc<ViewDefinition>>> {
        self.require_database(AccessLevel::ReadOnly)?;
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let is_seen = |view: &&Arc<ViewDefinition>| self.require_view(database, view).is_ok();
        Ok(database.views().filter(is_seen).cloned().collect())
    }

    /// Returns a view by name or number. Errors: 1203; 11 without rights on its collections.
    pub fn view(&self, name: &str) -> Result<Arc<ViewDefinition>> {
        self.require_database(AccessLevel::ReadOnly)?;
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let view = database.require_view(name)?;
        self.require_view(database, view)?;
        Ok(Arc::clone(view))
    }

    /// Checks that the user may read all collections of a view. Errors: 11.
    pub(crate) fn require_view(&self, database: &Database, view: &ViewDefinition) -> Result<()> {
        let mut indexes = database.view_indexes(view);
        indexes
            .try_for_each(|(collection, _)| self.require_collection(collection.name(), AccessLevel::ReadOnly))
    }
}
