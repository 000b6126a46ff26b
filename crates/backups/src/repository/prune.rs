//! The removal of old backups, and of files that no backup needs.

use std::collections::HashSet;

use errors::{ErrorCode, Result};

use super::{FILES, Repository, digest_of, manifest_name};
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
    /// Removes backups by age, all files that no remaining backup needs, and the segments of logs
    /// before the oldest one. The newest backup always stays.
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
        let freed_bytes = self.remove_unused(&kept)? + self.prune_logs(&kept)?;
        Ok((gone.into_iter().map(|manifest| manifest.id).collect(), freed_bytes))
    }

    /// Removes one backup, and the files that only it needs. Errors: 7007, and those of `prune`.
    pub fn delete(&self, id: &BackupId) -> Result<u64> {
        let _own = self.own()?;
        let gone = self.get(id)?;
        let mut kept = self.list()?;
        kept.retain(|manifest| manifest.id != gone.id);
        self.remove_manifests(&[gone])?;
        Ok(self.remove_unused(&kept)? + self.prune_logs(&kept)?)
    }

    /// Removes manifests, durably before any file goes.
    fn remove_manifests(&self, gone: &[Manifest]) -> Result<()> {
        for manifest in gone {
            let name = manifest_name(&manifest.id);
            let removed = self.place.remove(&name);
            removed.map_err(self.fault(ErrorCode::HotBackupInternal, "removing", &name))?;
        }
        Ok(())
    }

    /// Removes all files that none of the backups needs, and returns their bytes.
    fn remove_unused(&self, kept: &[Manifest]) -> Result<u64> {
        let used: HashSet<&str> = kept.iter().flat_map(|manifest| &manifest.files).map(digest_of).collect();
        let code = ErrorCode::HotBackupInternal;
        let mut freed_bytes = 0;
        for piece in self.place.list(FILES).map_err(self.fault(code, "reading", FILES))? {
            if piece.name.rsplit('/').next().is_some_and(|digest| used.contains(digest)) {
                continue;
            }
            self.place.remove(&piece.name).map_err(self.fault(code, "removing", &piece.name))?;
            freed_bytes += piece.size_bytes;
        }
        self.place.clean().map_err(self.fault(code, "cleaning", ""))?;
        Ok(freed_bytes)
    }
}
