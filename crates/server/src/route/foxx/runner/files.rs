//! The files that a service sees: those in its own folder, and in the folders of the services whose
//! exports it uses. It cannot write.

use std::cell::RefCell;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use errors::{Error, ErrorCode, Result};
use javascript::{EntryKind, Files, HostResult, Metadata, Packing, Unpacking};

/// Maximum size in bytes of a file that a service reads.
const FILE_MAX_BYTES: u64 = 32 << 20;

/// The files of the services that an isolate has loaded.
#[derive(Default)]
pub(super) struct ServiceFiles {
    /// The folders, without links. The first one is that of the isolate's own service.
    folders: RefCell<Vec<PathBuf>>,
}

impl ServiceFiles {
    /// Opens the folder of a service. A folder that is not there has no files.
    pub(super) fn open(&self, folder: &Path) {
        let Ok(folder) = fs::canonicalize(folder) else { return };
        let mut folders = self.folders.borrow_mut();
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }

    /// Returns a path without links; `None` if there is nothing. Errors: 11 if it is outside of the
    /// folders.
    ///
    /// A folder has links only where an operator has put them, for development.
    fn find(&self, path: &str) -> Result<Option<PathBuf>> {
        let folders = self.folders.borrow();
        let whole = match folders.first() {
            Some(own) => own.join(path),
            None => return Ok(None),
        };
        let found = match fs::canonicalize(&whole) {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(unreadable(path, &error)),
        };
        match folders.iter().any(|folder| found.starts_with(folder)) {
            true => Ok(Some(found)),
            false => Err(Error::new(
                ErrorCode::Forbidden,
                format!("'{path}' is not in the folder of the service; services see no other files"),
            )),
        }
    }

    fn existing(&self, path: &str) -> Result<PathBuf> {
        self.find(path)?
            .ok_or_else(|| Error::new(ErrorCode::FileNotFound, format!("there is no file '{path}'")))
    }
}

fn unreadable(path: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorCode::CannotReadFile, format!("cannot read '{path}': {error}"))
}

/// Returns the error of everything that would change a file.
fn read_only<T>(path: &str) -> HostResult<T> {
    let message = format!("cannot write '{path}': services only read files, and keep data in collections");
    Err(Error::new(ErrorCode::Forbidden, message).into())
}

impl Files for ServiceFiles {
    fn read(&self, path: &str) -> HostResult<Vec<u8>> {
        let found = self.existing(path)?;
        let failed = |error| unreadable(path, &error);
        let mut content = Vec::new();
        let file = fs::File::open(found).map_err(failed)?;
        let read = file.take(FILE_MAX_BYTES + 1).read_to_end(&mut content).map_err(failed)?;
        if read as u64 > FILE_MAX_BYTES {
            let message = format!("'{path}' is longer than {} MiB", FILE_MAX_BYTES >> 20);
            return Err(Error::new(ErrorCode::CannotReadFile, message).into());
        }
        Ok(content)
    }

    fn metadata(&self, path: &str) -> HostResult<Option<Metadata>> {
        // The search for a module looks in the folders above the service as well.
        let Ok(Some(found)) = self.find(path) else { return Ok(None) };
        let facts = fs::metadata(found).map_err(|error| unreadable(path, &error))?;
        let kind = match (facts.is_file(), facts.is_dir()) {
            (true, _) => EntryKind::File,
            (_, true) => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        let modified = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0.0, |time| time.as_secs_f64());
        Ok(Some(Metadata { kind, bytes: facts.len(), modified }))
    }

    fn list(&self, path: &str) -> HostResult<Vec<String>> {
        let failed = |error| unreadable(path, &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.existing(path)?).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    fn write(&self, path: &str, _content: &[u8], _append: bool) -> HostResult<()> {
        read_only(path)
    }

    fn make_directory(&self, path: &str, _recursive: bool) -> HostResult<()> {
        read_only(path)
    }

    fn remove(&self, path: &str) -> HostResult<()> {
        read_only(path)
    }

    fn remove_directory(&self, path: &str, _recursive: bool) -> HostResult<()> {
        read_only(path)
    }

    fn rename(&self, from: &str, _to: &str) -> HostResult<()> {
        read_only(from)
    }

    fn copy(&self, _from: &str, to: &str) -> HostResult<()> {
        read_only(to)
    }

    fn link(&self, _target: &str, path: &str) -> HostResult<()> {
        read_only(path)
    }

    fn set_mode(&self, path: &str, _mode: u32) -> HostResult<()> {
        read_only(path)
    }

    fn pack(&self, packing: &Packing<'_>) -> HostResult<()> {
        read_only(packing.archive)
    }

    fn unpack(&self, unpacking: &Unpacking<'_>) -> HostResult<()> {
        read_only(unpacking.folder)
    }

    fn temporary_directory(&self) -> PathBuf {
        self.working_directory()
    }

    fn working_directory(&self) -> PathBuf {
        self.folders.borrow().first().cloned().unwrap_or_else(|| PathBuf::from("/"))
    }
}
