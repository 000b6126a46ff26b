//! The databases and definitions that entries of the change log are about, as clients know them.

use std::collections::HashMap;
use std::sync::Arc;

use catalog::{
    CollectionDefinition, DatabaseDefinition, DatabaseId, IndexDefinition, Record, UserDefinition,
    ViewDefinition,
};
use errors::Result;
use storage::{Change, ChangeKind};
use velocypack::{Builder, Slice};

use crate::session::Session;

/// Returns the names of all databases.
pub(super) fn database_names(session: &Session) -> HashMap<DatabaseId, Arc<str>> {
    let catalog = session.catalog();
    catalog.databases().map(|database| (database.definition().id, Arc::from(database.name()))).collect()
}

/// Returns the definition of an entry as clients know it; `None` for a truncation. Only
/// administrators see the rules of collections.
///
/// Errors: 1102 for damage.
pub(super) fn definition(change: &Change<'_>, is_administrator: bool) -> Result<Option<Vec<u8>>> {
    let mut out = Builder::new();
    out.open_object()?;
    let record = change.definition;
    match change.kind {
        ChangeKind::DatabaseCreated | ChangeKind::DatabaseDropped => {
            DatabaseDefinition::from_record(record)?.print(&mut out)?;
        }
        ChangeKind::CollectionCreated
        | ChangeKind::CollectionDropped
        | ChangeKind::CollectionRenamed
        | ChangeKind::CollectionChanged => {
            let definition = CollectionDefinition::from_record(record)?;
            definition.print_dump(&mut out, 0)?;
            // A change may have removed the rules.
            let is_told = change.kind == ChangeKind::CollectionChanged || definition.has_access_rules();
            if is_administrator && is_told {
                definition.print_access_rules_for_copy(&mut out)?;
            }
        }
        ChangeKind::IndexCreated | ChangeKind::IndexDropped => {
            IndexDefinition::from_record(record)?.print_dump(&mut out)?;
        }
        ChangeKind::ViewCreated | ChangeKind::ViewDropped | ChangeKind::ViewChanged => {
            // Logs of earlier versions have the record, whose `id` is a number.
            if Slice::new(record).get("id").is_some_and(Slice::is_string) {
                return Ok(Some(record.to_vec()));
            }
            ViewDefinition::from_record(record)?.print_properties(&mut out)?;
        }
        ChangeKind::UserChanged | ChangeKind::UserRemoved => {
            UserDefinition::from_record(record)?.print(&mut out)?;
        }
        _ => return Ok(None),
    }
    out.close()?;
    Ok(Some(out.into_vec()))
}
