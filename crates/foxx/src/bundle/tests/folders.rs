//! Folders that are read and written.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const MANIFEST: (&str, &str) = ("manifest.json", "{}");

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn refusal(folder: &Path, limits: &Limits) -> Error {
    Bundle::of_folder(folder, limits).unwrap_err()
}

#[test]
fn a_folder_is_read_from_its_manifest_on() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a/manifest.json", "{}"), ("a/lib/x.js", "1"), ("other", "2")]);
    write(folder.path(), &[("a/.persea-bundle", "abc")]);
    let read = Bundle::of_folder(folder.path(), &SMALL).unwrap();
    assert_eq!(read, bundle(&[MANIFEST, ("lib/x.js", "1")]));
    assert_eq!(Bundle::of_folder(&folder.path().join("a"), &SMALL).unwrap(), read);
}

#[test]
fn a_source_that_is_no_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("file", "")]);
    for name in ["missing", "file"] {
        let error = refusal(&folder.path().join(name), &SMALL);
        assert_eq!(error.code(), ErrorCode::ServiceSourceNotFound, "{error}");
    }
    assert_eq!(refusal(folder.path(), &SMALL).code(), ErrorCode::ServiceManifestNotFound);
}

#[test]
fn links_and_special_files_in_a_folder_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), &[("secret", "x")]);
    for target in ["secret", "", "missing"] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[MANIFEST]);
        symlink(outside.path().join(target), folder.path().join("link")).unwrap();
        let error = refusal(folder.path(), &SMALL);
        assert_eq!(error.code(), ErrorCode::ServiceSourceError);
        assert!(error.message().contains("'link' in the folder is a link"), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[MANIFEST]);
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    assert!(
        refusal(folder.path(), &SMALL).message().contains("'socket' in the folder is a link or a special")
    );
}

#[test]
fn the_links_that_npm_makes_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[MANIFEST, ("node_modules/a/node_modules/b/index.js", "1"), ("x/.bin/file", "2")]);
    for programs in ["node_modules/.bin", "node_modules/a/node_modules/.bin"] {
        fs::create_dir(folder.path().join(programs)).unwrap();
        symlink("../b/index.js", folder.path().join(programs).join("b")).unwrap();
    }
    let read = Bundle::of_folder(folder.path(), &SMALL).unwrap();
    assert_eq!(
        read,
        bundle(&[MANIFEST, ("node_modules/a/node_modules/b/index.js", "1"), ("x/.bin/file", "2")])
    );
}

#[test]
fn limits_hold_for_folders() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[MANIFEST, ("a/b", "12345")]);
    let read = |limits: Limits| Bundle::of_folder(folder.path(), &limits);
    assert!(read(Limits { unpacked_bytes: 7, entries: 3, depth: 2, ..SMALL }).is_ok());
    assert!(read(Limits { unpacked_bytes: 6, ..SMALL }).unwrap_err().message().contains("more than 6 bytes"));
    assert!(
        read(Limits { entries: 2, ..SMALL }).unwrap_err().message().contains("more than 2 files and folders")
    );
    assert!(read(Limits { depth: 1, ..SMALL }).unwrap_err().message().contains("2 parts, more than 1"));
}

#[test]
fn an_unpacked_folder_is_complete_for_its_checksum_alone() {
    let apps = tempfile::tempdir().unwrap();
    let folder = apps.path().join("_db/_system/shop/APP");
    let first = bundle(&[MANIFEST, ("lib/a.js", "1"), ("old.js", "")]);
    assert!(!Bundle::is_complete(&folder, "one"));
    first.unpack(&folder, "one").unwrap();
    assert!(Bundle::is_complete(&folder, "one") && !Bundle::is_complete(&folder, "on"));
    assert_eq!(Bundle::of_folder(&folder, &SMALL).unwrap(), first);
    let second = bundle(&[MANIFEST, ("lib/b.js", "2")]);
    second.unpack(&folder, "two").unwrap();
    assert!(Bundle::is_complete(&folder, "two") && !Bundle::is_complete(&folder, "one"));
    assert_eq!(Bundle::of_folder(&folder, &SMALL).unwrap(), second);
    let beside: Vec<_> =
        fs::read_dir(folder.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(beside, ["APP"]);
}

#[test]
fn an_interrupted_write_counts_for_nothing_and_does_not_hinder_the_next() {
    let apps = tempfile::tempdir().unwrap();
    let folder = apps.path().join("shop/APP");
    let first = bundle(&[MANIFEST]);
    // A stopped server leaves half of the new folder, and the old one moved away.
    write(apps.path(), &[("shop/.APP.new/lib/half.js", ""), ("shop/.APP.old/manifest.json", "{}")]);
    assert!(!Bundle::is_complete(&folder, "one"));
    first.unpack(&folder, "one").unwrap();
    assert_eq!(Bundle::of_folder(&folder, &SMALL).unwrap(), first);
    assert!(Bundle::is_complete(&folder, "one") && !apps.path().join("shop/.APP.old").exists());
    // A folder without the marker is not complete either.
    fs::remove_file(folder.join(".persea-bundle")).unwrap();
    assert!(!Bundle::is_complete(&folder, "one"));
}

#[test]
fn a_write_that_fails_leaves_the_old_folder() {
    let apps = tempfile::tempdir().unwrap();
    let folder = apps.path().join("shop/APP");
    let first = bundle(&[MANIFEST]);
    first.unpack(&folder, "one").unwrap();
    // No file system has such a name.
    let long = "a".repeat(300);
    let error = bundle(&[(&long, "")]).unpack(&folder, "two").unwrap_err();
    assert_eq!(error.code(), ErrorCode::CannotWriteFile);
    assert!(Bundle::is_complete(&folder, "one") && !apps.path().join("shop/.APP.new").exists());
    assert!(first.unpack(&folder, "").is_err() && first.unpack(&folder, &"a".repeat(257)).is_err());
    assert!(first.unpack(Path::new("/"), "one").is_err());
}

#[test]
fn a_removed_service_leaves_those_below_its_mount_point() {
    let apps = tempfile::tempdir().unwrap();
    let (outer, inner) = (apps.path().join("shop/APP"), apps.path().join("shop/api/APP"));
    let service = bundle(&[MANIFEST]);
    service.unpack(&outer, "one").unwrap();
    service.unpack(&inner, "one").unwrap();
    Bundle::remove(&outer).unwrap();
    assert!(!outer.exists() && Bundle::is_complete(&inner, "one"));
    Bundle::remove(&outer).unwrap();
    Bundle::remove(&inner).unwrap();
    assert!(!apps.path().join("shop/api").exists());
}
