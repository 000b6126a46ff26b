//! Tests: an export that was interrupted anywhere resumes after its last whole document.

use std::io::Read;
use std::path::Path;

use super::super::form::text_form;
use super::super::output::{Compression, Output, part_of};
use super::super::resume::{Reached, reached};
use super::{settings, written};
use crate::encrypted::Files;
use crate::input;

/// Returns documents so large that a few make a part.
fn documents() -> Vec<String> {
    (0..40).map(|n| format!("{{\"_key\":\"k{n:02}\",\"x\":\"{}\"}}\n", "y".repeat(1 << 20))).collect()
}

fn write_some(output: &mut Output, json: bool, begins: bool, documents: &[String], ends: bool) {
    let settings = settings(&["--collection", "c", "--type", if json { "json" } else { "jsonl" }]).unwrap();
    let mut form = text_form(&settings, "c", !begins);
    let mut text = Vec::new();
    if begins {
        form.begin(&mut text);
    }
    for document in documents {
        form.lines(document.as_bytes(), &mut text).unwrap();
        output.write(&text).unwrap();
        text.clear();
    }
    if ends {
        form.end(&mut text);
        output.write(&text).unwrap();
    }
}

fn content(path: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    input::decompressed(std::fs::File::open(path).unwrap()).unwrap().read_to_end(&mut content).unwrap();
    content
}

#[test]
fn whatever_was_cut_off_comes_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.out");
    let part = part_of(&path);
    let documents = documents();
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        for json in [false, true] {
            let mut output = Output::create(Some(&path), compression, &Files::default(), &written()).unwrap();
            write_some(&mut output, json, true, &documents, true);
            output.finish().unwrap();
            let whole = content(&path);
            let bytes = std::fs::read(&path).unwrap();
            for share in [45, 60, 95] {
                std::fs::write(&part, &bytes[..bytes.len() * share / 100]).unwrap();
                let found = reached(&part, compression).unwrap();
                let Some(Reached { bytes, key: Some(key) }) = found else {
                    panic!("{compression:?} {json} {share}: {found:?}");
                };
                let next = key[1..].parse::<usize>().unwrap() + 1;
                assert!((1..documents.len()).contains(&next), "{compression:?} {share}: {key}");
                let mut output = Output::resume(&path, bytes, compression, &written()).unwrap();
                write_some(&mut output, json, false, &documents[next..], true);
                output.finish().unwrap();
                assert!(content(&path) == whole, "{compression:?} {json} {share}");
            }
        }
    }
}

#[test]
fn the_last_whole_line_says_how_far_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part");
    let at = |text: &str| {
        std::fs::write(&path, text).unwrap();
        reached(&path, Compression::None)
    };
    let key = |bytes: u64, key: &str| Some(Reached { bytes, key: Some(key.to_owned()) });
    assert_eq!(at("").unwrap(), None);
    assert_eq!(at("{\"_key\":\"a").unwrap(), None);
    assert_eq!(at("{\"_key\":\"a\"}\n").unwrap(), key(13, "a"));
    assert_eq!(at("{\"_key\":\"a\"}\n{\"_key\":\"b\"}\n{\"_k").unwrap(), key(26, "b"));
    assert_eq!(at("[\n").unwrap(), Some(Reached { bytes: 2, key: None }));
    assert_eq!(at("[\n{\"_key\":\"a\"},\n{\"_").unwrap(), key(14, "a"));
    let failure = at("{\"a\":1}\n").unwrap_err();
    assert!(failure.text().contains("--overwrite") && failure.text().contains("part"), "{}", failure.text());
    let long = format!("{{\"_key\":\"a\"}}\n{{\"_key\":\"b\",\"x\":\"{}\"}}\nrest", "y".repeat(1 << 20));
    assert_eq!(at(&long).unwrap(), key(long.len() as u64 - 4, "b"));
}

#[test]
fn a_file_has_its_name_only_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    let mut output = Output::create(Some(&path), Compression::None, &Files::default(), &written()).unwrap();
    output.write(b"{}\n").unwrap();
    assert!(!path.exists() && part_of(&path).exists());
    output.finish().unwrap();
    assert!(path.exists() && !part_of(&path).exists());
    let failure =
        Output::create(Some(Path::new("/nowhere/c")), Compression::None, &Files::default(), &written())
            .err()
            .unwrap();
    assert!(failure.text().contains("/nowhere/c"), "{}", failure.text());
}
