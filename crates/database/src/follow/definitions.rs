//! Applies changes of definitions. Each may come again after a crash, and then changes nothing.

use std::sync::Arc;

use catalog::collection::CollectionProperties;
use catalog::{CollectionChanges, SYSTEM_DATABASE};
use errors::{Error, ErrorCode, Result};
use storage::{Catalog, Collection, Database};
use velocypack::Slice;

use super::entry::{Entry, EntryKind};
use crate::instance::Instance;
use crate::session::{Identity, Session};

/// Returns the database that the log of the other server names; `None` if it `may_lack`.
///
/// Errors: 1228.
pub(super) fn database_of<'a>(
    catalog: &'a Catalog,
    name: &str,
    may_lack: bool,
) -> Result<Option<&'a Arc<Database>>> {
    let found = catalog.database(name);
    if found.is_none() && !may_lack {
        let message = format!("the log names the database '{name}', which is not here");
        return Err(Error::new(ErrorCode::DatabaseNotFound, message));
    }
    Ok(found)
}

/// Returns the collection that the log of the other server names; `None` if it `may_lack`.
///
/// Errors: 1203.
pub(super) fn collection_of<'a>(
    database: &'a Database,
    unique_id: &str,
    may_lack: bool,
) -> Result<Option<&'a Arc<Collection>>> {
    let found = find(database, unique_id);
    if found.is_none() && !may_lack {
        let message = format!(
            "the log names a collection '{unique_id}', which the database '{}' does not have here",
            database.name()
        );
        return Err(Error::new(ErrorCode::DataSourceNotFound, message));
    }
    Ok(found)
}

fn find<'a>(database: &'a Database, unique_id: &str) -> Option<&'a Arc<Collection>> {
    database.collections().find(|collection| collection.definition().globally_unique_id == unique_id)
}

/// Applies a change of a definition.
///
/// Errors: those of the change.
pub(super) fn apply(instance: &Arc<Instance>, entry: &Entry<'_>, may_lack: bool) -> Result<()> {
    let store = instance.store();
    match entry.kind {
        EntryKind::DatabaseCreated => match store.create_database(entry.database) {
            Err(error) if error.code() == ErrorCode::DuplicateName => Ok(()),
            created => created.map(drop),
        },
        EntryKind::DatabaseDropped if entry.database == SYSTEM_DATABASE => {
            Err(Error::bad_parameter("the log drops the database '_system'"))
        }
        EntryKind::DatabaseDropped => match store.drop_database(entry.database) {
            Err(error) if error.code() == ErrorCode::DatabaseNotFound => Ok(()),
            dropped => dropped.map(drop),
        },
        _ => match database_of(&store.catalog(), entry.database, may_lack)? {
            Some(_) => {
                let session = Session::open(Arc::clone(instance), entry.database, Identity::Superuser)?;
                match apply_within(&session, entry) {
                    // A later collection has the name in the copy. The log comes to that.
                    Err(error) if may_lack && error.code() == ErrorCode::DuplicateName => Ok(()),
                    applied => applied,
                }
            }
            None => Ok(()),
        },
    }
}

fn apply_within(session: &Session, entry: &Entry<'_>) -> Result<()> {
    let catalog = session.catalog();
    let database = session.database_in(&catalog)?;
    let (store, data) = (session.instance().store(), entry.data);
    let present = find(database, entry.unique_id);
    match (entry.kind, present) {
        (EntryKind::CollectionCreated, None) => create(session, entry),
        (EntryKind::CollectionDropped, Some(collection)) => store.drop_collection(collection, true),
        (EntryKind::CollectionRenamed, Some(collection)) => {
            let name = name_in(entry)?;
            match collection.name() == name {
                true => Ok(()),
                false => store.rename_collection(collection, name).map(drop),
            }
        }
        (EntryKind::CollectionChanged, Some(collection)) => {
            store.change_properties(collection, CollectionChanges::parse(data)?).map(drop)
        }
        (EntryKind::Truncated, Some(collection)) => store.truncate(collection),
        (EntryKind::IndexCreated, Some(collection)) => {
            let properties = session.index_properties(data)?;
            store.create_index(collection, properties).map(drop)
        }
        (EntryKind::IndexDropped, Some(collection)) => drop_index(session, collection, name_in(entry)?),
        (EntryKind::ViewCreated | EntryKind::ViewChanged, _) => session.restore_view(data, true),
        (EntryKind::ViewDropped, _) => match database.view(name_in(entry)?) {
            Some(view) => store.drop_view(database.name(), view.id),
            None => Ok(()),
        },
        // It was applied before, or its collection is gone since then.
        _ => Ok(()),
    }
}

fn create(session: &Session, entry: &Entry<'_>) -> Result<()> {
    let parameters = entry.data.get("parameters").unwrap_or(entry.data);
    let mut properties = CollectionProperties::parse(parameters, false)?;
    properties.is_system = properties.name.starts_with('_');
    let store = session.instance().store();
    store.restore_collection(session.database_name(), properties, Some(entry.unique_id), false).map(drop)
}

/// Returns the name in the data of an entry.
///
/// Errors: 10 without one: indexes and views have other numbers here, so a number does not tell
/// which is meant.
fn name_in<'a>(entry: &Entry<'a>) -> Result<&'a str> {
    entry.data.get("name").and_then(Slice::as_str).ok_or_else(|| {
        Error::bad_parameter(format!("the entry {} of the log has no 'name' in its data", entry.tick))
    })
}

fn drop_index(session: &Session, collection: &Collection, name: &str) -> Result<()> {
    let mut indexes = collection.indexes().iter();
    match indexes.find(|index| index.is_user_defined() && index.definition().name == name) {
        Some(index) => session.instance().store().drop_index(collection, index.id()),
        // It was dropped when this entry was applied before.
        None => Ok(()),
    }
}
