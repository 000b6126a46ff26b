//! Applies changes of definitions. Each may come again after a crash, and then changes nothing.

use std::sync::Arc;

use catalog::collection::CollectionProperties;
use catalog::{CollectionChanges, SYSTEM_DATABASE};
use errors::{Error, ErrorCode, Result};
use storage::{Catalog, Collection, Database, Store};
use velocypack::{Builder, Slice};

use super::entry::{Entry, EntryKind};
use super::names::{self, Numbered};
use super::work::report;
use crate::instance::Instance;
use crate::session::{Identity, Session};
use crate::state::following::Problem;
use crate::transfer::restore::SkippedIndex;

/// The type of the indexes that are links of views.
const LINK: &str = "arangosearch";

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
        (EntryKind::IndexCreated, Some(collection)) => create_index(session, collection, entry),
        (EntryKind::IndexDropped, Some(collection)) => drop_index(session, collection, entry),
        (EntryKind::ViewCreated | EntryKind::ViewChanged, _) => change_view(session, entry),
        (EntryKind::ViewDropped, _) => match database.view(&view_name(store, entry)?) {
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
/// Errors: 10 without one.
fn name_in<'a>(entry: &Entry<'a>) -> Result<&'a str> {
    entry.data.get("name").and_then(Slice::as_str).ok_or_else(|| nameless(entry))
}

fn nameless(entry: &Entry<'_>) -> Error {
    let message = format!(
        "the entry {} of the log has no 'name' in its data, and no earlier entry names its number",
        entry.tick
    );
    Error::bad_parameter(message)
}

fn create_index(session: &Session, collection: &Collection, entry: &Entry<'_>) -> Result<()> {
    let (store, data) = (session.instance().store(), entry.data);
    if data.get("type").and_then(Slice::as_str) == Some(LINK) {
        return create_link(session, collection, entry);
    }
    let name = match SkippedIndex::of_unknown(data).filter(|_| store.is_following()) {
        None => {
            let properties = session.index_properties(data)?;
            store.create_index(collection, properties)?.0.definition().name.clone()
        }
        Some(skipped) => {
            let place = format!("{}/{}", session.database_name(), collection.name());
            report(session.instance().following(), Problem::of_skipped(&skipped, &place));
            // The entry of its end may have only its number.
            skipped.name
        }
    };
    match Numbered::index(entry.unique_id, data) {
        Some(number) => names::note(store, number, &name),
        None => Ok(()),
    }
}

/// Adds a link to its view. ArangoDB's log has links as indexes; Persea's log has them in the
/// entries of views.
fn create_link(session: &Session, collection: &Collection, entry: &Entry<'_>) -> Result<()> {
    let view = entry.data.get("view").and_then(Slice::as_str).unwrap_or_default();
    change_link(session, collection, view, entry.data)?;
    match Numbered::index(entry.unique_id, entry.data) {
        Some(number) => names::note_link(session.instance().store(), number, view),
        None => Ok(()),
    }
}

/// Sets the link of a view to a collection; null removes it.
fn change_link(session: &Session, collection: &Collection, view: &str, link: Slice<'_>) -> Result<()> {
    let store = session.instance().store();
    let Some(view) = names::find(store, Numbered::View(view))? else { return Ok(()) };
    let mut changes = Builder::new();
    changes.open_object()?;
    changes.key("links")?;
    changes.open_object()?;
    changes.key(collection.name())?;
    changes.add_slice(link)?;
    changes.close()?;
    changes.close()?;
    match session.change_view(&view, changes.as_slice(), true) {
        // It was dropped after this entry.
        Err(error) if error.code() == ErrorCode::DataSourceNotFound => Ok(()),
        changed => changed.map(drop),
    }
}

fn drop_index(session: &Session, collection: &Collection, entry: &Entry<'_>) -> Result<()> {
    let store = session.instance().store();
    let name = match entry.data.get("name").and_then(Slice::as_str) {
        Some(name) => name.to_owned(),
        None => {
            let number = Numbered::index(entry.unique_id, entry.data).ok_or_else(|| nameless(entry))?;
            if let Some(view) = names::find_link(store, number)? {
                return change_link(session, collection, &view, Slice::NULL);
            }
            names::find(store, number)?.ok_or_else(|| nameless(entry))?
        }
    };
    let mut indexes = collection.indexes().iter();
    match indexes.find(|index| index.is_user_defined() && index.definition().name == name) {
        Some(index) => store.drop_index(collection, index.id()),
        // It was dropped when this entry was applied before.
        None => Ok(()),
    }
}

/// Creates a view, or changes the one with the same number, which may have another name.
fn change_view(session: &Session, entry: &Entry<'_>) -> Result<()> {
    let (store, data) = (session.instance().store(), entry.data);
    let name = name_in(entry)?;
    let numbers = ["globallyUniqueId", "id"].into_iter();
    let known = numbers.filter_map(|number| data.get(number)?.as_str());
    for number in known {
        match names::find(store, Numbered::View(number))? {
            Some(before) if before != name => match session.rename_view(&before, name) {
                // It was renamed when this entry was applied before.
                Err(error) if error.code() == ErrorCode::DataSourceNotFound => {}
                renamed => drop(renamed?),
            },
            _ => continue,
        }
        break;
    }
    let catalog = session.catalog();
    match session.database_in(&catalog)?.view(name) {
        None => session.restore_view(data, true)?,
        // Its entry has no links: they come as indexes, or did not change.
        Some(_) => drop(session.change_view(name, data, data.get("links").is_none())?),
    }
    names::note_view(store, data)
}

/// Returns the name of the view that an entry drops.
fn view_name(store: &Store, entry: &Entry<'_>) -> Result<String> {
    if let Some(name) = entry.data.get("name").and_then(Slice::as_str) {
        return Ok(name.to_owned());
    }
    let numbers = [Some(entry.unique_id), entry.data.get("id").and_then(Slice::as_str)];
    for number in numbers.into_iter().flatten().filter(|number| !number.is_empty()) {
        if let Some(name) = names::find(store, Numbered::View(number))? {
            return Ok(name);
        }
    }
    Err(nameless(entry))
}
