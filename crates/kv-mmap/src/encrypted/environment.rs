//! An open file of redb with the tables of a store.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use encryption::{MasterKey, SECTOR_BYTES};
use kv::{Error, KeyRange, Result};
use redb::{Builder, Database, ReadableDatabase, WriteTransaction};

use super::backend::{HeldBack, SectorFile, disk_bytes, read_key};
use super::view::View;
use super::writer::Writer;
use super::{APPLIED, guarded};
use crate::data_files::{self, ENCRYPTED_SUFFIX, path_of};
use crate::error::{map_open_io, map_redb};

/// The cache of a file that is written once.
const COPY_CACHE_BYTES: usize = 16 << 20;

/// An open file.
#[derive(Clone)]
pub(crate) struct Environment {
    open: Arc<Open>,
    master: Arc<MasterKey>,
    cache_bytes: usize,
    number: u64,
}

/// A file and redb's state of it.
struct Open {
    database: Database,
    path: PathBuf,
    file: Arc<File>,
    /// True after an operation on the file has failed: redb refuses all later ones.
    has_failed: Arc<AtomicBool>,
    /// The writes since an earlier failure, until the file can be written again.
    held_back: Option<Arc<HeldBack>>,
    /// True while no commit has succeeded since an earlier failure.
    is_doubtful: AtomicBool,
}

/// Checks that `master` is the key of the newest file in `folder`, if there is one.
///
/// Errors: [`Error::CannotOpen`] for another key.
pub(crate) fn check_key(folder: &Path, master: &MasterKey) -> Result<()> {
    let Some(number) = data_files::newest(folder)? else { return Ok(()) };
    let path = path_of(folder, number, ENCRYPTED_SUFFIX);
    let checked = File::open(&path).and_then(|file| read_key(&file, master));
    checked.map(drop).map_err(|error| map_key(folder, &path, &error))
}

impl Environment {
    /// Opens the newest file in `folder`, or creates one. Removes what compactions left.
    pub(crate) fn open(folder: &Path, master: &Arc<MasterKey>, cache_bytes: usize) -> Result<Self> {
        let number = data_files::newest(folder)?;
        data_files::remove_others(folder, number.unwrap_or(0))?;
        let path = path_of(folder, number.unwrap_or(1), ENCRYPTED_SUFFIX);
        if number.is_none() {
            // The file is there as a whole or not at all.
            write_file(&data_files::new_path(folder), master, |_| Ok(()))?;
            data_files::rename_new(folder, &path)?;
        }
        let open = Arc::new(Open::at(folder, path, master, cache_bytes, false)?);
        Ok(Environment { open, master: Arc::clone(master), cache_bytes, number: number.unwrap_or(1) })
    }

    /// Opens the current state.
    pub(super) fn view(&self) -> Result<View> {
        guarded(|| View::open(&self.open.database))
    }

    /// Returns the sequence number of the last record of the log that is in the tables.
    pub(crate) fn applied(&self) -> Result<u64> {
        let view = self.view()?;
        guarded(|| view.number(APPLIED))
    }

    /// Runs a function on the tables and commits what it wrote. On an error nothing was written.
    ///
    /// After an error of the file, [`Environment::is_broken`] is true.
    pub(crate) fn write(&self, write: impl FnOnce(&mut Writer<'_>) -> Result<()>) -> Result<()> {
        if self.open.is_doubtful.load(Ordering::Acquire) {
            self.open.probe()?;
        }
        let written = guarded(|| write_in(&self.open.database, write));
        if let Err(Error::Corrupt { .. }) = &written {
            // Whatever redb keeps in memory may be incomplete after a panic.
            self.open.has_failed.store(true, Ordering::Release);
        }
        written?;
        self.open.is_doubtful.store(false, Ordering::Release);
        Ok(())
    }

    /// Returns true if an operation on the file has failed. Nothing can be read or written then
    /// before [`Environment::reopen`].
    pub(crate) fn is_broken(&self) -> bool {
        self.open.has_failed.load(Ordering::Acquire)
    }

    /// Opens the file anew. All states that are being read end.
    pub(crate) fn reopen(&mut self, folder: &Path) -> Result<()> {
        let open = Open::at(folder, self.open.path.clone(), &self.master, self.cache_bytes, true)?;
        self.open = Arc::new(open);
        Ok(())
    }

    /// Returns the bytes that the file takes on the disk.
    pub(crate) fn total_bytes(&self) -> u64 {
        disk_bytes(&self.open.file)
    }

    /// Returns the bytes of decrypted pages in memory.
    pub(crate) fn cached_bytes(&self) -> u64 {
        self.open.database.cache_stats().used_bytes() as u64
    }

    /// Writes a copy without free pages into another folder.
    pub(crate) fn copy_into(&self, folder: &Path) -> Result<()> {
        self.copy(&path_of(folder, 1, ENCRYPTED_SUFFIX))
    }

    /// Writes a copy without free pages to `path` and syncs it. The copy has a key of its own.
    fn copy(&self, path: &Path) -> Result<()> {
        let view = self.view()?;
        write_file(path, &self.master, |writer| {
            let mut result = Ok(());
            view.walk(&KeyRange::all(), false, &mut |key, value| {
                result = writer.put(key, value);
                result.is_ok()
            })?;
            result?;
            writer.set_applied(view.number(APPLIED)?)
        })
    }

    /// Writes a copy without free pages, replaces this file by it, and opens it.
    ///
    /// Existing snapshots keep reading this file. Its space is free when the last of them is gone.
    pub(crate) fn replace(&self, folder: &Path) -> Result<Environment> {
        let number = self.number + 1;
        let path = path_of(folder, number, ENCRYPTED_SUFFIX);
        self.copy(&data_files::new_path(folder))?;
        data_files::rename_new(folder, &path)?;
        let opened = Open::at(folder, path.clone(), &self.master, self.cache_bytes, false);
        let (obsolete, result) = match opened {
            Ok(open) => (&self.open.path, Ok(Environment { open: Arc::new(open), number, ..self.clone() })),
            Err(error) => (&path, Err(error)),
        };
        // The next start removes what is left.
        let _ = fs::remove_file(obsolete);
        result
    }
}

impl Open {
    /// Opens a file; after a failure, one that need not be written before it can be read.
    fn at(
        folder: &Path,
        path: PathBuf,
        master: &MasterKey,
        cache_bytes: usize,
        is_doubtful: bool,
    ) -> Result<Open> {
        let backend = SectorFile::open(&path, master).map_err(|error| map_key(folder, &path, &error))?;
        let (file, has_failed) = (backend.file(), backend.failure());
        let held_back = is_doubtful.then(|| backend.hold_back());
        let database = guarded(|| {
            let database = Builder::new().set_cache_size(cache_bytes).create_with_backend(backend);
            database.map_err(map_redb("opening the tables"))
        })?;
        let is_doubtful = AtomicBool::new(is_doubtful);
        Ok(Open { database, path, file, has_failed, held_back, is_doubtful })
    }

    /// Checks after a failure that the file can be written, since redb would fail as a whole. Then
    /// writes what was held back.
    ///
    /// Writes the last sector of the file again, and a file that is removed again.
    fn probe(&self) -> Result<()> {
        let written = || -> std::io::Result<()> {
            #[cfg(test)]
            super::faults::check(&self.path)?;
            let mut sector = [0; SECTOR_BYTES];
            let last = self.file.metadata()?.len().saturating_sub(SECTOR_BYTES as u64);
            self.file.read_exact_at(&mut sector, last)?;
            self.file.write_all_at(&sector, last)?;
            let beside = self.path.with_extension("probe");
            let probed = fs::write(&beside, vec![0; PROBED_BYTES]);
            let _ = fs::remove_file(&beside);
            probed?;
            self.held_back.as_ref().map_or(Ok(()), |held_back| held_back.write_to(&self.file))
        };
        written().map_err(|error| Error::io(format!("writing {}", self.path.display()), &error))
    }
}

/// The bytes that must be free on the disk after a failure before redb tries again.
const PROBED_BYTES: usize = 4 << 20;

/// Creates a file of tables and syncs it. Removes it on an error.
fn write_file(
    path: &Path,
    master: &MasterKey,
    write: impl FnOnce(&mut Writer<'_>) -> Result<()>,
) -> Result<()> {
    let written = || -> Result<()> {
        let file = SectorFile::create(path, master).map_err(|error| map_open_io("creating", path, &error))?;
        let handle = file.file();
        let database = Builder::new().set_cache_size(COPY_CACHE_BYTES).create_with_backend(file);
        let database = database.map_err(map_redb("creating the tables"))?;
        write_in(&database, write)?;
        database.close().map_err(map_redb("closing the tables"))?;
        handle.sync_all().map_err(|error| Error::io(format!("syncing {}", path.display()), &error))
    };
    guarded(written).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

fn write_in(database: &Database, write: impl FnOnce(&mut Writer<'_>) -> Result<()>) -> Result<()> {
    let mut transaction: WriteTransaction =
        database.begin_write().map_err(map_redb("beginning to write the tables"))?;
    // A start after a crash need not read the whole file then.
    transaction.set_quick_repair(true);
    let mut writer = Writer::open(&transaction)?;
    write(&mut writer)?;
    writer.finish()?;
    transaction.commit().map_err(map_redb("committing to the tables"))
}

/// Maps an error of the operating system at opening to its class. Data that is no file of this key
/// is one that cannot be opened.
fn map_key(folder: &Path, path: &Path, error: &std::io::Error) -> Error {
    if error.kind() != std::io::ErrorKind::InvalidData {
        return map_open_io("opening", path, error);
    }
    Error::CannotOpen {
        store: format!("the store in {}", folder.display()),
        reason: format!("{}: {error}", path.display()),
    }
}
