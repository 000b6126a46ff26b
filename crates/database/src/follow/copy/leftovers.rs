//! Definitions here that the other server does not have any more.
//!
//! A copy that goes over an earlier one drops them, and so does one that goes on after an
//! interruption: a collection may have another name since then, and its number belongs to the one
//! that is copied now.

use catalog::SYSTEM_DATABASE;
use errors::Result;
use velocypack::Slice;

use super::super::described::Described;
use super::super::kept::Kept;
use super::super::restored_indexes;
use super::super::work::Work;
use crate::session::Session;

/// Drops the databases that the other server does not have.
///
/// Errors: those of the engine.
pub(super) fn drop_databases(work: &Work, kept: &Kept, there: &[String]) -> Result<()> {
    let store = work.instance.store();
    let catalog = store.catalog();
    for database in catalog.databases().map(|database| database.name()) {
        let is_there = there.iter().any(|name| name == database);
        if database != SYSTEM_DATABASE && kept.source.includes(database) && !is_there {
            store.drop_database(database)?;
        }
    }
    Ok(())
}

/// Drops the collections, indexes and views that the other server does not have.
///
/// Errors: those of the engine.
pub(super) fn drop_collections(
    work: &Work,
    session: &Session,
    there: &[Described<'_>],
    inventory: Slice<'_>,
) -> Result<()> {
    let store = work.instance.store();
    let catalog = session.catalog();
    let database = session.database_in(&catalog)?;
    let names = |list: &str, path: &[&str]| -> Vec<String> {
        let elements = inventory.get(list).into_iter().flat_map(Slice::elements);
        elements.filter_map(|element| element.get_path(path)?.as_str().map(str::to_owned)).collect()
    };
    let views = names("views", &["name"]);
    for view in database.views().filter(|view| !views.contains(&view.name)) {
        store.drop_view(database.name(), view.id)?;
    }
    for collection in database.collections().filter(|found| !found.definition().properties.is_system) {
        let unique_id = &collection.definition().globally_unique_id;
        let found =
            there.iter().find(|there| there.unique_id == *unique_id && there.name == collection.name());
        match found {
            None => store.drop_collection(collection, true)?,
            Some(there) => restored_indexes::drop_others(session, collection, there.definition)?,
        }
    }
    Ok(())
}
