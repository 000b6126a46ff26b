//! Backups in a folder elsewhere, with each file stored once.
//!
//! ```text
//! REPOSITORY                    one line: `persea backups 1`; locked while the folder is in use
//! files/ab/abcd...              a file, under the SHA-256 of its content
//! files/ab/.new-...             a file that is being written
//! backups/2026-..._label.json   a manifest: the names, sizes and digests of a backup's files
//! ```
//! A manifest is written last, and removed first. So a manifest whose files are missing is damage,
//! and a file that no manifest names is waste, which `prune` removes.

mod digests;
mod download;
mod prune;
mod upload;
mod verify;

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use errors::{Error, ErrorCode, Result};

use crate::backups::conflict;
use crate::files::{failed, sync_folder, write_whole};
use crate::id::BackupId;
use crate::manifest::{FileEntry, Manifest};

pub use prune::Age;
pub use verify::Verified;

/// The file that marks a repository, and its content.
const MARK: &str = "REPOSITORY";
const MARK_PREFIX: &str = "persea backups ";
const FORMAT: u32 = 1;

const FILES: &str = "files";
const MANIFESTS: &str = "backups";
const MANIFEST_EXTENSION: &str = "json";

/// The name before a digest of a file that is being written.
const NEW_PREFIX: &str = ".new-";

/// A folder with backups of any number of servers.
#[derive(Debug)]
pub struct Repository {
    folder: PathBuf,
}

/// The progress of a transfer, which others may watch and end.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of files of the backup.
    pub total_files: AtomicU64,
    /// The number of files that are in place.
    pub done_files: AtomicU64,
    /// The bytes that were copied, because the target had no such file.
    pub copied_bytes: AtomicU64,
    /// True to end the transfer.
    pub is_cancelled: AtomicBool,
}

impl Progress {
    fn begin(&self, manifest: &Manifest) {
        self.total_files.store(manifest.files.len() as u64, Ordering::Relaxed);
    }

    /// Ends a transfer that was cancelled.
    fn check(&self) -> std::io::Result<()> {
        match self.is_cancelled.load(Ordering::Relaxed) {
            true => Err(std::io::Error::new(std::io::ErrorKind::Interrupted, "it was cancelled")),
            false => Ok(()),
        }
    }

    fn end_file(&self) {
        self.done_files.fetch_add(1, Ordering::Relaxed);
    }
}

impl Repository {
    /// Opens a repository, or makes one of a folder that is empty or does not exist.
    ///
    /// Errors: 7008 for a folder of another use, 35 for a newer format.
    pub fn create(folder: &Path) -> Result<Self> {
        let bad = ErrorCode::RemoteRepositoryConfigBad;
        fs::create_dir_all(folder).map_err(failed(bad, "creating", folder))?;
        let mut entries = fs::read_dir(folder).map_err(failed(bad, "reading", folder))?;
        if entries.next().is_none() {
            for name in [FILES, MANIFESTS] {
                let path = folder.join(name);
                fs::create_dir_all(&path).map_err(failed(bad, "creating", &path))?;
            }
            let mark = folder.join(MARK);
            write_whole(&mark, format!("{MARK_PREFIX}{FORMAT}\n").as_bytes())
                .map_err(failed(bad, "writing", &mark))?;
        }
        Self::open(folder)
    }

    /// Opens a repository. Errors: 7008 if the folder is none, 35 for a newer format.
    pub fn open(folder: &Path) -> Result<Self> {
        let mark = fs::read_to_string(folder.join(MARK)).unwrap_or_default();
        match mark.trim_end().strip_prefix(MARK_PREFIX).map(str::parse::<u32>) {
            Some(Ok(1..=FORMAT)) => Ok(Repository { folder: folder.to_owned() }),
            Some(Ok(newer)) => {
                let message = format!(
                    "the repository {} has format {newer}, this version reads formats up to {FORMAT}; use a newer version",
                    folder.display()
                );
                Err(Error::new(ErrorCode::IncompatibleVersion, message))
            }
            _ => {
                let message = format!(
                    "{} is no repository of backups; name one, or an empty folder for an upload",
                    folder.display()
                );
                Err(Error::new(ErrorCode::RemoteRepositoryConfigBad, message))
            }
        }
    }

    /// Returns the manifests of all backups, the oldest first. An unreadable one is an error.
    pub fn list(&self) -> Result<Vec<Manifest>> {
        let folder = self.folder.join(MANIFESTS);
        let mut manifests = Vec::new();
        for path in entries(&folder)? {
            if path.extension().is_some_and(|extension| extension == MANIFEST_EXTENSION) {
                manifests.push(read_manifest(&path)?);
            }
        }
        manifests.sort_by(|first, second| (first.seconds, &first.id).cmp(&(second.seconds, &second.id)));
        Ok(manifests)
    }

    /// Returns the manifest of one backup. Errors: 7007.
    pub fn get(&self, id: &BackupId) -> Result<Manifest> {
        let path = self.manifest_path(id);
        if path.exists() { read_manifest(&path) } else { Err(self.lacks(id)) }
    }

    fn manifest_path(&self, id: &BackupId) -> PathBuf {
        self.folder.join(MANIFESTS).join(format!("{id}.{MANIFEST_EXTENSION}"))
    }

    /// Returns the path of the file with this digest.
    fn file_path(&self, sha256: &str) -> PathBuf {
        self.folder.join(FILES).join(sha256.get(..2).unwrap_or_default()).join(sha256)
    }

    /// Returns true if the repository has a file of a manifest, by its size.
    fn has(&self, sha256: &str, size_bytes: u64) -> bool {
        fs::metadata(self.file_path(sha256)).is_ok_and(|metadata| metadata.len() == size_bytes)
    }

    /// Locks the repository for those who read or add files, until the result is dropped.
    fn share(&self) -> Result<File> {
        let file = self.open_mark()?;
        file.try_lock_shared().map_err(|_| self.in_use())?;
        Ok(file)
    }

    /// Locks the repository for one who removes files, until the result is dropped.
    fn own(&self) -> Result<File> {
        let file = self.open_mark()?;
        file.try_lock().map_err(|_| self.in_use())?;
        Ok(file)
    }

    fn open_mark(&self) -> Result<File> {
        let path = self.folder.join(MARK);
        let opened = OpenOptions::new().read(true).write(true).open(&path).or_else(|_| File::open(&path));
        opened.map_err(failed(ErrorCode::RemoteRepositoryConfigBad, "opening", &path))
    }

    fn lacks(&self, id: &BackupId) -> Error {
        let folder = self.folder.display();
        let message = format!("no such hot backup set can be found: '{id}' in the repository {folder}");
        Error::new(ErrorCode::NoSuchHotBackup, message)
    }

    fn in_use(&self) -> Error {
        conflict(format!("the repository {} is in use; try again later", self.folder.display()))
    }
}

/// Returns the paths in a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let code = ErrorCode::RemoteRepositoryConfigBad;
    let entries = fs::read_dir(folder).map_err(failed(code, "reading", folder))?;
    let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(failed(code, "reading", folder))?;
    paths.sort();
    Ok(paths)
}

fn read_manifest(path: &Path) -> Result<Manifest> {
    let text = fs::read(path).map_err(failed(ErrorCode::HotBackupInternal, "reading", path))?;
    let manifest = Manifest::parse(&text, path)?;
    match manifest.files.iter().all(|file| file.sha256.as_deref().is_some_and(is_digest)) {
        true => Ok(manifest),
        false => {
            let message = format!("{} is damaged: a file has no digest", path.display());
            Err(Error::new(ErrorCode::HotBackupInternal, message))
        }
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the digest of a file of a repository's manifest, which always has one.
fn digest_of(file: &FileEntry) -> &str {
    file.sha256.as_deref().unwrap_or_default()
}

/// Syncs the folder of a file.
fn sync_parent(path: &Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), sync_folder)
}

#[cfg(test)]
mod tests;
