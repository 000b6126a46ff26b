//! Definitions of views: those of a restored dump are stored and appear in the next dump.
//!
//! No search uses them yet. Each database has one value in the store's settings: an array of
//! definitions.

use catalog::{AccessLevel, DatabaseId};
use storage::Database;
use velocypack::{Builder, Slice};

use crate::session::Session;
use errors::{Error, ErrorCode, Result};

/// Most bytes of all definitions of a database.
const VIEWS_MAX_BYTES: usize = 16 << 20;
const VIEW_TYPES: [&str; 2] = ["arangosearch", "search-alias"];

fn setting(database: DatabaseId) -> String {
    format!("views/{database}")
}

impl Session {
    /// Returns the definitions of a database's views as a VelocyPack array.
    pub(crate) fn kept_views(&self, database: &Database) -> Result<Vec<u8>> {
        let kept = self.instance().store().setting(&setting(database.definition().id))?;
        Ok(kept.unwrap_or_else(|| Slice::EMPTY_ARRAY.bytes().to_vec()))
    }

    /// Stores a view's definition. With `overwrite` it replaces the one with the same name.
    ///
    /// Errors: 10, 11, 1207, 1208, 32.
    pub fn restore_view(&self, definition: Slice<'_>, overwrite: bool) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        let text = |name: &str| definition.get(name).and_then(Slice::as_str).filter(|text| !text.is_empty());
        let name =
            text("name").ok_or_else(|| Error::bad_parameter("a view's definition must have a 'name'"))?;
        let view_type = text("type").filter(|found| VIEW_TYPES.contains(found));
        view_type
            .ok_or_else(|| Error::bad_parameter("a view's 'type' must be arangosearch or search-alias"))?;
        // Held so that no concurrent request's view is lost.
        let _changes = self.instance().graph_changes();
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let taken = database.collection(name).is_some_and(|collection| collection.name() == name);
        let kept = self.kept_views(database)?;
        let is_same = |view: &Slice<'_>| is_called(*view, name);
        if taken || (!overwrite && Slice::new(&kept).elements().any(|view| is_same(&view))) {
            let message = format!("duplicate name: a collection or view '{name}' exists");
            return Err(Error::new(ErrorCode::DuplicateName, message));
        }
        let others = Slice::new(&kept).elements().filter(|view| !is_same(view));
        let out = array(others.chain(std::iter::once(definition)))?;
        if out.len_bytes() > VIEWS_MAX_BYTES {
            let message = format!(
                "resource limit exceeded: the views of a database take at most {VIEWS_MAX_BYTES} bytes"
            );
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        self.instance().store().put_setting(&setting(database.definition().id), out.as_bytes())
    }

    /// Returns the definitions of the database's views as a VelocyPack array.
    pub fn views(&self) -> Result<Vec<u8>> {
        self.require_database(AccessLevel::ReadOnly)?;
        let catalog = self.catalog();
        self.kept_views(self.database_in(&catalog)?)
    }

    /// Returns the definition of one view. Errors: 11, 1203.
    pub fn view(&self, name: &str) -> Result<Vec<u8>> {
        let views = self.views()?;
        let view = Slice::new(&views).elements().find(|view| is_called(*view, name));
        Ok(view.ok_or_else(|| not_found(name))?.bytes().to_vec())
    }

    /// Forgets a view. Errors: 11, 1203.
    pub fn remove_view(&self, name: &str) -> Result<()> {
        self.require_database(AccessLevel::ReadWrite)?;
        // Held so that no concurrent request restores a removed view.
        let _changes = self.instance().graph_changes();
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let kept = self.kept_views(database)?;
        if !Slice::new(&kept).elements().any(|view| is_called(view, name)) {
            return Err(not_found(name));
        }
        let others = array(Slice::new(&kept).elements().filter(|view| !is_called(*view, name)))?;
        self.instance().store().put_setting(&setting(database.definition().id), others.as_bytes())
    }

    /// Forgets the views of a dropped database.
    pub(crate) fn forget_views(&self, database: DatabaseId) -> Result<()> {
        self.instance().store().remove_setting(&setting(database))
    }
}

fn is_called(view: Slice<'_>, name: &str) -> bool {
    view.get("name").and_then(Slice::as_str) == Some(name)
}

fn array<'a>(views: impl Iterator<Item = Slice<'a>>) -> Result<Builder> {
    let mut out = Builder::new();
    out.open_array()?;
    for view in views {
        out.add_slice(view)?;
    }
    out.close()?;
    Ok(out)
}

fn not_found(name: &str) -> Error {
    Error::collection_not_found(name)
}
