//! A backup from a repository: files that another local backup has are linked.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use errors::{Error, ErrorCode, Result};

use super::digests::Digests;
use super::{Progress, Repository, digest_of, file_name};
use crate::backups::{Backups, conflict};
use crate::files::{failed, never_changes, remove_folder};
use crate::id::BackupId;
use crate::manifest::{FileEntry, Manifest};

impl Repository {
    /// Copies a backup of the repository into the local backups.
    ///
    /// Errors: 7007 if there is no such backup, 7011 if it already exists locally, 7006 if a
    /// file is damaged or cannot be copied. 7006 also after a cancellation, 7004 if the disk is
    /// full. Then no backup exists.
    pub fn download(&self, backups: &Backups, id: &BackupId, progress: &Progress) -> Result<()> {
        let _shared = self.share()?;
        let manifest = self.get(id)?;
        progress.begin(&manifest);
        if backups.folder_of(id).exists() {
            return Err(conflict(format!("the backup '{id}' already exists locally")));
        }
        let part = backups.folder().join(format!(".downloading-{id}"));
        let fault = failed(ErrorCode::FailedToDownloadBackup, "creating", &part);
        remove_folder(&part).and_then(|()| fs::create_dir_all(&part)).map_err(fault)?;
        let copied = self.download_files(backups, &manifest, &part, progress).and_then(|()| {
            manifest.write(&part)?;
            let _turn = backups.turn()?;
            match backups.folder_of(id).exists() {
                true => Err(conflict(format!("the backup '{id}' already exists locally"))),
                false => backups.put_in_place(&part, id),
            }
        });
        if copied.is_err() {
            // The next start removes it otherwise.
            let _ = remove_folder(&part);
        }
        copied
    }

    /// Copies the files of a backup into a folder that exists.
    ///
    /// Errors: 7011 while others remove files from the repository, 7006 if a file is damaged or
    /// cannot be copied, 7004 if the disk is full.
    pub fn copy_files(&self, manifest: &Manifest, folder: &Path, progress: &Progress) -> Result<()> {
        let _shared = self.share()?;
        progress.begin(manifest);
        for file in &manifest.files {
            self.download_file(file, &folder.join(&file.name), progress)?;
            progress.end_file();
        }
        Ok(())
    }

    fn download_files(
        &self,
        backups: &Backups,
        manifest: &Manifest,
        part: &Path,
        progress: &Progress,
    ) -> Result<()> {
        let mut digests = Digests::read(backups.folder());
        let present = tables_by_digest(backups, &mut digests)?;
        for file in &manifest.files {
            let target = part.join(&file.name);
            let linked = present
                .get(digest_of(file))
                .is_some_and(|path| never_changes(&file.name) && fs::hard_link(path, &target).is_ok());
            if !linked {
                self.download_file(file, &target, progress)?;
            }
            if never_changes(&file.name)
                && let Ok(metadata) = fs::metadata(&target)
            {
                digests.add(&metadata, digest_of(file));
            }
            progress.end_file();
        }
        digests.write(backups.folder());
        Ok(())
    }

    fn download_file(&self, file: &FileEntry, target: &Path, progress: &Progress) -> Result<()> {
        let source = file_name(digest_of(file));
        let digest = self.place.fetch(&source, target, &mut |bytes| {
            progress.copied_bytes.fetch_add(bytes, Ordering::Relaxed);
            progress.check()
        });
        let code = ErrorCode::FailedToDownloadBackup;
        if digest.map_err(self.fault(code, "copying", &source))? == digest_of(file) {
            return Ok(());
        }
        let address = self.place.address(&source);
        Err(Error::new(code, format!("{address} is damaged: its content has a different digest")))
    }
}

/// Returns the tables of all local backups whose digests are known.
fn tables_by_digest(backups: &Backups, digests: &mut Digests) -> Result<HashMap<String, PathBuf>> {
    let mut tables = HashMap::new();
    for (id, manifest) in backups.list()? {
        let folder = backups.folder_of(&id);
        let files = manifest.map(|manifest| manifest.files).unwrap_or_default();
        for file in files.iter().filter(|file| never_changes(&file.name)) {
            let path = folder.join(&file.name);
            if let Some(digest) = fs::metadata(&path).ok().and_then(|metadata| digests.get(&metadata)) {
                tables.insert(digest, path);
            }
        }
    }
    Ok(tables)
}
