//! The local backups, next to the data.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use errors::{Error, ErrorCode, Result};
use jiff::Timestamp;

use crate::files::{failed, remove_folder, sync_folder};
use crate::id::{BackupId, not_found, random_label};
use crate::log_position::LogPosition;
use crate::manifest::{Manifest, Versions};
use crate::restore;

/// The folder of the backups in the data folder.
const BACKUPS_FOLDER: &str = "backups";

/// The folder of a backup that is being made.
const CREATING: &str = ".creating";

/// The name before the id of a backup that is being removed.
const DELETING_PREFIX: &str = ".deleting-";

/// The backups of one data folder. One of them is made, removed or restored at a time.
#[derive(Debug)]
pub struct Backups {
    data: PathBuf,
    folder: PathBuf,
    versions: Versions,
    turn: Mutex<()>,
    /// The backups that are being read, with the number of their readers.
    readers: Mutex<HashMap<BackupId, usize>>,
}

impl Backups {
    /// Opens the backups in a data folder, and removes broken-off ones. No other process may have
    /// the data open.
    pub fn open(data: &Path, versions: Versions) -> Result<Self> {
        let folder = data.join(BACKUPS_FOLDER);
        let (turn, readers) = (Mutex::default(), Mutex::default());
        let backups = Backups { data: data.to_owned(), folder, versions, turn, readers };
        backups.remove_broken_off()?;
        Ok(backups)
    }

    /// Returns the folder of the backups.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of one backup.
    pub(crate) fn folder_of(&self, id: &BackupId) -> PathBuf {
        self.folder.join(id.as_str())
    }

    fn remove_broken_off(&self) -> Result<()> {
        if restore::is_pending(&self.data) {
            return Ok(());
        }
        for name in self.entries()?.iter().filter(|name| name.starts_with('.')) {
            let path = self.folder.join(name);
            remove_folder(&path).map_err(failed(ErrorCode::HotBackupInternal, "removing", &path))?;
        }
        Ok(())
    }

    /// Returns the names in the folder, in order.
    fn entries(&self) -> Result<Vec<String>> {
        let code = ErrorCode::HotBackupInternal;
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed(code, "reading", &self.folder))?,
        };
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names: Vec<String> =
            names.collect::<std::io::Result<_>>().map_err(failed(code, "reading", &self.folder))?;
        names.sort();
        Ok(names)
    }

    /// Returns the ids of all backups with their manifests. An unreadable manifest is an error in
    /// the list.
    pub fn list(&self) -> Result<Vec<(BackupId, Result<Manifest>)>> {
        let ids = self.entries()?.into_iter().filter_map(|name| BackupId::parse(&name).ok());
        Ok(ids.filter(|id| self.folder_of(id).is_dir()).map(|id| (id.clone(), self.get(&id))).collect())
    }

    /// Returns the manifest of a backup. Errors: 14 if there is none, 7001 if it is damaged.
    pub fn get(&self, id: &BackupId) -> Result<Manifest> {
        let folder = self.folder_of(id);
        if !folder.is_dir() {
            return Err(not_found(id));
        }
        Manifest::read(&folder)
    }

    /// Makes a backup. `write` writes the files into a folder that does not exist yet.
    ///
    /// The backup exists once all of it is on disk. Errors: 7011 while a restore is pending, 7004
    /// if the disk is full, those of `write`.
    pub fn create(&self, label: &str, write: impl FnOnce(&Path) -> Result<Written>) -> Result<Manifest> {
        let label = if label.is_empty() { random_label()? } else { label.to_owned() };
        BackupId::new(Timestamp::now(), &label)?;
        let _turn = self.turn()?;
        let part = self.folder.join(CREATING);
        remove_folder(&part).map_err(failed(ErrorCode::HotBackupInternal, "removing", &part))?;
        let made = self.create_in(&part, &label, write);
        if made.is_err() {
            // The next backup, or the next start, removes it otherwise.
            let _ = remove_folder(&part);
        }
        made
    }

    fn create_in(
        &self,
        part: &Path,
        label: &str,
        write: impl FnOnce(&Path) -> Result<Written>,
    ) -> Result<Manifest> {
        let written = write(part).map_err(|error| match error.code() {
            ErrorCode::FilesystemFull => {
                Error::new(ErrorCode::NoSpaceLeftOnDevice, error.message().to_owned())
            }
            _ => error,
        })?;
        let (id, time) = self.free_id(label)?;
        let manifest = Manifest::of_folder(part, id, &self.versions, time.as_second())?;
        let manifest = Manifest { is_inconsistent: !written.is_consistent, log: written.log, ..manifest };
        manifest.write(part)?;
        self.put_in_place(part, &manifest.id)?;
        Ok(manifest)
    }

    /// Makes the complete folder of a backup visible under its id.
    pub(crate) fn put_in_place(&self, part: &Path, id: &BackupId) -> Result<()> {
        let moved = fs::rename(part, self.folder_of(id)).and_then(|()| sync_folder(&self.folder));
        moved.map_err(failed(ErrorCode::HotBackupInternal, "moving", part))
    }

    /// Returns an id that no backup has. Two backups of one second with one label have the times of
    /// different seconds.
    pub(crate) fn free_id(&self, label: &str) -> Result<(BackupId, Timestamp)> {
        let mut time = Timestamp::now();
        loop {
            let id = BackupId::new(time, label)?;
            if !self.folder_of(&id).exists() {
                return Ok((id, time));
            }
            time = Timestamp::from_second(time.as_second() + 1)
                .map_err(|error| Error::internal(format!("the clock is wrong: {error}")))?;
        }
    }

    /// Removes a backup. Errors: 14 if there is none, 7011 while it is being read or a restore is
    /// pending.
    pub fn delete(&self, id: &BackupId) -> Result<()> {
        let _turn = self.turn()?;
        let folder = self.folder_of(id);
        if !folder.is_dir() {
            return Err(not_found(id));
        }
        if self.lock_readers().contains_key(id) {
            return Err(conflict(format!("the backup '{id}' is in use by a transfer")));
        }
        let code = ErrorCode::HotBackupInternal;
        let gone = self.folder.join(format!("{DELETING_PREFIX}{id}"));
        fs::rename(&folder, &gone)
            .and_then(|()| sync_folder(&self.folder))
            .map_err(failed(code, "moving", &folder))?;
        remove_folder(&gone).map_err(failed(code, "removing", &gone))
    }

    /// Prepares the restore of a backup, which [`restore::finish`] carries out at the next start.
    /// Returns the id under which it will keep the present data.
    ///
    /// `verify` reads a complete copy of the backup. Errors, which change nothing: 14, 35 for a
    /// newer format, 7002 for a damaged backup, 7004 if the disk is full.
    pub fn prepare_restore(
        &self,
        id: &BackupId,
        verify: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<BackupId> {
        let _turn = self.turn()?;
        let manifest = self.get(id)?;
        let folder = self.folder_of(id);
        manifest.check_files(&folder)?;
        let (previous, _) = self.free_id(restore::FAILSAFE_LABEL)?;
        restore::prepare(&self.data, &folder, &manifest, &previous, &self.versions, verify)?;
        Ok(previous)
    }

    /// Keeps a backup from being removed until the result is dropped. Errors: 14.
    pub(crate) fn read(&self, id: &BackupId) -> Result<Reader<'_>> {
        let _turn = self.turn()?;
        let manifest = self.get(id)?;
        *self.lock_readers().entry(id.clone()).or_default() += 1;
        Ok(Reader { backups: self, manifest })
    }

    fn lock_readers(&self) -> MutexGuard<'_, HashMap<BackupId, usize>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other backup is made, removed or restored. Errors: 7011 while a restore is
    /// pending.
    pub(crate) fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if restore::is_pending(&self.data) {
            return Err(conflict("a restore is pending; the server is about to restart".to_owned()));
        }
        Ok(turn)
    }
}

/// The files of a store that were written for a backup.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// False if the files may have a part of a transaction.
    pub is_consistent: bool,
    /// Their place in the change log, if there is one.
    pub log: Option<LogPosition>,
}

/// A backup that is being read.
pub(crate) struct Reader<'a> {
    backups: &'a Backups,
    pub(crate) manifest: Manifest,
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut readers = self.backups.lock_readers();
        match readers.get_mut(&self.manifest.id) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(readers.remove(&self.manifest.id)),
        }
    }
}

pub(crate) fn conflict(message: String) -> Error {
    Error::new(ErrorCode::HotBackupConflict, message)
}
