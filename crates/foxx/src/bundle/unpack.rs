//! The folders of installed services.
//!
//! A folder is written beside its place and moved there, with a file that names the bundle. So a
//! folder with that file is complete, whenever the server stopped. Only one thread at a time may
//! write the folder of a service.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use errors::{Error, ErrorCode, Result};

use super::contents::MARKER;

/// Maximum length of a checksum in bytes.
const CHECKSUM_MAX_BYTES: usize = 256;

/// Writes files into a folder, in the place of those that are there.
///
/// Errors: 15 if the file system refuses; the folder is then as before, or there is none.
pub(super) fn unpack(files: &BTreeMap<String, Vec<u8>>, folder: &Path, checksum: &str) -> Result<()> {
    if checksum.is_empty() || checksum.len() > CHECKSUM_MAX_BYTES {
        let message = format!("a checksum has 1 to {CHECKSUM_MAX_BYTES} bytes, not {}", checksum.len());
        return Err(Error::bad_parameter(message));
    }
    let place = Place::of(folder)?;
    let failed = |error: io::Error| unwritable(folder, &error);
    fs::create_dir_all(&place.parent).map_err(failed)?;
    remove_if_there(&place.new).map_err(failed)?;
    let written = write_files(files, &place.new, checksum).and_then(|()| exchange(folder, &place));
    if written.is_err() {
        // The first error is the one to report, and the next attempt removes it anyway.
        let _ = remove_if_there(&place.new);
    }
    written.map_err(failed)
}

/// Returns true if a folder has all files of the bundle with this checksum.
pub(super) fn is_complete(folder: &Path, checksum: &str) -> bool {
    let Ok(file) = File::open(folder.join(MARKER)) else { return false };
    let mut text = String::new();
    let read = file.take(CHECKSUM_MAX_BYTES as u64 + 1).read_to_string(&mut text);
    read.is_ok() && text == checksum
}

/// Removes the folder of a service, and what an interrupted write has left beside it.
///
/// Errors: 15 if the file system refuses. A folder that is not there is no error.
pub(super) fn remove(folder: &Path) -> Result<()> {
    let failed = |error: io::Error| unwritable(folder, &error);
    let place = Place::of(folder)?;
    if folder.exists() {
        remove_if_there(&place.old).map_err(failed)?;
        fs::rename(folder, &place.old).map_err(failed)?;
        sync_folder(&place.parent).map_err(failed)?;
    }
    remove_if_there(&place.new).map_err(failed)?;
    remove_if_there(&place.old).map_err(failed)?;
    // Succeeds only where nothing else is mounted below.
    let _ = fs::remove_dir(&place.parent);
    Ok(())
}

/// The names beside a service's folder. Mount points have no dots, so no service has these.
struct Place {
    parent: PathBuf,
    new: PathBuf,
    old: PathBuf,
}

impl Place {
    fn of(folder: &Path) -> Result<Place> {
        let name = folder.file_name().and_then(|name| name.to_str());
        let (Some(parent), Some(name)) = (folder.parent(), name) else {
            return Err(Error::bad_parameter(format!("'{}' is no folder for a service", folder.display())));
        };
        let beside = |end: &str| parent.join(format!(".{name}.{end}"));
        Ok(Place { parent: parent.to_owned(), new: beside("new"), old: beside("old") })
    }
}

/// Writes all files, and the marker after them, and waits until they are on disk.
fn write_files(files: &BTreeMap<String, Vec<u8>>, folder: &Path, checksum: &str) -> io::Result<()> {
    fs::create_dir(folder)?;
    let mut folders = BTreeSet::from([folder.to_owned()]);
    for (path, bytes) in files {
        let path = folder.join(path);
        let parents = path.ancestors().skip(1).take_while(|parent| *parent != folder);
        folders.extend(parents.map(Path::to_owned));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        write_file(&path, bytes)?;
    }
    write_file(&folder.join(MARKER), checksum.as_bytes())?;
    folders.iter().rev().try_for_each(|folder| sync_folder(folder))
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Moves the new folder to its place.
fn exchange(folder: &Path, place: &Place) -> io::Result<()> {
    remove_if_there(&place.old)?;
    if folder.exists() {
        fs::rename(folder, &place.old)?;
    }
    if let Err(error) = fs::rename(&place.new, folder) {
        // The old service is better than none, and the first error the one to report.
        let _ = fs::rename(&place.old, folder);
        return Err(error);
    }
    // The new folder is in its place. The next write removes what is left of the old one.
    let _ = remove_if_there(&place.old);
    sync_folder(&place.parent)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn remove_if_there(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn unwritable(folder: &Path, error: &io::Error) -> Error {
    let message = format!("the folder '{}' of a service cannot be written: {error}", folder.display());
    Error::new(ErrorCode::CannotWriteFile, message)
}
