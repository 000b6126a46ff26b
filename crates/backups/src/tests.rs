//! Local backups and their restore, with folders of a few small files as stores.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use errors::{Error, ErrorCode, Result};

use crate::restore::{self, Restored};
use crate::{BackupId, Backups, Manifest, Versions, Written};

fn is_store_file(name: &str) -> bool {
    name == "CURRENT" || name.ends_with(".sst")
}

fn open(data: &Path) -> Backups {
    Backups::open(data, Versions { compatible: "3.12.5".to_owned(), own: "0.1.0".to_owned() }).unwrap()
}

/// Writes a store whose files all have the same text.
fn write_store(data: &Path, text: &str) {
    fs::create_dir_all(data).unwrap();
    for name in ["CURRENT", "1.sst", &format!("{text}.sst")] {
        let _ = fs::remove_file(data.join(name));
        fs::write(data.join(name), text).unwrap();
    }
}

fn read_store(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| is_store_file(entry.file_name().to_str().unwrap()));
    files
        .map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap()))
        .collect()
}

fn create(backups: &Backups, data: &Path, label: &str) -> Manifest {
    let write = |folder: &Path| {
        fs::create_dir_all(folder).unwrap();
        for name in read_store(data).keys() {
            fs::hard_link(data.join(name), folder.join(name)).unwrap();
        }
        Ok(Written { is_consistent: true, log: None })
    };
    backups.create(label, write).unwrap()
}

fn ids(backups: &Backups) -> Vec<String> {
    backups.list().unwrap().into_iter().map(|(id, _)| id.to_string()).collect()
}

#[test]
fn backups_are_made_listed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    write_store(folder.path(), "old");
    let backups = open(folder.path());
    assert!(ids(&backups).is_empty());
    // Both of the same second.
    let first = create(&backups, folder.path(), "a");
    let second = create(&backups, folder.path(), "a");
    assert_eq!(ids(&backups), [first.id.as_str(), second.id.as_str()]);
    assert_eq!(backups.get(&first.id).unwrap(), first);
    assert_eq!((first.files.len(), first.size_bytes()), (3, 9));
    backups.delete(&first.id).unwrap();
    assert_eq!(ids(&backups), [second.id.as_str()]);
    assert_eq!(backups.delete(&first.id).unwrap_err().code(), ErrorCode::FileNotFound);
    assert_eq!(create(&backups, folder.path(), "").id.as_str().len(), 21 + 36);
}

#[test]
fn a_broken_off_backup_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_store(folder.path(), "old");
    let backups = open(folder.path());
    let full = |part: &Path| -> Result<Written> {
        fs::create_dir_all(part).unwrap();
        fs::write(part.join("1.sst"), "half").unwrap();
        Err(Error::new(ErrorCode::FilesystemFull, "no space"))
    };
    let failed = backups.create("full", full).unwrap_err();
    assert_eq!(failed.code(), ErrorCode::NoSpaceLeftOnDevice);
    assert_eq!(fs::read_dir(backups.folder()).unwrap().count(), 0);
    // A crash in the middle, and the next start.
    for name in [".creating", ".deleting-2026", ".downloading-2026"] {
        fs::create_dir_all(backups.folder().join(name)).unwrap();
    }
    let backups = open(folder.path());
    assert_eq!(fs::read_dir(backups.folder()).unwrap().count(), 0);
}

#[test]
fn a_restore_brings_back_the_backup_and_keeps_the_present_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    write_store(data, "old");
    fs::write(data.join("persea.log"), "not of the store").unwrap();
    let backups = open(data);
    let id = create(&backups, data, "a").id;
    let old = read_store(data);
    write_store(data, "new");
    fs::remove_file(data.join("old.sst")).unwrap();
    let new = read_store(data);
    let previous = backups.prepare_restore(&id, |_| Ok(())).unwrap();
    assert_eq!(read_store(data), new, "nothing changes before the next start");
    for refused in [
        backups.delete(&id).unwrap_err(),
        backups.create("b", |_| Ok(Written { is_consistent: true, log: None })).unwrap_err(),
    ] {
        assert_eq!(refused.code(), ErrorCode::HotBackupConflict);
    }
    let restored = restore::finish(data, is_store_file).unwrap();
    assert_eq!(restored, Some(Restored { id: id.clone(), previous: previous.clone() }));
    assert_eq!((read_store(data), restore::finish(data, is_store_file).unwrap()), (old.clone(), None));
    assert!(data.join("persea.log").exists());
    assert!(previous.as_str().ends_with("_FAILSAFE"));
    // The kept data are a backup like others.
    let backups = open(data);
    let mut both = [id.as_str(), previous.as_str()];
    both.sort_unstable();
    assert_eq!(ids(&backups), both);
    backups.prepare_restore(&previous, |_| Ok(())).unwrap();
    restore::finish(data, is_store_file).unwrap().unwrap();
    assert_eq!(read_store(data), new);
    open(data).prepare_restore(&id, |_| Ok(())).unwrap();
    restore::finish(data, is_store_file).unwrap().unwrap();
    assert_eq!(read_store(data), old);
}

#[test]
fn a_backup_that_cannot_be_restored_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    write_store(data, "old");
    let backups = open(data);
    let id = create(&backups, data, "a").id;
    let refuse = |id: &BackupId, verified: Result<()>| {
        let failure = backups.prepare_restore(id, |_| verified).unwrap_err();
        assert!(!restore::is_pending(data) && !backups.folder().join(".restore").exists());
        failure
    };
    let unknown = BackupId::parse("2026").unwrap();
    assert_eq!(refuse(&unknown, Ok(())).code(), ErrorCode::FileNotFound);
    assert_eq!(refuse(&id, Err(Error::corrupt("x"))).code(), ErrorCode::HotRestoreInternal);
    let newer = Error::of(ErrorCode::IncompatibleVersion);
    assert_eq!(refuse(&id, Err(newer)).code(), ErrorCode::IncompatibleVersion);
    let table = backups.folder_of(&id).join("1.sst");
    fs::remove_file(&table).unwrap();
    assert!(refuse(&id, Ok(())).message().contains("1.sst"));
    fs::write(&table, "longer").unwrap();
    assert!(refuse(&id, Ok(())).message().contains("6 bytes instead of 3"));
    let manifest = backups.folder_of(&id).join("BACKUP");
    fs::write(&manifest, "{\"format\":9}").unwrap();
    assert_eq!(refuse(&id, Ok(())).code(), ErrorCode::IncompatibleVersion);
    fs::remove_file(&manifest).unwrap();
    assert_eq!(refuse(&id, Ok(())).code(), ErrorCode::HotBackupInternal);
    assert!(backups.list().unwrap().first().unwrap().1.is_err());
}

/// A start that ends after any number of its steps is continued by the next one.
///
/// The steps are renames, so each state between them is made by hand: some files have moved.
#[test]
fn a_restore_that_was_killed_at_any_step_is_continued() {
    for moved_out in 0..=3 {
        for moved_in in 0..=3 {
            let folder = tempfile::tempdir().unwrap();
            let data = folder.path();
            write_store(data, "old");
            let backups = open(data);
            let id = create(&backups, data, "a").id;
            let old = read_store(data);
            write_store(data, "new");
            fs::remove_file(data.join("old.sst")).unwrap();
            let new = read_store(data);
            let previous = backups.prepare_restore(&id, |_| Ok(())).unwrap();
            let (stage, keeping) = (backups.folder().join(".restore"), backups.folder().join(".keeping"));
            let move_some = |from: &Path, to: &Path, count: usize| {
                fs::create_dir_all(to).unwrap();
                for name in read_store(from).keys().take(count) {
                    fs::rename(from.join(name), to.join(name)).unwrap();
                }
            };
            move_some(data, &keeping, moved_out);
            if moved_out == 3 {
                let pending = backups.folder().join("RESTORE");
                let text = fs::read_to_string(&pending).unwrap();
                fs::write(&pending, text.replace("\"out\"", "\"in\"")).unwrap();
                move_some(&stage, data, moved_in);
            }
            restore::finish(data, is_store_file).unwrap().unwrap();
            assert_eq!(read_store(data), old, "{moved_out} {moved_in}");
            let backups = open(data);
            assert_eq!(read_store(&backups.folder_of(&previous)), new, "{moved_out} {moved_in}");
            assert_eq!(backups.get(&previous).unwrap().files.len(), 3);
        }
    }
}

#[test]
fn a_damaged_note_of_a_restore_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    write_store(folder.path(), "old");
    fs::create_dir_all(folder.path().join("backups")).unwrap();
    fs::write(folder.path().join("backups/RESTORE"), "{").unwrap();
    let failure = restore::finish(folder.path(), is_store_file).unwrap_err();
    assert!(failure.message().contains("RESTORE is damaged"), "{failure}");
    assert_eq!(read_store(folder.path()).len(), 3);
}
