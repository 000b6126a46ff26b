//! Tests: data files of every form are read in blocks of whole documents, from any block on.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use velocypack::Builder;

use super::data::DataFile;
use super::lines;
use crate::encrypted::Files;

fn text(count: usize) -> Vec<u8> {
    let line = |n| format!("{{\"_key\":\"{n}\",\"text\":\"{}\"}}\n", "x".repeat(n % 50));
    (0..count).flat_map(|n| line(n).into_bytes()).collect()
}

fn array(count: u64) -> Vec<u8> {
    let mut builder = Builder::new();
    builder.open_array().unwrap();
    (0..count).for_each(|n| builder.add_u64(n).unwrap());
    builder.close().unwrap();
    builder.into_vec()
}

/// Returns the whole content, read in blocks; each must end where the next begins.
fn read(path: &Path, position: u64, block_bytes: usize) -> Vec<u8> {
    let mut file = DataFile::open(&Files::default(), path, position).unwrap();
    let (mut all, mut end) = (Vec::new(), position);
    while let Some(block) = file.next_block(block_bytes).unwrap() {
        assert_eq!(block.start, end);
        end = block.end;
        let plain = block.unpack(path).unwrap();
        assert!(file.is_velocypack() || plain.ends_with(b"\n") || file.next_block(1).unwrap().is_none());
        all.extend(plain);
    }
    assert!(file.is_exhausted());
    all
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn every_form_is_read_in_whole_documents() {
    let folder = tempfile::tempdir().unwrap();
    let lines = text(500);
    let without_end = &lines[..lines.len() - 1];
    let mut members = Vec::new();
    for part in lines.chunks(4_000) {
        members.extend_from_slice(gzip_members::Packer::default().pack(part).unwrap());
    }
    let mut stream = GzEncoder::new(Vec::new(), Compression::fast());
    stream.write_all(&lines).unwrap();
    let stream = stream.finish().unwrap();
    let values = [array(3), array(1_000), array(0), array(70_000)].concat();
    for (name, bytes, expected) in [
        ("a.data.json", lines.as_slice(), lines.as_slice()),
        ("b.data.json", without_end, without_end),
        ("empty.data.json", b"", b""),
        ("d.data.json.gz", stream.as_slice(), lines.as_slice()),
        ("e.data.vpack", values.as_slice(), values.as_slice()),
    ] {
        let path = write(folder.path(), name, bytes);
        for block_bytes in [1, 100, 3_000, 1 << 20] {
            assert!(read(&path, 0, block_bytes) == expected, "{name} in blocks of {block_bytes}");
        }
    }
    let path = write(folder.path(), "c.data.json.gz", &members);
    let mut all = Vec::new();
    let mut file = DataFile::open(&Files::default(), &path, 0).unwrap();
    while let Some(block) = file.next_block(1).unwrap() {
        all.extend(block.unpack(&path).unwrap());
    }
    assert!(all == lines);
}

#[test]
fn reading_continues_after_any_block_and_lines_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let lines = text(500);
    let mut stream = GzEncoder::new(Vec::new(), Compression::fast());
    stream.write_all(&lines).unwrap();
    let mut members = Vec::new();
    for part in 0..5 {
        let part: Vec<u8> = lines
            .split_inclusive(|byte| *byte == b'\n')
            .skip(part * 100)
            .take(100)
            .flatten()
            .copied()
            .collect();
        members.extend_from_slice(gzip_members::Packer::default().pack(&part).unwrap());
    }
    for (name, bytes) in [
        ("a.data.json", lines.clone()),
        ("b.data.json.gz", stream.finish().unwrap()),
        ("c.data.json.gz", members),
    ] {
        let path = write(folder.path(), name, &bytes);
        let mut file = DataFile::open(&Files::default(), &path, 0).unwrap();
        let mut before = Vec::new();
        while let Some(block) = file.next_block(2_000).unwrap() {
            assert_eq!(
                DataFile::line_at(&Files::default(), &path, block.start).unwrap(),
                1 + lines::count(&before),
                "{name}"
            );
            let end = block.end;
            before.extend(block.unpack(&path).unwrap());
            let rest = read(&path, end, 5_000);
            assert!([before.as_slice(), &rest].concat() == lines, "{name}");
        }
    }
}

#[test]
fn wrapped_documents_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    for (text, expected) in [
        ("\n{\"type\":2300,\"data\":{\"_key\":\"a\"}}\n", true),
        ("{\"type\":2302,\"key\":\"a\"}\n", true),
        ("{\"type\":2300,\"_key\":\"a\",\"data\":1}\n", false),
        ("{\"_key\":\"a\"}\n", false),
        ("{\n", false),
        ("", false),
    ] {
        let path = write(folder.path(), "a.data.json", text.as_bytes());
        assert_eq!(DataFile::has_envelopes(&Files::default(), &path).unwrap(), expected, "{text}");
    }
}

#[test]
fn text_is_cut_between_lines() {
    assert_eq!(lines::cut(b"ab\ncd\nef", 5), Some(3));
    assert_eq!(lines::cut(b"ab\ncd\nef", 6), Some(6));
    assert_eq!(lines::cut(b"abcdef\ng", 3), Some(7));
    assert_eq!(lines::cut(b"abcdef", 3), None);
    assert_eq!(lines::pieces(b"ab\ncd\nefghijk\nl", 6), [(0, 6), (6, 14), (14, 15)]);
    for count in [0, 1, 300, 70_000] {
        let value = array(count);
        assert_eq!(lines::value_bytes(&value), Some(value.len() as u64), "{count}");
    }
    assert_eq!(lines::value_bytes(b"{"), None);
}
