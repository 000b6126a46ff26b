//! Restored views.

use catalog::view::NewView;
use catalog::{AccessLevel, ViewDefinition};
use errors::{Error, ErrorCode, Result};
use storage::Database;
use velocypack::Slice;

use crate::session::Session;

impl Session {
    /// Creates a view from its definition in a dump. With `overwrite` it replaces the view with the
    /// same name.
    ///
    /// Errors: 10, 11, 1203, 1207, 1208, 1212, 18.
    pub fn restore_view(&self, definition: Slice<'_>, overwrite: bool) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        let new = NewView::parse(definition)?;
        let _changes = self.instance().view_changes.hold();
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        if let Some(present) = named(database, &new.name) {
            if !overwrite {
                let message = format!("duplicate name: view '{}' exists", new.name);
                return Err(Error::new(ErrorCode::DuplicateName, message));
            }
            self.require_view(database, present)?;
            self.instance().store().drop_view(self.database_name(), present.id)?;
        }
        self.create_view_of(new, definition)?;
        Ok(())
    }
}

/// Returns the view with exactly this name.
fn named<'a>(database: &'a Database, name: &str) -> Option<&'a ViewDefinition> {
    database.view(name).map(|view| &**view).filter(|view| view.name == name)
}
