//! The removal of old backups, and of files that no backup needs.

use std::collections::HashSet;
use std::fs;

use errors::{ErrorCode, Result};

use super::{FILES, Repository, digest_of, entries};
use crate::files::{failed, sync_folder};
use crate::id::BackupId;
use crate::manifest::Manifest;

/// The backups that a repository keeps. A backup goes if one of the rules says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Age {
    /// The number of the newest backups that stay.
    pub newest: Option<usize>,
    /// The seconds since 1970 before which backups go.
    pub oldest_seconds: Option<i64>,
}

impl Age {
    /// Returns true if a backup goes. `newer` is the number of newer ones.
    fn is_over(&self, manifest: &Manifest, newer: usize) -> bool {
        self.newest.is_some_and(|newest| newer >= newest)
            || self.oldest_seconds.is_some_and(|oldest| manifest.seconds < oldest)
    }
}

impl Repository {
    /// Removes backups by age, and all files that no remaining backup needs. The newest backup
    /// always stays.
    ///
    /// Returns the ids of the removed backups, and the freed bytes. Errors: 7011 while the
    /// repository is in use; 7001 if a manifest is damaged, since its files are not known.
    pub fn prune(&self, age: &Age) -> Result<(Vec<BackupId>, u64)> {
        let _own = self.own()?;
        let (mut gone, mut kept) = (Vec::new(), Vec::new());
        for (newer, manifest) in self.list()?.into_iter().rev().enumerate() {
            if newer > 0 && age.is_over(&manifest, newer) { &mut gone } else { &mut kept }.push(manifest);
        }
        self.remove_manifests(&gone)?;
        let freed_bytes = self.remove_unused(&kept)?;
        Ok((gone.into_iter().map(|manifest| manifest.id).collect(), freed_bytes))
    }

    /// Removes one backup, and the files that only it needs. Errors: 7007, and those of `prune`.
    pub fn delete(&self, id: &BackupId) -> Result<u64> {
        let _own = self.own()?;
        let gone = self.get(id)?;
        let mut kept = self.list()?;
        kept.retain(|manifest| manifest.id != gone.id);
        self.remove_manifests(&[gone])?;
        self.remove_unused(&kept)
    }

    /// Removes manifests, durably before any file goes.
    fn remove_manifests(&self, gone: &[Manifest]) -> Result<()> {
        for manifest in gone {
            let path = self.manifest_path(&manifest.id);
            let removed = fs::remove_file(&path).and_then(|()| path.parent().map_or(Ok(()), sync_folder));
            removed.map_err(failed(ErrorCode::HotBackupInternal, "removing", &path))?;
        }
        Ok(())
    }

    /// Removes all files that none of the backups needs, and returns their bytes.
    fn remove_unused(&self, kept: &[Manifest]) -> Result<u64> {
        let used: HashSet<&str> = kept.iter().flat_map(|manifest| &manifest.files).map(digest_of).collect();
        let mut freed_bytes = 0;
        for folder in entries(&self.folder.join(FILES))?.iter().filter(|path| path.is_dir()) {
            for path in entries(folder)? {
                if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| used.contains(name)) {
                    continue;
                }
                freed_bytes += fs::metadata(&path).map_or(0, |metadata| metadata.len());
                fs::remove_file(&path).map_err(failed(ErrorCode::HotBackupInternal, "removing", &path))?;
            }
        }
        Ok(freed_bytes)
    }
}
