//! Views in the form that clients know, with names in place of numbers.

use catalog::ViewDefinition;
use errors::Result;
use velocypack::Builder;

use super::Database;

impl Database {
    /// Prints a view of this database with its links or indexes into an object that is open in
    /// `out`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print_view(&self, view: &ViewDefinition, out: &mut Builder) -> Result<()> {
        view.print_properties(out)?;
        if view.arangosearch().is_some() {
            out.key("links")?;
            out.open_object()?;
            for (collection, index) in self.view_indexes(view) {
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
                let Some(collection) = self.collection_by_id(own.collection) else { continue };
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
}
