//! Archives that are right, and those of attackers.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{AesMode, CompressionMethod, ZipWriter};

use super::*;

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

fn zip_with(options: SimpleFileOptions, files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in files {
        if path.ends_with('/') {
            writer.add_directory(*path, options).unwrap();
        } else {
            writer.start_file(*path, options).unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    zip_with(stored(), files)
}

/// Replaces all occurrences of a text by one of the same length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, from).collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place..place + to.len()].copy_from_slice(to);
    }
    bytes
}

fn refusal(bytes: &[u8]) -> String {
    let error = Bundle::of_zip(bytes, &SMALL).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ServiceSourceError, "{error}");
    error.message().to_owned()
}

#[test]
fn the_manifest_nearest_to_the_root_decides_the_folder() {
    let files = [
        ("repo-main/", ""),
        ("repo-main/manifest.json", "{}"),
        ("repo-main/lib/a.js", "1"),
        ("repo-main/node_modules/x/manifest.json", "{}"),
        ("repo-main/empty/", ""),
        ("other.txt", ""),
    ];
    let bundle = Bundle::of_zip(&zip(&files), &SMALL).unwrap();
    assert_eq!(paths(&bundle), ["lib/a.js", "manifest.json", "node_modules/x/manifest.json"]);
    assert_eq!(bundle.file("lib/a.js"), Some(&b"1"[..]));
}

#[test]
fn without_a_manifest_there_is_no_service() {
    for files in [&[][..], &[("index.js", "")], &[("x.manifest.json", "{}"), ("manifest.json/a", "")]] {
        let error = Bundle::of_zip(&zip(files), &SMALL).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ServiceManifestNotFound);
    }
}

#[test]
fn two_services_in_one_archive_are_refused() {
    let message =
        refusal(&zip(&[("a/manifest.json", "{}"), ("b/manifest.json", "{}"), ("a/x/manifest.json", "")]));
    assert!(message.contains("'a/manifest.json' and 'b/manifest.json'"), "{message}");
    let nearer = zip(&[("a/manifest.json", "{}"), ("b/manifest.json", "{}"), ("manifest.json", "{}")]);
    assert_eq!(Bundle::of_zip(&nearer, &SMALL).unwrap().paths().count(), 3);
}

#[test]
fn paths_out_of_the_folder_are_refused() {
    for (path, fault) in [
        ("../a.js", "the part '..'"),
        ("x/../../a.js", "the part '..'"),
        ("/etc/passwd", "is absolute"),
        ("C:/a.js", "letter of a drive"),
        ("./x/C:a.js", "letter of a drive"),
        ("..\\a.js", "the part '..'"),
        ("a\nb", "a control character"),
        ("a\0b", "a control character"),
        ("./", "is empty"),
        ("1/2/3/4/5/6", "6 parts, more than 5"),
    ] {
        let placeholder = "p".repeat(path.len());
        let bytes = zip(&[("manifest.json", "{}"), (&placeholder, "x")]);
        let message = refusal(&patched(bytes, placeholder.as_bytes(), path.as_bytes()));
        assert!(message.contains(fault), "{path}: {message}");
    }
    let message = refusal(&zip(&[("manifest.json", "{}"), (&"a/".repeat(60), "")]));
    assert!(message.contains("120 bytes, more than 100"), "{message}");
    let limits = Limits { path_bytes: 1_000, ..SMALL };
    let long = zip(&[("manifest.json", "{}"), (&"a".repeat(256), "")]);
    assert!(Bundle::of_zip(&long, &limits).unwrap_err().message().contains("a part of more than 255 bytes"));
}

#[test]
fn harmless_paths_are_cleaned() {
    let bytes = zip(&[("manifest.json", "{}"), ("pppppppppp", "x"), ("a..b/c.js", "y")]);
    let bundle = Bundle::of_zip(&patched(bytes, b"pppppppppp", b".//x/./y.j"), &SMALL).unwrap();
    assert_eq!(paths(&bundle), ["a..b/c.js", "manifest.json", "x/y.j"]);
}

#[test]
fn names_in_utf_8_are_taken_with_and_without_their_flag() {
    let bundle = Bundle::of_zip(&zip(&[("manifest.json", "{}"), ("ä.js", "x")]), &SMALL).unwrap();
    assert_eq!(paths(&bundle), ["manifest.json", "ä.js"]);
    let bytes = zip(&[("manifest.json", "{}"), ("pp.js", "x")]);
    let bundle = Bundle::of_zip(&patched(bytes, b"pp.js", "ä.js".as_bytes()), &SMALL).unwrap();
    assert_eq!(paths(&bundle), ["manifest.json", "ä.js"]);
}

#[test]
fn a_name_twice_is_refused() {
    let files = [("manifest.json", "{}"), ("a1.js", "1"), ("a2.js", "2")];
    assert!(refusal(&patched(zip(&files), b"a2.js", b"a1.js")).contains("twice"));
    let files = [("manifest.json", "{}"), ("a.js", "1"), ("ppaajs", "2")];
    assert!(refusal(&patched(zip(&files), b"ppaajs", b"./a.js")).contains("'a.js' twice"));
    let files = [("manifest.json", "{}"), ("a", "1"), ("a/b.js", "2")];
    assert!(refusal(&zip(&files)).contains("the file 'a' and, as if it were a folder, 'a/b.js'"));
}

#[test]
fn links_and_special_files_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(zip(&[("manifest.json", "{}")])));
    writer.start_file("manifest.json", stored()).unwrap();
    writer.add_symlink("passwd", "/etc/passwd", stored()).unwrap();
    assert!(refusal(&writer.finish().unwrap().into_inner()).contains("'passwd' of the bundle is a link"));
    let mut bytes = zip(&[("manifest.json", "{}"), ("fifo", "")]);
    let last = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
    bytes[last + 40..last + 42].copy_from_slice(&0o010_644_u16.to_le_bytes());
    assert!(refusal(&bytes).contains("'fifo' of the bundle is a link or a special file"));
}

#[test]
fn encrypted_files_are_refused() {
    let options = stored().with_aes_encryption(AesMode::Aes256, "secret");
    let message = refusal(&zip_with(options, &[("manifest.json", "{}")]));
    assert!(message.contains("encrypted"), "{message}");
}

#[test]
fn bombs_are_refused_before_they_are_large() {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let half = " ".repeat(SMALL.unpacked_bytes / 2);
    let two = zip_with(options, &[("manifest.json", "{}"), ("a", &half), ("b", &half)]);
    assert!(two.len() < SMALL.unpacked_bytes / 100);
    assert!(refusal(&two).contains("more than 1048576 bytes"));
    let one = zip_with(options, &[("manifest.json", "{}"), ("a", &half)]);
    assert!(Bundle::of_zip(&one, &SMALL).is_ok());
    // The list of the archive claims that the file is small.
    let claimed = (half.len() as u32).to_le_bytes();
    let lying = patched(two, &claimed, &10_u32.to_le_bytes());
    refusal(&lying);
    let many: Vec<String> = (0..=SMALL.entries).map(|number| format!("f{number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
    assert!(refusal(&zip(&many)).contains("more than 50 entries"));
    assert!(refusal(&vec![0; SMALL.packed_bytes + 1]).contains("at most 1048576 are allowed"));
}

#[test]
fn damage_is_refused() {
    let good = zip(&[("manifest.json", "{}"), ("a.js", "const answer = 42;")]);
    assert!(refusal(b"").contains("not a ZIP archive"));
    assert!(refusal(b"const x = 1;").contains("not a ZIP archive"));
    assert!(refusal(&good[..good.len() / 2]).contains("not a ZIP archive"));
    let message = refusal(&patched(good, b"42", b"43"));
    assert!(message.contains("the file 'a.js' of the bundle cannot be read"), "{message}");
    let method = zip_with(stored(), &[("manifest.json", "{}")]);
    let mut lzma = method.clone();
    let entry = memchr::memmem::find(&method, b"PK\x01\x02").unwrap();
    lzma[entry + 10] = 14;
    assert!(refusal(&lzma).contains("compression method not supported: 14"));
}

#[test]
fn the_marker_of_folders_is_in_no_bundle() {
    let files = [("x/manifest.json", "{}"), ("x/.persea-bundle", "abc"), ("x/a/.persea-bundle", "kept")];
    let bundle = Bundle::of_zip(&zip(&files), &SMALL).unwrap();
    assert_eq!(paths(&bundle), ["a/.persea-bundle", "manifest.json"]);
}
