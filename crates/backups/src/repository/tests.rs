use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use s3::BucketOptions;
use test_s3::{Fault, Storage};

use super::*;
use crate::backups::{Backups, Written};
use crate::{LogPosition, Versions};

/// A data folder with backups, and a repository.
pub(super) struct Places {
    _folder: tempfile::TempDir,
    pub(super) remote: Remote,
    pub(super) backups: Backups,
    pub(super) repository: Repository,
}

pub(super) enum Remote {
    Folder(PathBuf),
    Storage(Storage),
}

impl Remote {
    fn location(&self) -> Location {
        match self {
            Remote::Folder(folder) => Location::Folder(folder.clone()),
            Remote::Storage(storage) => bucket(storage),
        }
    }

    /// Writes a piece behind the repository's back.
    pub(super) fn put(&self, name: &str, content: &str) {
        match self {
            Remote::Folder(folder) => {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
            Remote::Storage(storage) => storage.damage(&format!("prefix/{name}"), content.as_bytes()),
        }
    }
}

fn bucket(storage: &Storage) -> Location {
    let settings =
        [("access_key_id", "key"), ("secret_access_key", "secret"), ("endpoint", storage.endpoint())];
    let settings: BTreeMap<String, String> =
        settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Location::Bucket(BucketOptions::read("backups/prefix", &settings).unwrap())
}

/// Returns empty repositories of all kinds.
pub(super) fn all() -> [Places; 2] {
    [false, true].map(|is_bucket| {
        let folder = tempfile::tempdir().unwrap();
        let backups = Backups::open(&folder.path().join("data"), Versions::default()).unwrap();
        let remote = match is_bucket {
            true => Remote::Storage(Storage::start().unwrap()),
            false => Remote::Folder(folder.path().join("remote")),
        };
        let repository = Repository::create(&remote.location()).unwrap();
        Places { _folder: folder, remote, backups, repository }
    })
}

impl Places {
    fn backup(&self, label: &str, files: &[(&str, &str)]) -> BackupId {
        self.backup_at(label, files, None)
    }

    /// Makes a backup with a place in a change log.
    pub(super) fn backup_at(
        &self,
        label: &str,
        files: &[(&str, &str)],
        log: Option<LogPosition>,
    ) -> BackupId {
        let write = |folder: &Path| {
            fs::create_dir_all(folder).unwrap();
            files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
            Ok(Written { is_consistent: true, log })
        };
        self.backups.create(label, write).unwrap().id
    }

    fn upload(&self, id: &BackupId) -> u64 {
        let progress = Progress::default();
        self.repository.upload(&self.backups, id, &progress).unwrap();
        progress.copied_bytes.into_inner()
    }

    fn download(&self, id: &BackupId) -> Result<u64> {
        let progress = Progress::default();
        self.repository.download(&self.backups, id, &progress)?;
        Ok(progress.copied_bytes.into_inner())
    }

    fn text(&self, id: &BackupId, name: &str) -> String {
        fs::read_to_string(self.backups.folder_of(id).join(name)).unwrap()
    }
}

#[test]
fn each_file_is_stored_once() {
    for places in all() {
        let first = places.backup("a", &[("1.sst", "one"), ("CURRENT", "a")]);
        assert_eq!(places.upload(&first), 4);
        assert_eq!(places.upload(&first), 0);
        let second = places.backup("b", &[("1.sst", "one"), ("2.sst", "two"), ("CURRENT", "b")]);
        assert_eq!(places.upload(&second), 4);
        assert_eq!(
            places.repository.verify().unwrap(),
            Verified { backups: 2, files: 4, segments: 0, bytes: 8 }
        );
    }
}

#[test]
fn a_downloaded_backup_is_the_one_that_was_uploaded() {
    for places in all() {
        let first = places.backup("a", &[("1.sst", "one"), ("CURRENT", "a")]);
        let second = places.backup("b", &[("1.sst", "one"), ("CURRENT", "b")]);
        places.upload(&first);
        places.upload(&second);
        let uploaded = places.backups.get(&first).unwrap();
        places.backups.delete(&first).unwrap();
        // The table is in the other backup.
        assert_eq!(places.download(&first).unwrap(), 1);
        let downloaded = places.backups.get(&first).unwrap();
        assert_eq!((downloaded.seconds, downloaded.size_bytes()), (uploaded.seconds, uploaded.size_bytes()));
        assert_eq!(
            (places.text(&first, "1.sst"), places.text(&first, "CURRENT")),
            ("one".into(), "a".into())
        );
        assert_eq!(places.download(&first).unwrap_err().code(), ErrorCode::HotBackupConflict);
        let unknown = BackupId::parse("2026").unwrap();
        assert_eq!(places.download(&unknown).unwrap_err().code(), ErrorCode::NoSuchHotBackup);
    }
}

#[test]
fn damage_is_found_and_nothing_is_downloaded_in_part() {
    for places in all() {
        let id = places.backup("a", &[("1.sst", "one"), ("CURRENT", "a")]);
        places.upload(&id);
        places.backups.delete(&id).unwrap();
        let manifest = places.repository.get(&id).unwrap();
        places.remote.put(&file_name(digest_of(&manifest.files[0])), "0ne");
        let found = places.repository.verify().unwrap_err();
        assert!(found.message().contains("1.sst"), "{found}");
        assert_eq!(places.download(&id).unwrap_err().code(), ErrorCode::FailedToDownloadBackup);
        assert!(places.backups.list().unwrap().is_empty());
        assert_eq!(fs::read_dir(places.backups.folder()).unwrap().count(), 1, "only HASHES is left");
    }
}

#[test]
fn a_cancelled_transfer_leaves_no_backup() {
    for places in all() {
        let id = places.backup("a", &[("1.sst", "one")]);
        let progress = Progress { is_cancelled: true.into(), ..Progress::default() };
        let cancelled = places.repository.upload(&places.backups, &id, &progress).unwrap_err();
        assert_eq!(cancelled.code(), ErrorCode::FailedToUploadBackup);
        assert!(places.repository.list().unwrap().is_empty());
    }
}

#[test]
fn pruning_removes_old_backups_and_the_files_that_only_they_need() {
    for places in all() {
        let ids = ["a", "b", "c"].map(|label| {
            let id = places.backup(label, &[("1.sst", "one"), ("CURRENT", label)]);
            places.upload(&id);
            id
        });
        places.remote.put("files/ab/.new-broken-off", "12345");
        let (gone, freed_bytes) =
            places.repository.prune(&Age { newest: Some(2), oldest_seconds: None }).unwrap();
        assert_eq!((gone, freed_bytes), (vec![ids[0].clone()], 6));
        let (gone, freed_bytes) =
            places.repository.prune(&Age { newest: None, oldest_seconds: Some(i64::MAX) }).unwrap();
        assert_eq!((gone, freed_bytes), (vec![ids[1].clone()], 1));
        assert_eq!(
            places.repository.verify().unwrap(),
            Verified { backups: 1, files: 2, segments: 0, bytes: 4 }
        );
        assert_eq!(places.repository.delete(&ids[2]).unwrap(), 4);
        let reader = places.repository.share().unwrap();
        let refused = places.repository.prune(&Age::default()).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::HotBackupConflict);
        drop(reader);
    }
}

#[test]
fn other_places_and_newer_repositories_are_refused() {
    let code = |outcome: Result<Repository>| outcome.unwrap_err().code();
    let folder = tempfile::tempdir().unwrap();
    let none = Location::Folder(folder.path().join("none"));
    assert_eq!(code(Repository::open(&none)), ErrorCode::RemoteRepositoryConfigBad);
    for remote in [Remote::Folder(folder.path().to_owned()), Remote::Storage(Storage::start().unwrap())] {
        remote.put("notes", "");
        assert_eq!(code(Repository::create(&remote.location())), ErrorCode::RemoteRepositoryConfigBad);
        remote.put(MARK, "persea backups 2\n");
        assert_eq!(code(Repository::open(&remote.location())), ErrorCode::IncompatibleVersion);
    }
}

#[test]
fn a_storage_that_refuses_is_named() {
    let storage = Storage::start().unwrap();
    storage.fail(&[Fault::Denied]);
    let error = Repository::open(&bucket(&storage)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::RemoteRepositoryConfigBad);
    assert!(error.message().contains("s3://backups/prefix/REPOSITORY"), "{error}");
    assert!(error.message().contains("AccessDenied"), "{error}");
}

#[test]
fn the_lock_of_a_dead_program_ends_by_age() {
    let storage = Storage::start().unwrap();
    let repository = Repository::create(&bucket(&storage)).unwrap();
    std::mem::forget(repository.share().unwrap());
    let refused = repository.prune(&Age::default()).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::HotBackupConflict);
    storage.age(1_000);
    repository.prune(&Age::default()).unwrap();
    assert_eq!(storage.keys(), ["prefix/REPOSITORY"]);
}
