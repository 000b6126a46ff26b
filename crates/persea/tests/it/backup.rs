//! Backups of a running server: consistent while writers continue, restored in place, and refused
//! where they are damaged.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use harness::wait_until;
use serde_json::{Value, json};

use crate::support::backups::{ask, collection, create, restore, start, start_with};
use crate::support::{Client, Server, query};

/// Checks that a backup is refused and that the server continues with its data.
#[track_caller]
fn refuse(server: &Server, id: &str, status: u16, error: u64) -> String {
    let reply = ask(server, "restore", &json!({"id": id}));
    assert_eq!((reply.status, &reply.json()["errorNum"]), (status, &json!(error)), "{}", reply.text());
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([3]));
    reply.json()["errorMessage"].as_str().unwrap().to_owned()
}

fn ids(server: &Server) -> Vec<String> {
    let list = ask(server, "list", &json!({})).json()["result"]["list"].clone();
    list.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn a_restore_brings_all_databases_back_and_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let mut client = server.connect();
    client.json("POST", "/_api/database", r#"{"name": "other"}"#);
    collection(&mut client, "/_db/other", "things");
    let id = create(&server, "first");
    let process = server.process().id();
    client.json("DELETE", "/_api/database/other", "");
    query(&mut client, "FOR d IN docs REMOVE d IN docs");
    collection(&mut client, "", "later");
    let previous = restore(&server, folder.path(), &id);
    let mut both = [id, previous.clone()];
    both.sort();
    assert_eq!(ids(&server), both);
    let mut client = server.connect();
    assert_eq!(query(&mut client, "FOR d IN docs RETURN d._key"), json!(["1", "2", "3"]));
    assert_eq!(client.json("GET", "/_db/other/_api/collection/things", "").status, 200);
    assert_eq!(client.json("GET", "/_api/collection/later", "").status, 404);
    assert_eq!(client.json("GET", "/_admin/status", "").json()["pid"], process);
    restore(&server, folder.path(), &previous);
    let mut client = server.connect();
    assert_eq!(query(&mut client, "RETURN LENGTH(docs)"), json!([0]));
    assert_eq!(client.json("GET", "/_api/collection/later", "").status, 200);
    assert_eq!(client.json("GET", "/_db/other/_api/version", "").status, 404);
    query(&mut client, "INSERT {} INTO later");
}

/// Writers insert numbers in turn, each in a transaction over two collections. A backup has all
/// numbers up to some number, and both collections have the same ones.
#[test]
fn a_backup_has_all_writes_up_to_one_moment_and_writers_continue() {
    const WRITERS: usize = 3;
    // Each writer writes so often between two backups.
    const WRITES: u64 = 50;
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let mut client = server.connect();
    ["left", "right", "loaded"].iter().for_each(|name| collection(&mut client, "", name));
    let written: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    let (loaded, longest_micros) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    let backups = std::thread::scope(|scope| {
        for (writer, count) in written.iter().enumerate() {
            let (server, is_over, longest_micros) = (&server, &is_over, &longest_micros);
            scope.spawn(move || {
                let mut client = server.connect();
                let text = "INSERT {w: @w, n: @n} INTO left INSERT {w: @w, n: @n, text: @text} INTO right";
                while !is_over.load(Ordering::Relaxed) {
                    let number = count.load(Ordering::Relaxed) + 1;
                    let bind = json!({"w": writer, "n": number, "text": "x".repeat(2_000)});
                    let start = Instant::now();
                    let body = json!({"query": text, "bindVars": bind}).to_string();
                    assert_eq!(client.json("POST", "/_api/cursor", &body).status, 201);
                    longest_micros.fetch_max(start.elapsed().as_micros() as u64, Ordering::Relaxed);
                    count.store(number, Ordering::Relaxed);
                }
            });
        }
        // Imports of new documents go past the log. Each has the number of its batch.
        let (server_of_loads, is_over_too, loaded) = (&server, &is_over, &loaded);
        scope.spawn(move || {
            let mut client = server_of_loads.connect();
            let mut batch = 0;
            while !is_over_too.load(Ordering::Relaxed) {
                batch += 1;
                let lines = format!("{{\"b\":{batch}}}\n").repeat(20_000);
                let path = "/_api/import?collection=loaded&type=documents&complete=true";
                assert_eq!(client.json("POST", path, &lines).status, 201);
                loaded.store(batch, Ordering::Relaxed);
            }
        });
        let mut backups = Vec::new();
        for number in 0..4 {
            // Each backup comes after writes of each writer, and after a load.
            let seen: Vec<u64> = written.iter().map(|count| count.load(Ordering::Relaxed)).collect();
            let loads = loaded.load(Ordering::Relaxed);
            let have_continued = || {
                let counts = written.iter().map(|count| count.load(Ordering::Relaxed));
                let have_written = counts.zip(&seen).all(|(count, seen)| count >= seen + WRITES);
                have_written && loaded.load(Ordering::Relaxed) > loads
            };
            if let Err(error) = wait_until("the writers do not continue", have_continued) {
                is_over.store(true, Ordering::Relaxed);
                panic!("{error}");
            }
            let before: Vec<u64> = written.iter().map(|count| count.load(Ordering::Relaxed)).collect();
            let id = create(&server, &format!("b{number}"));
            let after: Vec<u64> = written.iter().map(|count| count.load(Ordering::Relaxed) + 1).collect();
            backups.push((id, before, after));
        }
        is_over.store(true, Ordering::Relaxed);
        backups
    });
    println!("the longest write took {} µs", longest_micros.load(Ordering::Relaxed));
    for (id, before, after) in backups {
        restore(&server, folder.path(), &id);
        let mut client = server.connect();
        for writer in 0..WRITERS {
            let numbers = |name: &str, client: &mut Client| {
                query(client, &format!("FOR d IN {name} FILTER d.w == {writer} SORT d.n RETURN d.n"))
            };
            let (left, right) = (numbers("left", &mut client), numbers("right", &mut client));
            assert_eq!(left, right, "{id}: a transaction is only partly there");
            let last = left.as_array().unwrap().len() as u64;
            assert_eq!(left, (1..=last).collect::<Value>(), "{id}: a write is missing");
            let bounds = before[writer]..=after[writer];
            assert!(bounds.contains(&last), "{id}: {last} is not within {bounds:?}");
        }
        let batches =
            query(&mut client, "FOR d IN loaded COLLECT b = d.b WITH COUNT INTO n SORT b RETURN [b, n]");
        let whole: Value =
            (1..=batches.as_array().unwrap().len()).map(|batch| json!([batch, 20_000])).collect();
        assert_eq!(batches, whole, "{id}: a load is only partly there");
        let counts = "RETURN [LENGTH(left), LENGTH(FOR d IN left RETURN 1), LENGTH(loaded), LENGTH(FOR d IN loaded RETURN 1)]";
        let counts = query(&mut client, counts)[0].clone();
        assert!(counts[0] == counts[1] && counts[2] == counts[3], "{id}: {counts}");
    }
}

#[test]
fn damaged_backups_are_refused_and_nothing_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let refuse_after = |label: &str, damage: &dyn Fn(&Path), status: u16, error: u64| {
        let id = create(&server, label);
        damage(&folder.path().join("backups").join(&id));
        let message = refuse(&server, &id, status, error);
        assert!(!folder.path().join("backups/RESTORE").exists());
        message
    };
    let table = |backup: &Path| {
        let mut paths = fs::read_dir(backup).unwrap().map(|entry| entry.unwrap().path());
        paths.find(|path| path.extension().is_some_and(|extension| extension == "sst")).unwrap()
    };
    let rewrite = |path: &Path, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fs::read(path).unwrap();
        change(&mut bytes);
        // The table is the server's as well, by a hard link.
        fs::remove_file(path).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let flip = |backup: &Path| rewrite(&table(backup), &|bytes| bytes[10] ^= 1);
    assert!(refuse_after("flipped", &flip, 500, 7002).contains("damaged"));
    let cut = |backup: &Path| rewrite(&table(backup), &|bytes| bytes.truncate(bytes.len() - 1));
    assert!(refuse_after("cut", &cut, 500, 7002).contains(".sst has"));
    let lose = |backup: &Path| fs::remove_file(table(backup)).unwrap();
    assert!(refuse_after("lost", &lose, 500, 7002).contains(".sst cannot be read"));
    let write = |name: &'static str, text: &'static str| {
        move |backup: &Path| fs::write(backup.join(name), text).unwrap()
    };
    refuse_after("format", &write("FORMAT", "persea rocksdb 3\n"), 500, 35);
    refuse_after("manifest", &write("BACKUP", "{\"format\":2}"), 500, 35);
    refuse_after("garbage", &write("BACKUP", "{"), 500, 7001);
    assert_eq!(ids(&server).len(), 6);
    refuse(&server, "2026-01-01T00.00.00Z_none", 404, 14);
    refuse(&server, "../../etc", 404, 14);
}

#[test]
fn the_memory_mapped_engine_has_the_same_backups() {
    mmfiles_has_the_same_backups(&["--server.storage-engine", "mmfiles"], "pairs.1.mdb");
}

#[test]
fn the_encrypted_memory_mapped_engine_has_the_same_backups() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, [5; 32]).unwrap();
    let keyfile = ["--rocksdb.encryption-keyfile", secret.to_str().unwrap()];
    let options = [["--server.storage-engine", "mmfiles"], keyfile].concat();
    mmfiles_has_the_same_backups(&options, "pairs.1.redb");
}

fn mmfiles_has_the_same_backups(options: &[&str], tables: &str) {
    let folder = tempfile::tempdir().unwrap();
    let server = start_with(folder.path(), options);
    let id = create(&server, "first");
    query(&mut server.connect(), "FOR d IN docs REMOVE d IN docs");
    let previous = restore(&server, folder.path(), &id);
    assert_eq!(query(&mut server.connect(), "FOR d IN docs RETURN d._key"), json!(["1", "2", "3"]));
    restore(&server, folder.path(), &previous);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([0]));
    restore(&server, folder.path(), &id);

    // The tables have no checksums that are always read, so the manifest has its digest.
    let damaged = create(&server, "damaged");
    let file = folder.path().join("backups").join(&damaged).join(tables);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert!(refuse(&server, &damaged, 500, 7002).contains("a different digest"));

    // The commit before the kill is in the log alone.
    query(&mut server.connect(), "INSERT {_key: 'late'} INTO docs");
    let reply = ask(&server, "restore", &json!({"id": id}));
    assert_eq!(reply.status, 200, "{}", reply.text());
    let previous = reply.json()["result"]["previous"].as_str().unwrap().to_owned();
    server.kill();
    let server = Server::start(folder.path(), options);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([3]));
    restore(&server, folder.path(), &previous);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([4]));
}

#[test]
fn a_server_that_is_killed_during_a_restore_has_restored_after_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let id = create(&server, "a");
    query(&mut server.connect(), "FOR d IN docs REMOVE d IN docs");
    let reply = ask(&server, "restore", &json!({"id": id}));
    assert_eq!(reply.status, 200, "{}", reply.text());
    server.kill();
    // The required state is of the folder as it was found first.
    let server = Server::start(folder.path(), &["--database.required-directory-state", "existing"]);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([3]));
    assert_eq!(ids(&server).len(), 2);
}

#[test]
fn a_backup_that_was_broken_off_is_gone_after_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let id = create(&server, "a");
    let creating = folder.path().join("backups/.creating");
    fs::create_dir(&creating).unwrap();
    fs::write(creating.join("000001.sst"), "half").unwrap();
    server.kill();
    let server = Server::start(folder.path(), &[]);
    assert_eq!(ids(&server), [id]);
    assert!(!creating.exists());
}

#[test]
fn backups_are_made_and_deleted_concurrently() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for _ in 0..5 {
                    let id = create(server, "same");
                    if thread % 2 == 0 {
                        assert_eq!(ask(server, "delete", &json!({"id": id})).status, 200);
                    }
                    ask(server, "list", &json!({}));
                }
            });
        }
    });
    let ids = ids(&server);
    assert_eq!(ids.len(), 10);
    restore(&server, folder.path(), &ids[9]);
    assert_eq!(query(&mut server.connect(), "RETURN LENGTH(docs)"), json!([3]));
}

#[test]
fn a_query_that_commits_in_parts_delays_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let running = || {
        let queries = server.connect().json("GET", "/_api/query/current", "").json();
        queries.as_array().unwrap().iter().any(|query| query["query"].as_str().unwrap().contains("SLEEP"))
    };
    let slow = || {
        let text = "FOR i IN 1..10000 LET x = SLEEP(0.002) INSERT {x, i} INTO docs";
        let body = json!({"query": text, "options": {"intermediateCommitCount": 10}});
        server.connect().json("POST", "/_api/cursor", &body.to_string())
    };
    std::thread::scope(|scope| {
        let query = scope.spawn(slow);
        let inserted = || self::query(&mut server.connect(), "RETURN LENGTH(docs)")[0].as_u64();
        wait_until("the query does not begin", || running() && inserted() >= Some(100)).unwrap();
        let refused = ask(&server, "create", &json!({"timeout": 0.1}));
        assert_eq!((refused.status, &refused.json()["errorNum"]), (408, &json!(18)), "{}", refused.text());
        let halves = ask(&server, "create", &json!({"timeout": 0.1, "allowInconsistent": true}));
        assert_eq!(halves.json()["result"]["potentiallyInconsistent"], true, "{}", halves.text());
        // The query looks at its end once in a batch of rows, every two seconds.
        let forced = ask(&server, "create", &json!({"timeout": 3, "force": true, "label": "forced"}));
        assert_eq!(forced.status, 201, "{}", forced.text());
        assert_eq!(forced.json()["result"]["potentiallyInconsistent"], false);
        assert_eq!(query.join().unwrap().json()["errorNum"], 1500);
    });
}
