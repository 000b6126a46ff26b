//! A follower whose disk is full: it says so, answers reads, and goes on by itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::wait_within;
use serde_json::{Value, json};

use crate::follow::state;
use crate::support::{Client, Server, post, query};

/// Megabytes of the file system, and those that are free when the copy begins. RocksDB writes again
/// once there are 128, the size of its memtable.
const MEGABYTES: (u32, u32) = (440, 24);
/// Documents of each part, of about 64 KiB each, which compress to a half.
const DOCUMENTS: u32 = 900;
/// The longest wait for an error, and for the end of the work once there is room.
const PATIENCE: Duration = Duration::from_secs(120);

/// A small file system in memory. It is taken away when this is dropped.
struct Small(PathBuf);

impl Small {
    /// Mounts one. Errors: the reason, for example without the right to mount.
    fn mount(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).unwrap();
        let size = format!("size={}m", MEGABYTES.0);
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output().unwrap();
        match output.status.success() {
            true => Ok(Small(folder.to_owned())),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Appends to a file until it leaves only some megabytes, and returns it.
    fn fill(&self, free: u32) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = std::fs::File::options().create(true).append(true).open(&path).unwrap();
        let mut left = MEGABYTES.0 - free;
        while left > 0 && file.write_all(&[1; 1 << 20]).is_ok() {
            left -= 1;
        }
        path
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Writes documents that hardly compress.
fn write(client: &mut Client, part: &str) {
    let text = format!(
        "FOR i IN 1..{DOCUMENTS} INSERT {{_key: CONCAT('{part}-', i), text: CONCAT_SEPARATOR('', \
         FOR k IN 1..500 RETURN SHA512(CONCAT('{part}', i, '-', k)))}} INTO docs"
    );
    query(client, &text);
}

fn follow_view(server: &Server) -> Value {
    server.connect().json("GET", "/_api/follow", "").json()
}

/// Waits until the follower says that its disk is full, and returns what it shows.
#[track_caller]
fn wait_until_full(follower: &Server) -> Value {
    let mut seen = Value::Null;
    let is_full = || {
        seen = follow_view(follower);
        assert_ne!(seen["phase"], "failed", "{seen}");
        (seen["error"]["errorNum"] == 1104).then_some(())
    };
    let found = wait_within(PATIENCE, "the disk is not full", is_full);
    found.unwrap_or_else(|error| panic!("{error}: {seen}"));
    let message = seen["error"]["errorMessage"].as_str().unwrap();
    assert!(message.contains("No space left on device"), "{message}");
    seen
}

/// Waits until the follower has everything.
#[track_caller]
fn wait_until_level(follower: &Server, leader: &Server) {
    let last = leader.connect().json("GET", "/_api/wal/lastTick", "").json();
    let tick = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    let mut seen = Value::Null;
    let is_level = || {
        seen = follow_view(follower);
        let is_level = tick(&seen["log"]["applied"]) >= tick(&last["tick"]);
        (seen["phase"] == "following" && is_level).then_some(())
    };
    let found = wait_within(PATIENCE, "the follower has not gone on", is_level);
    found.unwrap_or_else(|error| panic!("{error}: {seen}"));
    assert_eq!(seen["error"], Value::Null);
    assert_eq!(state(follower), state(leader));
}

#[test]
fn a_follower_without_room_says_so_and_goes_on_when_there_is_some() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("follower");
    let disk = match Small::mount(&data) {
        Ok(disk) => disk,
        Err(reason) => {
            println!("skipped: this user cannot mount a small file system: {reason}");
            return;
        }
    };
    let leader = Server::start(&folder.path().join("leader"), &[]);
    let mut client = leader.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    write(&mut client, "first");
    let filler = disk.fill(MEGABYTES.1);
    let options = ["--follow", &leader.endpoint(), "--follow.reads", "always"];
    let follower = Server::start(&data, &options);
    // While it copies.
    let view = wait_until_full(&follower);
    assert_eq!(view["phase"], "copying", "{view}");
    assert_eq!(follower.connect().json("GET", "/_api/collection", "").status, 200);
    std::fs::remove_file(&filler).unwrap();
    wait_until_level(&follower, &leader);
    // While it follows.
    for part in ["second", "third", "fourth"] {
        // The end of an old log may have made room since the last time.
        disk.fill(0);
        write(&mut client, part);
        disk.fill(0);
        let is_full = || (follow_view(&follower)["error"]["errorNum"] == 1104).then_some(());
        if wait_within(Duration::from_secs(5), "there was room", is_full).is_ok() {
            break;
        }
    }
    let view = wait_until_full(&follower);
    assert_eq!(view["phase"], "following", "{view}");
    assert_eq!(query(&mut follower.connect(), "RETURN LENGTH(docs) > 0"), json!([true]));
    std::fs::remove_file(&filler).unwrap();
    wait_until_level(&follower, &leader);
}
