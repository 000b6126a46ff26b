//! Encrypted dumps: nothing of the data is readable, and the form is ArangoDB's.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use serde_json::{Value, json};

use crate::dump_broken::{DOCUMENTS, break_off_twice};
use crate::support::dumps::{fail, small_dump, succeed};
use crate::support::tool::write;
use crate::support::{Client, Server, post, query};

const KEY: &[u8; 32] = b"an encryption key of 32 bytes...";
const IV_BYTES: usize = 16;

/// Encrypts or decrypts a text, written from the definition: the block cipher encrypts a big-endian
/// counter of 128 bits, and the text is added.
fn counter_mode(key: &[u8; 32], iv: [u8; IV_BYTES], text: &[u8]) -> Vec<u8> {
    let cipher = Aes256::new(key.into());
    let mut counter = u128::from_be_bytes(iv);
    let mut out = Vec::with_capacity(text.len());
    for part in text.chunks(IV_BYTES) {
        let mut block = counter.to_be_bytes().into();
        cipher.encrypt_block(&mut block);
        out.extend(part.iter().zip(block).map(|(byte, stream)| byte ^ stream));
        counter = counter.wrapping_add(1);
    }
    out
}

/// Returns the bytes of an encrypted file.
fn encrypt(iv: [u8; IV_BYTES], text: &[u8]) -> Vec<u8> {
    [&iv[..], &counter_mode(KEY, iv, text)].concat()
}

fn decrypt(bytes: &[u8]) -> Vec<u8> {
    let (iv, text) = bytes.split_at(IV_BYTES);
    counter_mode(KEY, iv.try_into().unwrap(), text)
}

/// Returns all files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.clone(), std::fs::read(path).unwrap())),
        }
    }
    found
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

fn keyfile(folder: &Path) -> String {
    write(folder, "key", KEY)
}

fn fill(client: &mut Client) {
    post(client, "/_api/collection", &json!({"name": "c"}));
    let index = json!({"type": "persistent", "fields": ["confidential"], "name": "hiddenIndex"});
    post(client, "/_api/index?collection=c", &index);
    post(
        client,
        "/_api/view",
        &json!({"name": "v", "type": "arangosearch", "links": {"c": {"trackListPositions": true}}}),
    );
    query(
        client,
        "FOR i IN 1..5000 INSERT {_key: CONCAT('key', i), confidential: CONCAT('Kryptonite', i), i} INTO c",
    );
}

/// Returns a summary of the restored data.
fn summary(client: &mut Client) -> Value {
    let digest = "RETURN [LENGTH(c), SUM(FOR d IN c RETURN HASH([d._key, d.confidential, d.i]) % 1000003)]";
    let indexes = client.json("GET", "/_api/index?collection=c", "").json();
    let names: Vec<_> =
        indexes["indexes"].as_array().unwrap().iter().map(|index| index["name"].clone()).collect();
    let view = client.json("GET", "/_api/view/v", "").json()["name"].clone();
    json!([query(client, digest), names, view])
}

#[test]
fn nothing_of_the_data_is_readable_and_everything_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(&folder.path().join("source"), &[]);
    let target = Server::start(&folder.path().join("target"), &[]);
    fill(&mut source.connect());
    let expected = summary(&mut source.connect());
    let key = keyfile(folder.path());
    let key = ["--encryption.keyfile", &key];
    for (number, form) in [
        &[][..],
        &["--compress-output", "false"],
        &["--split-files", "true", "--threads", "3", "--batch-size", "64KiB"],
        &["--dump-vpack", "true", "--compress-output", "false"],
        &["--envelope", "true"],
        &["--parallel-dump", "false", "--compress-output", "false"],
    ]
    .into_iter()
    .enumerate()
    {
        let dump = folder.path().join(format!("dump{number}"));
        succeed("dump", &source, &dump, &[&key, form].concat());
        let mut vectors = Vec::new();
        for (path, bytes) in files(&dump) {
            let name = path.file_name().unwrap().to_str().unwrap();
            if name == "ENCRYPTION" {
                assert_eq!(bytes, b"aes-256-ctr");
                continue;
            }
            for text in
                ["Kryptonite", "confidential", "hiddenIndex", "parameters", "database", "_key", "trackList"]
            {
                assert!(!has(&bytes, text), "{text} is in {name} of {form:?}");
            }
            vectors.push(bytes[..IV_BYTES].to_vec());
            let plain = decrypt(&bytes);
            match name.rsplit_once('.').unwrap().1 {
                "gz" => assert_eq!(plain[..2], [0x1f, 0x8b], "{name}"),
                "vpack" => assert!(has(&plain, "Kryptonite5000")),
                _ if name.contains(".data.") => assert!(has(&plain, "\"Kryptonite5000\"")),
                _ => assert!(serde_json::from_slice::<Value>(&plain).unwrap().is_object(), "{name}"),
            }
        }
        let count = vectors.len();
        vectors.sort();
        vectors.dedup();
        assert!(count >= 4 && vectors.len() == count, "every file has a vector of its own");
        succeed("restore", &target, &dump, &key);
        assert_eq!(summary(&mut target.connect()), expected, "{form:?}");
    }
}

#[test]
fn a_key_that_does_not_fit_is_refused_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(&folder.path().join("source"), &[]);
    let target = Server::start(&folder.path().join("target"), &[]);
    fill(&mut source.connect());
    let (dump, plain) = (folder.path().join("dump"), folder.path().join("plain"));
    let (key, wrong) = (keyfile(folder.path()), write(folder.path(), "wrong", [7; 32]));
    let short = write(folder.path(), "short", [7; 31]);
    let key = ["--encryption.keyfile", &key];
    let wrong = ["--encryption.keyfile", &wrong];
    succeed("dump", &source, &dump, &key);
    succeed("dump", &source, &plain, &[]);
    let before = (files(&dump), files(&plain));
    let fresh = ["--server.database", "fresh", "--create-database", "true"];
    for (folder, options, expected) in [
        (&dump, &[][..], "is encrypted (aes-256-ctr); give its key with --encryption.keyfile"),
        (&dump, &wrong, "the encryption key is probably wrong"),
        (&plain, &key, "is not encrypted; leave out --encryption.keyfile"),
        (&dump, &["--encryption.keyfile", &short], "32 bytes, but has 31"),
        (&dump, &["--encryption.keyfile", "/no/such/key"], "/no/such/key"),
        (&dump, &[&key[..], &["--encryption.key-generator", "true"]].concat(), "cannot be combined"),
    ] {
        for more in [&fresh[..], &["--force", "true"]] {
            let said = fail("restore", &target, folder, &[options, more].concat());
            assert!(said.contains(expected), "{options:?}: {said}");
        }
    }
    let mut client = target.connect();
    let databases = client.json("GET", "/_api/database", "").json();
    assert_eq!(databases["result"], json!(["_system"]));
    let collections = client.json("GET", "/_api/collection?excludeSystem=true", "").json();
    assert_eq!(collections["result"], json!([]));
    // A dump into the folder of another one.
    for (folder, options, expected) in [
        (&dump, &[][..], "is encrypted"),
        (&dump, &wrong, "the encryption key is probably wrong"),
        (&plain, &key, "is not encrypted"),
    ] {
        let said = fail("dump", &source, folder, &[options, &["--overwrite", "true"]].concat());
        assert!(said.contains(expected), "{options:?}: {said}");
    }
    assert!((files(&dump), files(&plain)) == before);
    succeed("dump", &source, &dump, &[&key[..], &["--overwrite", "true"]].concat());
    assert!(files(&dump) != before.0, "every file has a new vector");
}

#[test]
fn files_made_by_hand_are_restored_with_a_key_of_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("server"), &[]);
    let dump = folder.path().join("dump");
    std::fs::create_dir(&dump).unwrap();
    let file = |name: &str, bytes: &[u8]| std::fs::write(dump.join(name), bytes).unwrap();
    file("ENCRYPTION", b"aes-256-ctr");
    let info = br#"{"database":"d","lastTickAtDumpStart":"1","useEnvelope":false,"properties":{}}"#;
    file("dump.json", &encrypt(*b"0123456789abcdef", info));
    let structure = br#"{"parameters":{"name":"c","type":2},"indexes":[]}"#;
    file("c_4a8a08f09d37b73795649038408b5f33.structure.json", &encrypt([0; IV_BYTES], structure));
    // The counter overflows within the file.
    let mut vector = [0xff; IV_BYTES];
    vector[IV_BYTES - 1] = 0xf0;
    let lines: String = (0..9_000).map(|n| format!("{{\"_key\":\"{n}\",\"n\":{n}}}\n")).collect();
    file("c_4a8a08f09d37b73795649038408b5f33.data.json", &encrypt(vector, lines.as_bytes()));
    let generator = write(
        folder.path(),
        "generator",
        format!("#!/bin/sh\nprintf %s '{}'\n", std::str::from_utf8(KEY).unwrap()),
    );
    std::fs::set_permissions(&generator, std::fs::Permissions::from_mode(0o700)).unwrap();
    succeed("restore", &server, &dump, &["--encryption.key-generator", &generator]);
    let sum = query(&mut server.connect(), "RETURN [LENGTH(c), SUM(FOR d IN c RETURN d.n)]");
    assert_eq!(sum, json!([[9_000, 9_000 * 8_999 / 2]]));
}

/// OpenSSL is a third implementation of the format.
#[test]
fn openssl_decrypts_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("server"), &[]);
    fill(&mut server.connect());
    let dump = folder.path().join("dump");
    let key = keyfile(folder.path());
    succeed("dump", &server, &dump, &["--encryption.keyfile", &key, "--compress-output", "false"]);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (path, bytes) in files(&dump).into_iter().filter(|(path, _)| !path.ends_with("ENCRYPTION")) {
        let (iv, text) = bytes.split_at(IV_BYTES);
        let arguments = ["enc", "-d", "-aes-256-ctr", "-K", &hex(KEY), "-iv", &hex(iv)];
        let child =
            Command::new("openssl").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        // Machines without the program test the rest.
        let Ok(mut child) = child else { return };
        let mut input = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(text).unwrap());
            child.wait_with_output().unwrap()
        });
        assert!(output.status.success() && output.stdout == decrypt(&bytes), "{}", path.display());
    }
}

#[test]
fn all_databases_are_dumped_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let source = Server::start(&folder.path().join("source"), &[]);
    let target = Server::start(&folder.path().join("target"), &[]);
    let mut client = source.connect();
    post(&mut client, "/_api/database", &json!({"name": "other"}));
    for database in ["_system", "other"] {
        post(&mut client, &format!("/_db/{database}/_api/collection"), &json!({"name": "c"}));
        post(&mut client, &format!("/_db/{database}/_api/document/c"), &json!({"_key": "k", "of": database}));
    }
    let dump = folder.path().join("dump");
    let key = keyfile(folder.path());
    let options = ["--all-databases", "true", "--encryption.keyfile", &key];
    succeed("dump", &source, &dump, &options);
    let create = ["--create-database", "true"];
    let said = fail("restore", &target, &dump, &[&options[..2], &create].concat());
    assert!(said.contains("is encrypted"), "{said}");
    succeed("restore", &target, &dump, &[&options[..], &create].concat());
    let mut client = target.connect();
    for database in ["_system", "other"] {
        let read = client.json("GET", &format!("/_db/{database}/_api/document/c/k"), "").json();
        assert_eq!(read["of"], database);
    }
}

#[test]
fn an_interrupted_restore_of_an_encrypted_dump_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let line = |n| format!("{{\"_key\":\"{n}\",\"_rev\":\"_cPlZM_e---\",\"n\":{n}}}\n");
    let (server, dump) = small_dump(folder.path(), &(0..DOCUMENTS).map(line).collect::<String>());
    for (number, (path, plain)) in files(&dump).into_iter().enumerate() {
        std::fs::write(path, encrypt([number as u8; IV_BYTES], &plain)).unwrap();
    }
    std::fs::write(dump.join("ENCRYPTION"), "aes-256-ctr\n").unwrap();
    let key = keyfile(folder.path());
    break_off_twice(folder.path(), server, (&dump, &["--encryption.keyfile", &key]), "0", 0);
}
