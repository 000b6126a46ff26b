//! A backup into a repository: only files that the repository lacks are copied.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use errors::{Error, ErrorCode, Result};

use super::digests::Digests;
use super::{FILES, Progress, Repository, file_name, manifest_name};
use crate::backups::Backups;
use crate::files::{digest, failed, never_changes};
use crate::id::BackupId;
use crate::manifest::{FileEntry, Manifest};

/// The sizes of files in the repository, by name.
type Present = HashMap<String, u64>;

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
        let mut present = self.present()?;
        let mut files = Vec::new();
        for file in &reader.manifest.files {
            let path = folder.join(&file.name);
            let sha256 = digest_of_file(&path, file, &mut digests, progress)?;
            self.upload_file(&path, &sha256, file.size_bytes, &mut present, progress)?;
            files.push(FileEntry { sha256: Some(sha256), ..file.clone() });
            progress.end_file();
        }
        digests.write(backups.folder());
        let manifest = Manifest { files, ..reader.manifest.clone() };
        let name = manifest_name(id);
        if self.find(id)?.is_some_and(|present| present != manifest) {
            let message = format!("a different backup '{id}' is in {}", self.place.address(""));
            return Err(Error::new(ErrorCode::FailedToUploadBackup, message));
        }
        let written = self.place.write(&name, manifest.print()?.as_bytes());
        written.map_err(self.fault(ErrorCode::FailedToUploadBackup, "writing", &name))
    }

    /// Looks which files the repository has.
    fn present(&self) -> Result<Present> {
        let pieces = self.place.list(FILES);
        let pieces = pieces.map_err(self.fault(ErrorCode::FailedToUploadBackup, "reading", FILES))?;
        Ok(pieces.into_iter().map(|piece| (piece.name, piece.size_bytes)).collect())
    }

    /// Copies a file if it is new.
    fn upload_file(
        &self,
        path: &Path,
        sha256: &str,
        size_bytes: u64,
        present: &mut Present,
        progress: &Progress,
    ) -> Result<()> {
        let fault = failed(ErrorCode::FailedToUploadBackup, "copying", path);
        progress.check().map_err(&fault)?;
        let name = file_name(sha256);
        if present.get(&name) == Some(&size_bytes) {
            return Ok(());
        }
        let stored = self.place.store(&name, path, sha256, &mut |bytes| {
            progress.copied_bytes.fetch_add(bytes, Ordering::Relaxed);
            progress.check()
        });
        stored.map_err(&fault)?;
        present.insert(name, size_bytes);
        Ok(())
    }
}

/// Returns the digest of a file, which is read if the digest is not known.
fn digest_of_file(
    path: &Path,
    file: &FileEntry,
    digests: &mut Digests,
    progress: &Progress,
) -> Result<String> {
    let fault = failed(ErrorCode::FailedToUploadBackup, "reading", path);
    let metadata = fs::metadata(path).map_err(&fault)?;
    let known = if never_changes(&file.name) { digests.get(&metadata) } else { None };
    let sha256 = match known.or_else(|| file.sha256.clone()) {
        Some(sha256) => sha256,
        None => digest(path, &mut |_| progress.check()).map_err(&fault)?,
    };
    if never_changes(&file.name) {
        digests.add(&metadata, &sha256);
    }
    Ok(sha256)
}
