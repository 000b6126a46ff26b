//! The names of a database, which collections and views share.

use errors::{Error, ErrorCode, Result};

use crate::Database;

/// Checks that no collection and no view has the name. Errors: 1207.
pub(super) fn check_name_is_free(database: &Database, name: &str) -> Result<()> {
    let kind = match (database.names.contains_key(name), database.has_name(name)) {
        (true, _) => "collection",
        (false, true) => "view",
        (false, false) => return Ok(()),
    };
    Err(Error::new(ErrorCode::DuplicateName, format!("duplicate name: {kind} '{name}' exists")))
}
