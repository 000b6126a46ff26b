//! The views of a copied database.

use errors::Result;
use velocypack::Slice;

use super::names;
use crate::session::Session;
use crate::state::following::Problem;

/// Creates a view or changes the one with its name, and notes its numbers. One that cannot be
/// created is told to `report`.
///
/// Errors: passing ones of the engine.
pub(super) fn restore(session: &Session, view: Slice<'_>, report: &dyn Fn(Problem)) -> Result<()> {
    names::note_view(session.instance().store(), view)?;
    let name = view.get("name").and_then(Slice::as_str).unwrap_or_default();
    let restored = match session.view(name) {
        Ok(_) => session.change_view(name, view, false).map(drop),
        Err(_) => session.restore_view(view, true),
    };
    match restored {
        Err(error) if error.is_retryable() => return Err(error),
        Err(error) => report(Problem {
            what: format!("view '{name}'"),
            place: session.database_name().to_string(),
            effect: format!("it is not here: {error}"),
        }),
        Ok(()) => {}
    }
    Ok(())
}
