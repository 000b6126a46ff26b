//! The restore of a backup in place.
//!
//! [`prepare`] runs in the live server: it copies the backup, verifies the copy, and writes
//! the file `RESTORE`. [`finish`] runs before the next start opens the data. It moves the present
//! data into a backup of its own and the copy into the data folder.
//!
//! Each step of `finish` may be repeated, so a start that was killed is continued by the next one.
//! `RESTORE` names one of two phases. In phase `out`, all files of a store in the data folder are
//! old; in phase `in`, they are new.

use std::fs;
use std::path::{Path, PathBuf};

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Limits, Slice, json};

use crate::files::{failed, link_or_copy, never_changes, remove_folder, sync_folder, write_whole};
use crate::id::BackupId;
use crate::manifest::{Manifest, Versions};

/// The label of the backup that keeps the data as they were before a restore.
pub const FAILSAFE_LABEL: &str = "FAILSAFE";

/// The file of a pending restore, and the folder of its files.
const PENDING: &str = "RESTORE";
const STAGE: &str = ".restore";

/// The folder of the present data while they move into their backup.
const KEEPING: &str = ".keeping";

/// A restore that has taken place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The id of the backup that was restored.
    pub id: BackupId,
    /// The id of the backup that keeps the data as they were before.
    pub previous: BackupId,
}

struct Pending {
    restored: Restored,
    seconds: i64,
    versions: Versions,
    is_out: bool,
}

/// Returns true if the next start restores a backup.
pub fn is_pending(data: &Path) -> bool {
    folder(data).join(PENDING).exists()
}

fn folder(data: &Path) -> PathBuf {
    data.join("backups")
}

fn fault(action: &str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    failed(ErrorCode::HotRestoreInternal, action, path)
}

/// Copies a backup, verifies the copy, and makes the restore pending.
pub(crate) fn prepare(
    data: &Path,
    backup: &Path,
    manifest: &Manifest,
    previous: &BackupId,
    versions: &Versions,
    verify: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let stage = folder(data).join(STAGE);
    remove_folder(&stage).map_err(fault("removing", &stage))?;
    let staged = stage_files(backup, manifest, &stage).and_then(|()| {
        verify(&stage).map_err(|error| match error.code() {
            ErrorCode::IncompatibleVersion => error,
            _ => {
                let message = format!("the backup '{}' cannot be restored: {}", manifest.id, error.message());
                Error::new(ErrorCode::HotRestoreInternal, message)
            }
        })?;
        sync_files(&stage).map_err(fault("syncing", &stage))?;
        let seconds = jiff::Timestamp::now().as_second();
        let restored = Restored { id: manifest.id.clone(), previous: previous.clone() };
        Pending { restored, seconds, versions: versions.clone(), is_out: true }.write(data)
    });
    if staged.is_err() {
        // The next start removes it otherwise.
        let _ = remove_folder(&stage);
    }
    staged
}

/// Makes the folder of a store that is restored into a data folder without one, and returns it.
///
/// The data folder must not exist, or be empty but for what an interrupted call has left.
/// [`put_in_place`] or [`give_up`] ends the restore. Until then a start of a server finds an empty
/// data folder.
///
/// Errors: 7002 for a data folder with other entries, 7004 if the disk is full.
pub fn begin_new(data: &Path) -> Result<PathBuf> {
    let stage = folder(data).join(STAGE);
    for (path, allowed) in [(data.to_owned(), "backups"), (folder(data), STAGE)] {
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
            entries => entries.map_err(fault("reading", &path))?,
        };
        for entry in entries {
            let name = entry.map_err(fault("reading", &path))?.file_name();
            if name != allowed {
                let message = format!(
                    "the folder {} is not empty: it has {}; name a new or an empty folder",
                    data.display(),
                    name.display()
                );
                return Err(Error::new(ErrorCode::HotRestoreInternal, message));
            }
        }
    }
    remove_folder(&stage).map_err(fault("removing", &stage))?;
    fs::create_dir_all(&stage).map_err(fault("creating", &stage))?;
    Ok(stage)
}

/// Moves the files of a new store into the data folder. If this is interrupted, the next start of a
/// server continues.
///
/// Errors: 7002.
pub fn put_in_place(data: &Path, manifest: &Manifest, is_store_file: fn(&str) -> bool) -> Result<()> {
    let stage = folder(data).join(STAGE);
    sync_files(&stage).map_err(fault("syncing", &stage))?;
    let pending = Pending {
        // Nothing is replaced, so no backup keeps it.
        restored: Restored { id: manifest.id.clone(), previous: manifest.id.clone() },
        seconds: jiff::Timestamp::now().as_second(),
        versions: manifest.versions.clone(),
        is_out: false,
    };
    pending.write(data)?;
    finish(data, is_store_file)?;
    let backups = folder(data);
    fs::remove_dir(&backups).map_err(fault("removing", &backups))
}

/// Removes the files of a new store. The data folder stays, and is empty.
pub fn give_up(data: &Path) {
    // Whatever is left does not keep the next attempt from starting.
    let _ = remove_folder(&folder(data).join(STAGE));
    let _ = fs::remove_dir(folder(data));
}

fn stage_files(backup: &Path, manifest: &Manifest, stage: &Path) -> Result<()> {
    fs::create_dir_all(stage).map_err(fault("creating", stage))?;
    for file in &manifest.files {
        let from = backup.join(&file.name);
        link_or_copy(&from, &stage.join(&file.name), never_changes(&file.name))
            .map_err(fault("copying", &from))?;
    }
    Ok(())
}

fn sync_files(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            fs::File::open(path)?.sync_all()?;
        }
    }
    sync_folder(folder)
}

/// Carries out the pending restore, if there is one. No process may have the data open.
///
/// `is_store_file` recognizes the files of a store by their names; others stay in the data folder.
/// Errors: 7002. The next call continues where this one has failed.
pub fn finish(data: &Path, is_store_file: fn(&str) -> bool) -> Result<Option<Restored>> {
    let Some(mut pending) = Pending::read(data)? else { return Ok(None) };
    let backups = folder(data);
    let (stage, keeping) = (backups.join(STAGE), backups.join(KEEPING));
    if pending.is_out {
        fs::create_dir_all(&keeping).map_err(fault("creating", &keeping))?;
        move_files(data, &keeping, is_store_file)?;
        pending.is_out = false;
        pending.write(data)?;
    }
    if stage.exists() {
        move_files(&stage, data, is_store_file)?;
    }
    keep(&pending, &keeping, &backups.join(pending.restored.previous.as_str()))?;
    remove_folder(&stage).map_err(fault("removing", &stage))?;
    let path = backups.join(PENDING);
    fs::remove_file(&path).and_then(|()| sync_folder(&backups)).map_err(fault("removing", &path))?;
    Ok(Some(pending.restored))
}

/// Moves all files of a store from one folder to another, and syncs both.
fn move_files(from: &Path, to: &Path, is_store_file: fn(&str) -> bool) -> Result<()> {
    for entry in fs::read_dir(from).map_err(fault("reading", from))? {
        let entry = entry.map_err(fault("reading", from))?;
        let name = entry.file_name();
        if name.to_str().is_some_and(is_store_file) {
            let path = entry.path();
            fs::rename(&path, to.join(&name)).map_err(fault("moving", &path))?;
        }
    }
    // The target first: a file is in both folders after a crash rather than in none.
    sync_folder(to).and_then(|()| sync_folder(from)).map_err(fault("syncing", to))
}

/// Makes a backup of the data as they were before.
fn keep(pending: &Pending, keeping: &Path, kept: &Path) -> Result<()> {
    if !keeping.exists() {
        return Ok(());
    }
    let id = pending.restored.previous.clone();
    let manifest = Manifest::of_folder(keeping, id, &pending.versions, pending.seconds)?;
    manifest.write(keeping)?;
    fs::rename(keeping, kept).map_err(fault("moving", keeping))?;
    kept.parent().map_or(Ok(()), sync_folder).map_err(fault("syncing", kept))
}

impl Pending {
    fn read(data: &Path) -> Result<Option<Self>> {
        let path = folder(data).join(PENDING);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(fault("reading", &path))?,
        };
        let mut value = Builder::new();
        let is_json = json::parse(&text, &Limits::default(), &mut value).is_ok();
        let pending = is_json.then(|| Self::from_value(value.as_slice())).flatten();
        let pending = pending.ok_or_else(|| {
            let message = format!("{} is damaged; the restore cannot be continued", path.display());
            Error::new(ErrorCode::HotRestoreInternal, message)
        })?;
        Ok(Some(pending))
    }

    fn from_value(value: Slice<'_>) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str();
        let id = |name: &str| BackupId::parse(text(name)?).ok();
        Some(Pending {
            restored: Restored { id: id("id")?, previous: id("previous")? },
            seconds: value.get("time")?.as_i64()?,
            versions: Versions {
                compatible: text("version")?.to_owned(),
                own: text("perseaVersion")?.to_owned(),
            },
            is_out: text("phase")? == "out",
        })
    }

    fn write(&self, data: &Path) -> Result<()> {
        let phase = if self.is_out { "out" } else { "in" };
        let Restored { id, previous } = &self.restored;
        let Versions { compatible, own } = &self.versions;
        // No text has a character that JSON escapes.
        let text = format!(
            "{{\"id\":\"{id}\",\"previous\":\"{previous}\",\"time\":{},\"version\":\"{compatible}\",\
             \"perseaVersion\":\"{own}\",\"phase\":\"{phase}\"}}\n",
            self.seconds
        );
        let path = folder(data).join(PENDING);
        write_whole(&path, text.as_bytes()).map_err(fault("writing", &path))
    }
}
