//! Views as clients see them.

use catalog::ViewDefinition;
use errors::Result;
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
        database.print_view(present, out)
    }
}
