//! The journal as a file in a folder.
//!
//! | file | content |
//! | --- | --- |
//! | `journal` | the journal |
//! | `journal.new` | a journal that was not complete when the program ended. It is overwritten |
//! | `lock` | empty, and locked while a program uses the folder |

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use file_lock::FileLock;

use super::disk::{Disk, DiskFuture};
use crate::error::{Error, Result};

/// A folder that this process has locked.
pub(crate) struct Folder {
    place: Arc<Place>,
    _lock: FileLock,
}

/// The parts that threads which write need.
struct Place {
    folder: PathBuf,
    file: Mutex<Option<File>>,
}

impl Folder {
    /// Creates the folder if it is missing, and locks it. Errors: another process uses it.
    pub(crate) fn open(folder: &Path) -> Result<Folder> {
        let failed = |source| Error::Folder { folder: folder.display().to_string(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(failed)?;
        }
        let lock = folder.join("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock).map_err(failed)?;
        let in_use = || io::Error::new(io::ErrorKind::ResourceBusy, "another process uses it");
        let lock = FileLock::exclusive(lock).and_then(|lock| lock.ok_or_else(in_use)).map_err(failed)?;
        let place = Place { folder: folder.to_owned(), file: Mutex::default() };
        Ok(Folder { place: Arc::new(place), _lock: lock })
    }
}

impl Place {
    fn journal(&self) -> PathBuf {
        self.folder.join("journal")
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *file {
            Some(file) => file,
            none => none.insert(OpenOptions::new().append(true).open(self.journal())?),
        };
        file.write_all(bytes)?;
        file.sync_data()
    }

    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let mut current = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.folder.join("journal.new");
        let mut file = File::create(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        *current = None;
        fs::rename(&path, self.journal())?;
        File::open(&self.folder)?.sync_all()
    }
}

impl Disk for Folder {
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.place.journal()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(self.place.journal())?;
        file.set_len(length)?;
        file.sync_all()
    }

    fn append(&self, bytes: Vec<u8>) -> DiskFuture<'_> {
        let place = Arc::clone(&self.place);
        Box::pin(blocking(move || place.append(&bytes)))
    }

    fn replace(&self, bytes: Vec<u8>) -> DiskFuture<'_> {
        let place = Arc::clone(&self.place);
        Box::pin(blocking(move || place.replace(&bytes)))
    }
}

/// Runs a write on a thread that may wait for the disk.
async fn blocking(write: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    tokio::task::spawn_blocking(write).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
