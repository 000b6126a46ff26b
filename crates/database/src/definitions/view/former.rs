//! Views of stores that an earlier version has written.
//!
//! They were definitions from restored dumps, kept as a setting of the store, and nothing searched
//! them. They become views when the server starts.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::instance::Instance;
use crate::session::{Identity, Session};

/// Makes views of the definitions in settings. A definition that does not fit any more is omitted,
/// with a warning.
///
/// Errors: those of the store.
pub(crate) fn take_over_settings(instance: &Arc<Instance>) -> Result<()> {
    for database in instance.catalog().databases() {
        let setting = format!("views/{}", database.definition().id);
        let Some(kept) = instance.store().setting(&setting)? else { continue };
        let session = Session::open(Arc::clone(instance), database.name(), Identity::Superuser)?;
        for view in Slice::new(&kept).elements() {
            match session.restore_view(view, false) {
                Ok(()) => {}
                Err(error) if is_of_definition(&error) => {
                    let name = view.get("name").and_then(Slice::as_str).unwrap_or_default();
                    tracing::warn!(
                        target: "views",
                        "skipped view '{name}' of database '{}': {error}", database.name()
                    );
                }
                Err(error) => return Err(error),
            }
        }
        instance.store().remove_setting(&setting)?;
    }
    Ok(())
}

/// Returns true if a later start would not take the view over either.
fn is_of_definition(error: &Error) -> bool {
    matches!(
        error.code(),
        ErrorCode::BadParameter
            | ErrorCode::DataSourceNotFound
            | ErrorCode::DuplicateName
            | ErrorCode::IllegalName
            | ErrorCode::IndexCreationFailed
            | ErrorCode::IndexNotFound
    )
}
