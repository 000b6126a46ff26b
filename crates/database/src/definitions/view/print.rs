//! Views as clients see them.

use catalog::ViewDefinition;
use errors::Result;
use storage::Database;
use velocypack::Builder;

use crate::session::Session;

impl Session {
    /// Prints a view with its links or indexes into an object that is open in `out`.
    ///
    /// Prints the view with the same number in the present catalog, or `view` if that was dropped.
    /// Errors: 1228.
    pub fn print_view(&self, view: &ViewDefinition, out: &mut Builder) -> Result<()> {
        let catalog = self.catalog();
        let database = self.database_in(&catalog)?;
        let present = database.view_by_id(view.id).map_or(view, |view| &**view);
        print_view(database, present, out)
    }
}

/// Prints a view of a database as [`Session::print_view`] does.
pub(crate) fn print_view(database: &Database, view: &ViewDefinition, out: &mut Builder) -> Result<()> {
    view.print_properties(out)?;
    if view.arangosearch().is_some() {
        out.key("links")?;
        out.open_object()?;
        for (collection, index) in database.view_indexes(view) {
            let Some(link) = index.definition().properties.as_link() else { continue };
            out.key(collection.name())?;
            out.open_object()?;
            link.print(out)?;
            out.close()?;
        }
    } else {
        out.key("indexes")?;
        out.open_array()?;
        for own in view.alias_indexes() {
            let Some(collection) = database.collection_by_id(own.collection) else { continue };
            let Some(index) = collection.index(own.index) else { continue };
            out.open_object()?;
            out.key("collection")?;
            out.add_str(collection.name())?;
            out.key("index")?;
            out.add_str(index.name())?;
            out.close()?;
        }
    }
    Ok(out.close()?)
}
