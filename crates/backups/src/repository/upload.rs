//! A backup into a repository: only files that the repository lacks are copied.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use errors::{Error, ErrorCode, Result};

use super::digests::Digests;
use super::{NEW_PREFIX, Progress, Repository, sync_parent};
use crate::backups::Backups;
use crate::files::{copy, digest, failed, never_changes, write_whole};
use crate::id::{BackupId, random_label};
use crate::manifest::{FileEntry, Manifest};

impl Repository {
    /// Copies a backup into the repository.
    ///
    /// Errors: 14 if there is no such backup, 7005 if a file cannot be read or written or the
    /// transfer was cancelled, 7004 if the disk is full. The repository then lacks the backup.
    pub fn upload(&self, backups: &Backups, id: &BackupId, progress: &Progress) -> Result<()> {
        let _shared = self.share()?;
        let reader = backups.read(id)?;
        progress.begin(&reader.manifest);
        let folder = backups.folder_of(id);
        let mut digests = Digests::read(backups.folder());
        let mut files = Vec::new();
        for file in &reader.manifest.files {
            let sha256 = self.upload_file(&folder.join(&file.name), file, &mut digests, progress)?;
            files.push(FileEntry { sha256: Some(sha256), ..file.clone() });
            progress.end_file();
        }
        digests.write(backups.folder());
        let manifest = Manifest { files, ..reader.manifest.clone() };
        let path = self.manifest_path(id);
        if path.exists() && self.get(id)? != manifest {
            let message = format!("another backup '{id}' is in {}", self.folder.display());
            return Err(Error::new(ErrorCode::FailedToUploadBackup, message));
        }
        let written = write_whole(&path, manifest.print()?.as_bytes());
        written.map_err(failed(ErrorCode::FailedToUploadBackup, "writing", &path))
    }

    /// Copies a file if it is new, and returns its digest.
    fn upload_file(
        &self,
        path: &Path,
        file: &FileEntry,
        digests: &mut Digests,
        progress: &Progress,
    ) -> Result<String> {
        let fault = failed(ErrorCode::FailedToUploadBackup, "copying", path);
        let metadata = fs::metadata(path).map_err(&fault)?;
        let known = if never_changes(&file.name) { digests.get(&metadata) } else { None };
        let sha256 = match known.or_else(|| file.sha256.clone()) {
            Some(sha256) => sha256,
            None => digest(path, &mut |_| progress.check()).map_err(&fault)?,
        };
        if never_changes(&file.name) {
            digests.add(&metadata, &sha256);
        }
        progress.check().map_err(&fault)?;
        if !self.has(&sha256, file.size_bytes) {
            self.add_file(path, &sha256, progress)?;
        }
        Ok(sha256)
    }

    fn add_file(&self, path: &Path, sha256: &str, progress: &Progress) -> Result<()> {
        let fault = failed(ErrorCode::FailedToUploadBackup, "copying", path);
        let target = self.file_path(sha256);
        let temporary = target.with_file_name(format!("{NEW_PREFIX}{}", random_label()?));
        let copied = target.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
            copy(path, &temporary, &mut |bytes| {
                progress.copied_bytes.fetch_add(bytes, Ordering::Relaxed);
                progress.check()
            })
        });
        let stored = copied.map_err(&fault).and_then(|digest| {
            if digest != sha256 {
                let message = format!("{} changed while it was read, or is damaged", path.display());
                return Err(Error::new(ErrorCode::FailedToUploadBackup, message));
            }
            fs::rename(&temporary, &target).and_then(|()| sync_parent(&target)).map_err(&fault)
        });
        if stored.is_err() {
            // Pruning removes it otherwise.
            let _ = fs::remove_file(&temporary);
        }
        stored
    }
}
