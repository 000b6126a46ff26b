//! A second server that follows the first one, and must show what the first one has.
//!
//! It is killed in some rounds too: while both servers run, or after the first one was killed. It
//! begins to copy while the first writes are made.

use std::path::Path;
use std::time::Duration;

use client::Client;
use fastrand::Rng;
use harness::{Follower, Launch};

use super::index;
use super::observe;
use super::state::Place;
use super::view;

/// Maximum wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Differences that are shown.
const SHOWN_MAX: usize = 10;

/// The second server.
pub(crate) struct Copy {
    follower: Follower,
    /// The share of rounds in which it is killed.
    killed: f64,
    rng: Rng,
    pub(crate) kills: u32,
}

impl Copy {
    /// Starts a server that follows another one. Errors: text for the user.
    pub(crate) fn start(
        program: &Path,
        folder: &Path,
        leader: &Launch,
        (killed, rng): (f64, Rng),
    ) -> Result<Self, String> {
        let follower = Follower::start(program, &folder.join("copy"), (leader.address(), TIMEOUT), &[])?;
        Ok(Copy { follower, killed, rng, kills: 0 })
    }

    /// Kills the copy in some rounds, while the writers write for `life`.
    pub(crate) fn disturb(&mut self, life: Duration) {
        if self.rng.f64() >= self.killed {
            return;
        }
        std::thread::sleep(life.mul_f64(self.rng.f64()));
        self.kills += u32::from(self.follower.kill());
    }

    /// Waits until the copy has everything, and compares it with the first server, on which nobody
    /// writes. Errors: text for the user.
    pub(crate) fn check(&mut self, leader: &Client, writers: usize) -> Result<(), String> {
        self.follower.begin()?;
        self.follower.wait(leader)?;
        let client = self.follower.client();
        for writer in 0..writers {
            let database = format!("writer{writer}");
            let theirs = observe::state(leader, &database, writer)?;
            let own = observe::state(client, &database, writer)?;
            let lines = theirs.differences(&own);
            if !lines.is_empty() {
                let shown: Vec<_> =
                    lines.iter().take(SHOWN_MAX).map(|line| format!("\n    {line}")).collect();
                let count = lines.len();
                return Err(format!("the copy of {database} differs in {count} places:{}", shown.concat()));
            }
            for (place, collection) in own.collections.iter().filter(|(place, _)| **place != Place::shared())
            {
                index::check(client, place, collection).map_err(|text| format!("the copy: {text}"))?;
            }
            view::check(client, &database, &own).map_err(|text| format!("the copy: {text}"))?;
        }
        match self.follower.crashes().first() {
            Some(crash) => Err(format!("the log of the copy: {crash}")),
            None => Ok(()),
        }
    }
}
