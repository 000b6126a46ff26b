//! Failures of dumps and restores: errors name the damage, and interrupted runs can be resumed.

use std::path::Path;
use std::process::{Command, Stdio};

use harness::wait_until;
use serde_json::json;

use crate::support::dumps::{command, fail, small_dump, succeed};
use crate::support::{Server, query};

#[test]
fn what_is_broken_is_named_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let good: String =
        (0..20_000).map(|n| format!("{{\"_key\":\"{n}\",\"text\":\"some text to fill it\"}}\n")).collect();
    let (server, dump) = small_dump(folder.path(), &format!("{good}\n{{\"_key\":\"x\",\n{good}"));
    let data = dump.join("c.data.json");
    let batch = ["--batch-size", "128KiB", "--threads", "3"];
    assert!(fail("restore", &server, &dump, &batch).contains("c.data.json, line 20002"));
    std::fs::write(&data, format!("{good}{{\"n\":1}}\n{good}")).unwrap();
    let text = fail("restore", &server, &dump, &batch);
    assert!(text.contains("c.data.json, line 20001") && text.contains("without '_key'"), "{text}");
    std::fs::write(&data, &good).unwrap();
    succeed("restore", &server, &dump, &batch);

    // Packed files that are truncated or damaged: Persea's own, and those of other programs.
    let packed = folder.path().join("packed");
    succeed("dump", &server, &packed, &["--batch-size", "200000"]);
    let file = packed.join("c_4a8a08f09d37b73795649038408b5f33.data.json.gz");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 20]).unwrap();
    let text = fail("restore", &server, &packed, &batch);
    assert!(text.contains("data.json.gz is cut off at byte") && text.contains("line"), "{text}");
    let mut broken = whole.clone();
    broken[whole.len() / 2] ^= 0x55;
    std::fs::write(&file, &broken).unwrap();
    for options in [&batch[..], &[]] {
        let text = fail("restore", &server, &packed, options);
        assert!(text.contains("data.json.gz, byte ") && text.contains("damaged"), "{text}");
    }
    // With small batches the restore divides the file; without them it sends the file as it is.
    let wrong = format!("{good}{{\"n\":1}}\n{good}");
    std::fs::write(&file, gzip_members::Packer::default().pack(wrong.as_bytes()).unwrap()).unwrap();
    for options in [&batch[..], &[]] {
        let text = fail("restore", &server, &packed, options);
        assert!(text.contains("data.json.gz, line 20001") && text.contains("without '_key'"), "{text}");
    }
    std::fs::remove_file(&file).unwrap();
    let plain = packed.join("c_4a8a08f09d37b73795649038408b5f33.data.json");
    std::fs::write(&plain, &good).unwrap();
    assert!(Command::new("gzip").arg(&plain).status().unwrap().success());
    succeed("restore", &server, &packed, &batch);
    let mut client = server.connect();
    assert_eq!(query(&mut client, "RETURN LENGTH(c)"), json!([20_000]));
    let foreign = std::fs::read(&file).unwrap();
    std::fs::write(&file, &foreign[..foreign.len() / 2]).unwrap();
    let text = fail("restore", &server, &packed, &batch);
    assert!(text.contains("data.json.gz is cut off"), "{text}");
    // Other programs accept Persea's files.
    std::fs::write(&file, &whole).unwrap();
    assert!(Command::new("gzip").args(["-t"]).arg(&file).status().unwrap().success());

    std::fs::write(packed.join("ENCRYPTION"), "aes-256-ctr").unwrap();
    assert!(fail("restore", &server, &packed, &[]).contains("encrypted"));
    std::fs::remove_file(packed.join("ENCRYPTION")).unwrap();
    let info = std::fs::read_to_string(packed.join("dump.json"))
        .unwrap()
        .replace("\"isComplete\":true", "\"isComplete\":false");
    std::fs::write(packed.join("dump.json"), info).unwrap();
    assert!(fail("restore", &server, &packed, &[]).contains("incomplete"));
    assert!(
        fail("restore", &server, &folder.path().join("nowhere"), &[]).contains("nowhere is not a folder")
    );
    assert!(fail("dump", &server, &packed, &[]).contains("--overwrite"));
    assert!(
        fail("dump", &server, &folder.path().join("x"), &["--collection", "nothing"]).contains("\"nothing\"")
    );
    assert!(fail("restore", &server, &dump, &["--collection", "nothing"]).contains("\"nothing\""));
    assert!(fail("restore", &server, folder.path(), &[]).contains("--all-databases"));
    let both = ["--collection", "c", "--ignore-collection", "d"];
    assert!(fail("dump", &server, &folder.path().join("x"), &both).contains("cannot be combined"));
}

#[test]
fn attributes_that_occur_twice_are_refused_or_cleaned_up() {
    let folder = tempfile::tempdir().unwrap();
    let documents = "{\"_key\":\"a\",\"n\":1}\n{\"_key\":\"b\",\"n\":2,\"m\":{\"x\":3,\"x\":4},\"n\":5}\n";
    let (server, dump) = small_dump(folder.path(), documents);
    let text = fail("restore", &server, &dump, &[]);
    assert!(text.contains("c.data.json, line 2") && text.contains("'x'"), "{text}");
    succeed("restore", &server, &dump, &["--cleanup-duplicate-attributes", "true"]);
    let found = query(&mut server.connect(), "FOR d IN c SORT d._key RETURN [d._key, d.n, d.m.x]");
    assert_eq!(found, json!([["a", 1, null], ["b", 2, 3]]));
}

#[test]
fn a_full_disk_is_said() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (server, dump) = small_dump(folder.path(), "{\"_key\":\"a\"}\n");
    succeed("restore", &server, &dump, &[]);
    let full = folder.path().join("full");
    std::fs::create_dir(&full).unwrap();
    std::os::unix::fs::symlink("/dev/full", full.join("dump.json")).unwrap();
    let text = fail("dump", &server, &full, &["--overwrite", "true"]);
    assert!(text.contains("dump.json cannot be written") && text.contains("incomplete"), "{text}");
}

/// Runs a restore, and interrupts it in the middle with `breaks`.
fn break_off(
    server: &Server,
    (dump, more): (&Path, &[&str]),
    breaks: impl FnOnce(&mut std::process::Child),
) -> std::process::ExitStatus {
    let options = ["--batch-size", "128KiB", "--threads", "2"];
    let mut command = command("restore", server, dump, &[&options[..], more].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut client = server.connect();
    let is_in_the_middle = || {
        let reply = client.json("GET", "/_api/collection/c/count", "").json();
        reply["count"].as_u64().is_some_and(|count| count > 5_000)
    };
    wait_until("the restore does not begin", is_in_the_middle).unwrap();
    breaks(&mut child);
    child.wait().unwrap()
}

#[test]
fn an_interrupted_restore_resumes_without_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let line = |n| format!("{{\"_key\":\"{n}\",\"_rev\":\"_cPlZM_e---\",\"n\":{n}}}\n");
    let (server, dump) = small_dump(folder.path(), &(0..DOCUMENTS).map(line).collect::<String>());
    break_off_twice(folder.path(), server, (&dump, &[]), "0", 0);
}

/// The edge index is built after the edges are loaded.
#[test]
fn an_interrupted_restore_of_edges_resumes_without_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let line = |n| {
        let (from, to) = (n % 100, n % 7);
        format!(
            "{{\"_key\":\"{n}\",\"_rev\":\"_cPlZM_e---\",\"_from\":\"v/{from}\",\"_to\":\"v/{to}\",\"n\":{n}}}\n"
        )
    };
    let (server, dump) = small_dump(folder.path(), &(0..DOCUMENTS).map(line).collect::<String>());
    std::fs::write(dump.join("c.structure.json"), r#"{"parameters":{"name":"c","type":3},"indexes":[]}"#)
        .unwrap();
    let edges = "LENGTH(FOR v IN OUTBOUND 'v/42' c RETURN 1)";
    break_off_twice(folder.path(), server, (&dump, &[]), edges, DOCUMENTS / 100);
}

pub(crate) const DOCUMENTS: u64 = 200_000;

/// Interrupts a restore by killing the tool and then the server, and resumes it each time. The
/// expression `further` must be `answer` when all documents are restored.
pub(crate) fn break_off_twice(
    folder: &Path,
    server: Server,
    (dump, more): (&Path, &[&str]),
    further: &str,
    answer: u64,
) {
    let status = break_off(&server, (dump, more), |child| child.kill().unwrap());
    assert!(!status.success());
    assert!(dump.join("continue.json").exists());
    let mut client = server.connect();
    let before = query(&mut client, "RETURN LENGTH(c)")[0].as_u64().unwrap();
    assert!((1..DOCUMENTS).contains(&before), "{before}");
    succeed("restore", &server, dump, &[&["--continue", "true"], more].concat());
    let check = format!(
        "RETURN [LENGTH(c), SUM(FOR d IN c RETURN d.n), LENGTH(FOR d IN c FILTER d._rev != '_cPlZM_e---' RETURN 1), {further}]"
    );
    let expected = json!([[DOCUMENTS, DOCUMENTS * (DOCUMENTS - 1) / 2, 0, answer]]);
    assert_eq!(query(&mut client, &check), expected);
    assert!(!dump.join("continue.json").exists());

    // The server dies in the middle of a restore. Nothing that it has confirmed may be lost.
    let status = break_off(&server, (dump, more), |_| server.process().kill());
    assert!(!status.success());
    drop(server);
    let server = Server::start(&folder.join("server"), &[]);
    succeed("restore", &server, dump, &[&["--continue", "true", "--threads", "3"], more].concat());
    assert_eq!(query(&mut server.connect(), &check), expected);
    let counted = server.connect().json("GET", "/_api/collection/c/count", "").json();
    assert_eq!(counted["count"], DOCUMENTS);
}

#[test]
fn a_dump_whose_server_dies_is_not_taken_for_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..100_000).map(|n| format!("{{\"_key\":\"{n}\",\"n\":{n}}}\n")).collect();
    let (server, dump) = small_dump(folder.path(), &lines);
    succeed("restore", &server, &dump, &[]);
    let broken = folder.path().join("broken");
    let options = ["--batch-size", "4096", "--threads", "2"];
    let child = command("dump", &server, &broken, &options).stderr(Stdio::piped()).spawn().unwrap();
    let data = broken.join("c_4a8a08f09d37b73795649038408b5f33.data.json.gz");
    let is_in_the_middle = || data.metadata().is_ok_and(|file| file.len() >= 50_000);
    wait_until("the dump does not begin", is_in_the_middle).unwrap();
    server.kill();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains("collection \"c\"") && text.contains("connect"),
        "{text}"
    );
    let server = Server::start(&folder.path().join("server"), &[]);
    assert!(fail("restore", &server, &broken, &[]).contains("incomplete"));
}
