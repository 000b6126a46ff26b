//! Any bytes as a message between members of a group: they are refused or answered, and the member
//! goes on.
//!
//! The target appends the checksum, without which hardly any input would be looked at.

use std::env;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use elections::{Candidate, Elections, LEASE, Member, Options, Position, Transport};

struct Alone;

impl Transport for Alone {
    fn call(&self, _to: &Member, _message: Vec<u8>, _timeout: Duration) -> Result<Vec<u8>, String> {
        Err(String::from("there is nobody else"))
    }
}

impl Candidate for Alone {
    fn position(&self) -> Option<Position> {
        Some(Position { epoch: 0, tick: 0 })
    }

    fn catch_up(&self, _to: Position, _timeout: Duration) -> Result<(), String> {
        Ok(())
    }

    fn stop_writes(&self, _timeout: Duration) -> Result<Position, String> {
        Ok(Position { epoch: 0, tick: 0 })
    }

    fn resume_writes(&self) {}
}

/// The number of processes that can run this target at once.
const FOLDERS: u32 = 64;

/// Starts a member in a folder that no other process uses. Folders are used again.
fn start(number: u32) -> Option<Arc<Elections>> {
    let options = Options {
        own: 1,
        members: vec![Member { id: 1, endpoint: String::from("here") }],
        folder: env::temp_dir().join(format!("persea-fuzz-elections-{number}")),
        lease: LEASE,
        transport: Arc::new(Alone),
        candidate: Arc::new(Alone),
    };
    Elections::start(options).ok()
}

static MEMBER: LazyLock<Arc<Elections>> =
    LazyLock::new(|| (0..FOLDERS).find_map(start).expect("a folder is free"));

pub(crate) fn run(bytes: &[u8]) {
    let mut message = bytes.to_vec();
    let _ = MEMBER.receive(&message);
    message.extend_from_slice(&crc32c::crc32c(bytes).to_le_bytes());
    let _ = MEMBER.receive(&message);
    assert_eq!(MEMBER.failure(), None, "the member goes on");
}
