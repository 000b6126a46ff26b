//! The indexes of a copied collection.

use errors::Result;
use storage::{Collection, Index};
use velocypack::Slice;

use super::described::Described;
use super::names::{self, Numbered};
use crate::session::Session;
use crate::state::following::Problem;

/// Creates the indexes of a collection, and notes their numbers. Those that cannot be created are
/// told to `report`.
///
/// Errors: passing ones of the engine.
pub(super) fn restore(session: &Session, collection: &Described<'_>, report: &dyn Fn(Problem)) -> Result<()> {
    let store = session.instance().store();
    for index in collection.definition.get("indexes").into_iter().flat_map(Slice::elements) {
        let name = index.get("name").and_then(Slice::as_str);
        if let (Some(name), Some(number)) = (name, Numbered::index(collection.unique_id, index)) {
            names::note(store, number, name)?;
        }
    }
    let place = format!("{}/{}", session.database_name(), collection.name);
    match session.restore_indexes(collection.definition, true) {
        Err(error) if error.is_retryable() => return Err(error),
        Err(error) => {
            report(Problem { what: "an index".to_owned(), place, effect: format!("it is not here: {error}") })
        }
        Ok(skipped) => skipped.iter().for_each(|index| report(Problem::of_skipped(index, &place))),
    }
    Ok(())
}

/// Drops the indexes that a definition does not have in this form under this name. Links go with
/// their views.
///
/// Errors: 18 while somebody else holds the collection, those of the engine.
pub(super) fn drop_others(session: &Session, collection: &Collection, definition: Slice<'_>) -> Result<()> {
    let wanted: Vec<Slice<'_>> = definition.get("indexes").into_iter().flat_map(Slice::elements).collect();
    let is_wanted = |index: &Index| {
        let own = index.definition();
        let mut named = wanted
            .iter()
            .filter(|wanted| wanted.get("name").and_then(Slice::as_str) == Some(own.name.as_str()));
        // One that cannot be read cannot be created either, which is told elsewhere.
        named.any(|wanted| session.index_properties(*wanted).map_or(true, |wanted| own.is_same_as(&wanted)))
    };
    let own = collection.indexes().iter();
    let own = own.filter(|index| index.is_user_defined() && index.view().is_none());
    for index in own.filter(|index| !is_wanted(index)) {
        session.instance().store().drop_index(collection, index.id())?;
    }
    Ok(())
}
