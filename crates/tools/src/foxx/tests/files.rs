//! Tests of bundles, downloads and new services.

use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::super::archive::{pack, unpack};
use super::super::folder::{Bounds, files};
use super::super::init::add_patterns;
use super::mock::Mock;
use super::{mistake, run};

/// Returns a folder with files; names that end with a slash are folders.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "{}").unwrap();
    }
    folder
}

fn names(archive: &[u8]) -> Vec<String> {
    let archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

/// Returns an archive with entries.
fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_bundle_has_the_files_of_a_folder() {
    let source = folder(&[
        "manifest.json",
        "index.js",
        "lib/a.js",
        ".git/config",
        "b.swp",
        "node_modules/joi/index.js",
        "node_modules/.bin/run",
        "lib/node_modules/.bin/run",
        "lib/.bin/kept",
    ]);
    symlink("/etc/hostname", source.path().join("node_modules/.bin/link")).unwrap();
    let first = pack(source.path(), false).unwrap();
    let expected = ["index.js", "lib/.bin/kept", "lib/a.js", "manifest.json", "node_modules/joi/index.js"];
    assert_eq!(names(&first), expected);
    assert_eq!(pack(source.path(), false).unwrap(), first);
    fs::write(source.path().join(".foxxignore"), "node_modules/\n/lib/\n!lib/a.js\n").unwrap();
    let expected = [".foxxignore", "b.swp", "index.js", "lib/a.js", "manifest.json"];
    assert_eq!(names(&pack(source.path(), false).unwrap()), expected);
}

#[test]
fn a_bundle_has_a_manifest_and_no_links() {
    let source = folder(&["index.js"]);
    let path = source.path().to_str().unwrap();
    let text = mistake(&["bundle", path, "--stdout"]);
    assert!(text.contains("manifest.json is missing or left out"), "{text}");
    assert_eq!(names(&pack(source.path(), true).unwrap()), ["index.js"]);
    fs::write(source.path().join("manifest.json"), "{").unwrap();
    let text = mistake(&["bundle", path, "--stdout"]);
    assert!(text.contains("manifest.json is not valid JSON"), "{text}");
    fs::write(source.path().join("manifest.json"), "[]").unwrap();
    assert!(mistake(&["bundle", path, "--stdout"]).contains("must have a JSON object"));
    fs::write(source.path().join("manifest.json"), "{}").unwrap();
    symlink("/etc/hostname", source.path().join("link")).unwrap();
    let text = mistake(&["bundle", path, "--stdout"]);
    assert!(text.contains("link is a symbolic link") && text.contains(".foxxignore"), "{text}");
    fs::write(source.path().join(".foxxignore"), "link").unwrap();
    assert!(pack(source.path(), false).is_ok());
}

#[test]
fn a_bundle_overwrites_no_file_without_force() {
    let source = folder(&["manifest.json"]);
    let (path, target) = (source.path().to_str().unwrap(), source.path().join("b.zip"));
    let target = target.to_str().unwrap();
    run(&["bundle", path, "-o", target]).unwrap();
    assert_eq!(names(&fs::read(target).unwrap()), ["manifest.json"]);
    let text = mistake(&["zip", path, "-o", target]);
    assert!(text.contains("exists already; --force overwrites it"), "{text}");
    run(&["zip", path, "-fo", target]).unwrap();
}

#[test]
fn the_files_of_a_service_are_bounded() {
    let source = folder(&["a", "b", "lib/c"]);
    let fits = Bounds { files: 3, bytes: 6, entries: 4 };
    assert_eq!(files(source.path(), &fits).unwrap().len(), 3);
    let target = tempfile::tempdir().unwrap();
    let packed = archive(&[("a", "{}"), ("b", "{}"), ("lib/c", "{}")]);
    assert_eq!(unpack(&packed, target.path(), false, &fits).unwrap(), 3);
    let cases = [
        (Bounds { files: 2, ..fits }, "more than 2 files", "more than 2 entries"),
        (Bounds { bytes: 5, ..fits }, "more than 5 bytes", "more than 5 bytes"),
        (Bounds { entries: 3, ..fits }, "more than 3 files and folders", ""),
    ];
    for (bounds, of_folder, of_archive) in cases {
        let text = files(source.path(), &bounds).unwrap_err().text().to_owned();
        assert!(text.contains(of_folder), "{text}");
        if let Err(failure) = unpack(&packed, target.path(), true, &bounds) {
            assert!(!of_archive.is_empty() && failure.text().contains(of_archive), "{}", failure.text());
        } else {
            assert_eq!(of_archive, "");
        }
    }
}

#[test]
fn a_download_is_unpacked_into_its_folder_only() {
    let target = tempfile::tempdir().unwrap();
    let place = target.path().join("new");
    let download = |bytes: Vec<u8>, more: &[&str]| {
        let mock = Mock::with_headers(200, Vec::new(), bytes);
        let line = ["download", "/m", "--extract", "-o", place.to_str().unwrap(), &mock.endpoint];
        run(&[&line, more].concat())
    };
    let service = archive(&[("manifest.json", "{}"), ("lib/a.js", "1")]);
    download(service.clone(), &[]).unwrap();
    assert_eq!(fs::read_to_string(place.join("lib/a.js")).unwrap(), "1");
    let text = download(service.clone(), &[]).unwrap_err();
    assert!(text.text().contains("manifest.json exists already"), "{}", text.text());
    download(service, &["--force"]).unwrap();
    for name in ["../out", "/etc/out", "a/../../out", "a\\..\\out"] {
        let failure = download(archive(&[("fine", ""), (name, "")]), &[]).unwrap_err();
        assert!(failure.text().contains("outside of the folder"), "{name}: {}", failure.text());
        assert!(!place.join("fine").exists());
    }
    let mut links = ZipWriter::new(Cursor::new(Vec::new()));
    links.add_symlink("link", "/etc/hostname", SimpleFileOptions::default()).unwrap();
    let failure = download(links.finish().unwrap().into_inner(), &[]).unwrap_err();
    assert!(failure.text().contains("the symbolic link \"link\""), "{}", failure.text());
    assert!(download(b"no archive".to_vec(), &[]).unwrap_err().text().contains("cannot be unpacked"));
}

#[test]
fn a_new_service_can_be_bundled() {
    let parent = tempfile::tempdir().unwrap();
    for (name, more, count) in [("1 my-shop", &[][..], 2), ("notes", &["--example"], 5)] {
        let place = parent.path().join(name);
        let path = place.to_str().unwrap();
        run(&[&["init", path], more].concat()).unwrap();
        assert_eq!(names(&pack(&place, false).unwrap()).len(), count);
        assert!(mistake(&["init", path]).contains("manifest.json exists already"));
    }
    let manifest = fs::read_to_string(parent.path().join("1 my-shop/manifest.json")).unwrap();
    assert!(manifest.contains("\"name\": \"my-shop\""), "{manifest}");
}

#[test]
fn patterns_are_added_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".foxxignore");
    let add = |patterns: &[&str], replaces| {
        add_patterns(Path::new(&file), patterns, replaces).unwrap();
        fs::read_to_string(&file).unwrap()
    };
    let defaults = ".git/\n.svn/\n.hg/\n*.swp\n.DS_Store\n";
    assert_eq!(add(&[], false), defaults);
    assert_eq!(add(&["a/", "*.swp"], false), format!("{defaults}a/\n"));
    assert_eq!(add(&["b"], true), "b\n");
    assert_eq!(add(&[], true), "");
    assert_eq!(add(&["c"], false), "c\n");
}
