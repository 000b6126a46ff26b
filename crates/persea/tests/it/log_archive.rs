//! The archive of the change log in a repository of backups: without gaps and repetition, through
//! kills and failures of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use harness::wait_for;
use test_s3::{Fault, Storage};

use crate::support::archive::{archiving, metric};
use crate::support::backups::collection;
use crate::support::{Server, query};

/// Returns the first and the last positions of all segments below a folder, in order.
fn segments(remote: &Path) -> Vec<(u64, u64)> {
    let logs = fs::read_dir(remote.join("logs")).map(|entries| entries.map(|entry| entry.unwrap().path()));
    let logs: Vec<PathBuf> = logs.map(Iterator::collect).unwrap_or_default();
    assert!(logs.len() <= 1, "{logs:?}");
    let mut segments = Vec::new();
    for entry in logs.iter().flat_map(|log| fs::read_dir(log).unwrap()) {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) = name.strip_suffix(".segment") {
            let numbers: Vec<u64> = name.split('-').map(|number| number.parse().unwrap()).collect();
            segments.push((numbers[0], numbers[1]));
        }
    }
    segments.sort_unstable();
    segments
}

#[track_caller]
fn check_continuous(segments: &[(u64, u64)]) {
    for pair in segments.windows(2) {
        assert_eq!(pair[0].1 + 1, pair[1].0, "{segments:?}");
    }
}

#[test]
fn the_archive_has_no_gap_and_no_repetition_after_kills() {
    let folder = tempfile::tempdir().unwrap();
    let (data, remote) = (folder.path().join("data"), folder.path().join("remote"));
    let options = archiving(remote.to_str().unwrap());
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let mut server = Server::start(&data, &options);
    collection(&mut server.connect(), "", "docs");
    for round in 0..4 {
        let written = segments(&remote).len();
        let stop = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                let mut client = server.connect();
                while !stop.load(Ordering::Relaxed) {
                    query(&mut client, "FOR i IN 1..50 INSERT {} INTO docs");
                    query(&mut client, "INSERT {} INTO docs");
                }
            });
            // The writer ends before the server does, which archives and is killed at any moment.
            wait_for("the log is not archived", || (segments(&remote).len() > written + 2).then_some(()))
                .unwrap();
            stop.store(true, Ordering::Relaxed);
        });
        check_continuous(&segments(&remote));
        assert!(round == 0 || written > 0);
        server.kill();
        server = Server::start(&data, &options);
    }
    query(&mut server.connect(), "INSERT {} INTO docs");
    let last = server.connect().json("GET", "/_api/wal/lastTick", "").json()["tick"].clone();
    server.stop();
    let segments = segments(&remote);
    check_continuous(&segments);
    // An orderly end archives everything.
    assert_eq!(segments.last().unwrap().1.to_string(), last.as_str().unwrap());
}

#[test]
fn a_repository_that_fails_is_tried_again_and_writers_continue() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Storage::start().unwrap();
    let options = archiving("s3://backups/some/prefix");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let environment = [
        ("AWS_ENDPOINT_URL", storage.endpoint()),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    let server = Server::start_with_environment(&folder.path().join("data"), &options, &environment);
    let mut client = server.connect();
    collection(&mut client, "", "docs");
    let count = || storage.keys().iter().filter(|key| key.ends_with(".segment")).count();
    wait_for("nothing is archived", || (count() > 0).then_some(())).unwrap();
    storage.fail(&[Fault::Denied; 2]);
    wait_for("no failure is counted", || {
        query(&mut client, "INSERT {} INTO docs");
        (metric(&server, "persea_log_archive_failures_total") >= 2.0).then_some(())
    })
    .unwrap();
    let before = count();
    query(&mut client, "INSERT {} INTO docs");
    wait_for("the archive does not continue", || (count() > before).then_some(())).unwrap();
    wait_for("the archive is behind", || (metric(&server, "persea_log_archive_lag") == 0.0).then_some(()))
        .unwrap();
    assert_eq!(metric(&server, "persea_log_archive_gaps_total"), 0.0);
}

/// Starts a server that takes the archive of another one over.
///
/// The other one keeps it if it is in the middle of an addition, so this may take several starts.
fn take_over(first: &Server, data: &Path, options: &[&str]) -> Server {
    let segments = |server: &Server| metric(server, "persea_log_archive_segments_total");
    for _ in 0..20 {
        let second = Server::start(data, options);
        let before = segments(first);
        let has_taken = wait_for("neither archives", || {
            for server in [first, &second] {
                query(&mut server.connect(), "INSERT {} INTO docs");
            }
            let has_taken = segments(&second) > 0.0;
            (has_taken || segments(first) > before + 3.0).then_some(has_taken)
        });
        if has_taken.unwrap() {
            return second;
        }
        second.stop();
    }
    panic!("the other server keeps the archive");
}

#[test]
fn only_one_server_archives_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let (data, copy, remote) =
        (folder.path().join("data"), folder.path().join("copy"), folder.path().join("remote"));
    let options = archiving(remote.to_str().unwrap());
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let server = Server::start(&data, &options);
    collection(&mut server.connect(), "", "docs");
    server.stop();
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&data).unwrap().map(Result::unwrap) {
        if entry.path().is_file() {
            fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
        }
    }
    let first = Server::start(&data, &options);
    wait_for("the first does not archive", || {
        query(&mut first.connect(), "INSERT {} INTO docs");
        (metric(&first, "persea_log_archive_segments_total") > 0.0).then_some(())
    })
    .unwrap();
    let second = take_over(&first, &copy, &options);
    let before = metric(&first, "persea_log_archive_segments_total");
    query(&mut first.connect(), "INSERT {} INTO docs");
    // As many passes as the second makes meanwhile.
    let passed = metric(&second, "persea_log_archive_segments_total");
    wait_for("the second does not continue", || {
        query(&mut second.connect(), "INSERT {} INTO docs");
        (metric(&second, "persea_log_archive_segments_total") > passed + 3.0).then_some(())
    })
    .unwrap();
    assert_eq!(metric(&first, "persea_log_archive_segments_total"), before);
}
