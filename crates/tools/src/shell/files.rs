//! The file system for scripts.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use javascript::{EntryKind, Files, HostResult, Metadata, Packing, Unpacking};

use super::file_errors::{reading, writing};
use super::zip_archive;

/// The files that the user of the shell may reach.
pub(super) struct LocalFiles;

impl Files for LocalFiles {
    fn read(&self, path: &str) -> HostResult<Vec<u8>> {
        fs::read(path).map_err(|error| reading(path, &error).into())
    }

    fn write(&self, path: &str, content: &[u8], append: bool) -> HostResult<()> {
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(append).truncate(!append);
        let written = options.open(path).and_then(|mut file| file.write_all(content));
        written.map_err(|error| writing(path, &error).into())
    }

    fn metadata(&self, path: &str) -> HostResult<Option<Metadata>> {
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(reading(path, &error).into()),
        };
        let kind = match (found.is_file(), found.is_dir()) {
            (true, _) => EntryKind::File,
            (_, true) => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0.0, |time| time.as_secs_f64());
        Ok(Some(Metadata { kind, bytes: found.len(), modified }))
    }

    fn list(&self, path: &str) -> HostResult<Vec<String>> {
        let names = fs::read_dir(path).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        });
        names.map_err(|error| reading(path, &error).into())
    }

    fn make_directory(&self, path: &str, recursive: bool) -> HostResult<()> {
        let made = if recursive { fs::create_dir_all(path) } else { fs::create_dir(path) };
        made.map_err(|error| writing(path, &error).into())
    }

    fn remove(&self, path: &str) -> HostResult<()> {
        fs::remove_file(path).map_err(|error| writing(path, &error).into())
    }

    fn remove_directory(&self, path: &str, recursive: bool) -> HostResult<()> {
        let removed = if recursive { fs::remove_dir_all(path) } else { fs::remove_dir(path) };
        removed.map_err(|error| writing(path, &error).into())
    }

    fn rename(&self, from: &str, to: &str) -> HostResult<()> {
        fs::rename(from, to).map_err(|error| writing(from, &error).into())
    }

    fn copy(&self, from: &str, to: &str) -> HostResult<()> {
        fs::copy(from, to).map(|_| ()).map_err(|error| writing(to, &error).into())
    }

    fn link(&self, target: &str, path: &str) -> HostResult<()> {
        symlink(target, path).map_err(|error| writing(path, &error).into())
    }

    fn set_mode(&self, path: &str, mode: u32) -> HostResult<()> {
        let changed = fs::set_permissions(path, Permissions::from_mode(mode));
        changed.map_err(|error| writing(path, &error).into())
    }

    fn pack(&self, packing: &Packing<'_>) -> HostResult<()> {
        Ok(zip_archive::pack(packing)?)
    }

    fn unpack(&self, unpacking: &Unpacking<'_>) -> HostResult<()> {
        Ok(zip_archive::unpack(unpacking)?)
    }

    fn temporary_directory(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn working_directory(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
    }
}
