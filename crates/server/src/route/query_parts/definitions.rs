//! The definitions of indexes and views as values.

use catalog::ViewDefinition;
use database::Session;
use errors::Result;
use storage::{Collection, Index};
use velocypack::Builder;

/// Returns the definition of an index, without its selectivity, which depends on documents that the
/// user may not see.
pub(in crate::route) fn of_index(collection: &Collection, index: &Index) -> Result<Builder> {
    let mut builder = Builder::new();
    builder.open_object()?;
    index.definition().print(&mut builder, collection.name(), None)?;
    builder.close()?;
    Ok(builder)
}

/// Returns the definition of a view.
pub(in crate::route) fn of_view(session: &Session, view: &ViewDefinition) -> Result<Builder> {
    let mut builder = Builder::new();
    builder.open_object()?;
    session.print_view(view, &mut builder)?;
    builder.close()?;
    Ok(builder)
}
