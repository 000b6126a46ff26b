//! The folder of a trial, and what the trial says at its end.

use std::path::Path;

/// Maximum number of complaints that are printed.
const SHOWN_MAX: usize = 20;

/// Runs a trial in a temporary folder, which stays where the trial fails. Errors: text for the
/// user.
pub(crate) fn in_folder(run: impl FnOnce(&Path) -> Result<(), String>) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    run(folder.path()).map_err(|failure| format!("{failure}\nthe data are in {}", folder.keep().display()))
}

/// Returns the complaints as text for the user, if there are any.
///
/// A run without a fault or an acknowledged write is one more complaint.
pub(crate) fn of(faults: usize, writes: usize, mut wrong: Vec<String>) -> Result<(), String> {
    if faults == 0 || writes == 0 {
        wrong.push("the run proves nothing: no fault was injected, or no write was acknowledged".to_owned());
    }
    let count = wrong.len();
    wrong.truncate(SHOWN_MAX);
    if count == 0 { Ok(()) } else { Err(format!("{count} complaints:\n{}", wrong.join("\n"))) }
}
