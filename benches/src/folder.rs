//! The size of folders.

use std::fs;
use std::path::Path;

use crate::Failure;

/// Returns the bytes of all files below a folder; none if it is not there.
///
/// Files that a running server removes during the count are ignored.
pub(crate) fn bytes_below(folder: &Path) -> Result<u64, Failure> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(0) };
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else { continue };
        bytes += if metadata.is_dir() { bytes_below(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}
