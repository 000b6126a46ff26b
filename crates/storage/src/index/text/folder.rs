//! The folders of segments: `<folder>/<object>/<segment>`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use catalog::ObjectId;

/// Returns the folder of an index.
pub(crate) fn of_index(folder: &Path, object: ObjectId) -> PathBuf {
    folder.join(object.0.to_string())
}

/// Returns the folder of a segment in that of its index.
pub(crate) fn of_segment(folder: &Path, segment: u64) -> PathBuf {
    folder.join(segment.to_string())
}

/// Removes a folder with all that is in it.
///
/// A failure leaves files that nobody reads; the next start removes them.
pub(crate) fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

/// Removes everything in a folder but the folders with these numbers.
pub(crate) fn keep_only(folder: &Path, kept: &HashSet<u64>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if !number.is_some_and(|number| kept.contains(&number)) {
            remove(&entry.path());
        }
    }
}

/// Returns the bytes and the number of the files in a folder.
pub(crate) fn size(folder: &Path) -> (u64, u64) {
    let Ok(entries) = fs::read_dir(folder) else { return (0, 0) };
    let sizes = entries.flatten().filter_map(|entry| entry.metadata().ok());
    let sizes = sizes.filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    sizes.fold((0, 0), |(bytes, files), size| (bytes + size, files + 1))
}
