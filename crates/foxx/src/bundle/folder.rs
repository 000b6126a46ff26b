//! Bundles as folders.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use errors::{Error, ErrorCode, Result};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RawMode, fstat, open, openat, statat};

use super::Limits;
use super::contents::{Contents, MARKER, checked_path, refused, root_of};

/// Reads the files of a folder that are in the folder of its manifest.
///
/// Each folder and file is opened in the one before, and links are not followed, so a change of the
/// folder in the meantime leads nowhere else.
pub(super) fn read(folder: &Path, limits: &Limits) -> Result<BTreeMap<String, Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = open(folder, flags, Mode::empty()).map_err(|error| {
        let message = format!("the folder '{}' cannot be opened: {error}", folder.display());
        Error::new(ErrorCode::ServiceSourceNotFound, message)
    })?;
    let mut contents = Contents::new(limits);
    walk(&opened, "", limits, &mut contents)?;
    let files = contents.finish()?;
    let root = root_of(files.keys().map(String::as_str))?;
    if root.is_empty() {
        return Ok(files);
    }
    let inner = |(path, bytes): (String, Vec<u8>)| Some((path.strip_prefix(&root)?.to_owned(), bytes));
    Ok(files.into_iter().filter_map(inner).filter(|(path, _)| path != MARKER).collect())
}

/// Reads a folder and those in it. The maximum depth of a path bounds the recursion.
fn walk(folder: &OwnedFd, path: &str, limits: &Limits, contents: &mut Contents<'_>) -> Result<()> {
    for name in names(folder, path, contents)? {
        let text = name.to_str().map_err(|_| {
            let name = name.to_string_lossy();
            refused(format!("the file '{name}' in the folder '{path}' has a name that is not UTF-8"))
        })?;
        if is_npms_programs(path, text) {
            continue;
        }
        let inner = if path.is_empty() { text.to_owned() } else { format!("{path}/{text}") };
        let inner = checked_path(&inner, limits)?;
        let failed = |error: rustix::io::Errno| unreadable(&inner, &error.into());
        let kind = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
        if kind_of(kind.st_mode).is_none() {
            return Err(special(&inner));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = openat(folder, &name, flags, Mode::empty()).map_err(failed)?;
        match kind_of(fstat(&opened).map_err(failed)?.st_mode) {
            Some(Kind::Folder) => walk(&opened, &inner, limits, contents)?,
            Some(Kind::File) => contents.read(inner, &mut File::from(opened))?,
            None => return Err(special(&inner)),
        }
    }
    Ok(())
}

/// Returns true for the folder of links that npm makes for the programs of packages. No service
/// requires them.
fn is_npms_programs(folder: &str, name: &str) -> bool {
    name == ".bin" && folder.rsplit('/').next() == Some("node_modules")
}

/// Returns the names in a folder, without `.` and `..`, in their order.
fn names(folder: &OwnedFd, path: &str, contents: &mut Contents<'_>) -> Result<Vec<CString>> {
    let failed = |error: rustix::io::Errno| unreadable(path, &error.into());
    let mut names = Vec::new();
    for entry in Dir::read_from(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") {
            contents.count_entry()?;
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

enum Kind {
    File,
    Folder,
}

fn kind_of(mode: RawMode) -> Option<Kind> {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Folder),
        _ => None,
    }
}

fn special(path: &str) -> Error {
    refused(format!("'{path}' in the folder is a link or a special file; files must be plain"))
}

fn unreadable(path: &str, error: &io::Error) -> Error {
    refused(format!("'{path}' in the folder cannot be read: {error}"))
}
