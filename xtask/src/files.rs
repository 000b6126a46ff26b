//! The files of the repository.

use std::path::PathBuf;
use std::process::Command;

use crate::Failure;

/// Returns the tracked files whose paths match `pattern`, such as `*.md`, relative to the root.
pub(crate) fn tracked(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let output = Command::new("git")
        .args(["ls-files", pattern])
        .output()
        .map_err(|error| format!("git ls-files could not be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect())
}
