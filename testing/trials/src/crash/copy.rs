//! A second server that follows the first one, and must show what the first one has.
//!
//! It is killed in some rounds too: while both servers run, or after the first one was killed. It
//! begins to copy while the first writes are made.

use std::path::Path;
use std::time::Duration;

use client::{Client, Request};
use fastrand::Rng;
use harness::{Launch, PASSWORD, Server, wait_within};

use super::index;
use super::observe::{self, ask};
use super::state::Place;
use super::view;

/// Maximum wait for a reply, and until the copy has everything.
const TIMEOUT: Duration = Duration::from_secs(60);
const LEVEL_TIMEOUT: Duration = Duration::from_secs(300);

/// Differences that are shown.
const SHOWN_MAX: usize = 10;

/// The second server.
pub(crate) struct Copy {
    launch: Launch,
    server: Option<Server>,
    client: Client,
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
        let options = [
            "--follow",
            &format!("tcp://{}", leader.address()),
            "--follow.password",
            PASSWORD,
            "--follow.reads",
            "always",
        ];
        let folder = folder.join("copy");
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let launch = Launch::for_root(program, &folder, &options.map(str::to_owned))?;
        let (client, server) = (launch.client(TIMEOUT)?, Some(launch.start()?));
        Ok(Copy { launch, server, client, killed, rng, kills: 0 })
    }

    /// Kills the copy in some rounds, while the writers write for `life`.
    pub(crate) fn disturb(&mut self, life: Duration) {
        if self.rng.f64() >= self.killed {
            return;
        }
        std::thread::sleep(life.mul_f64(self.rng.f64()));
        if let Some(mut server) = self.server.take() {
            server.kill();
            self.kills += 1;
        }
    }

    /// Waits until the copy has everything, and compares it with the first server, on which nobody
    /// writes. Errors: text for the user.
    pub(crate) fn check(&mut self, leader: &Client, writers: usize) -> Result<(), String> {
        if self.server.is_none() {
            self.server = Some(self.launch.start()?);
        }
        self.wait(leader)?;
        for writer in 0..writers {
            let database = format!("writer{writer}");
            let theirs = observe::state(leader, &database, writer)?;
            let own = observe::state(&self.client, &database, writer)?;
            let lines = theirs.differences(&own);
            if !lines.is_empty() {
                let shown: Vec<_> =
                    lines.iter().take(SHOWN_MAX).map(|line| format!("\n    {line}")).collect();
                let count = lines.len();
                return Err(format!("the copy of {database} differs in {count} places:{}", shown.concat()));
            }
            for (place, collection) in own.collections.iter().filter(|(place, _)| **place != Place::shared())
            {
                index::check(&self.client, place, collection).map_err(|text| format!("the copy: {text}"))?;
            }
            view::check(&self.client, &database, &own).map_err(|text| format!("the copy: {text}"))?;
        }
        match self.launch.crashes().first() {
            Some(crash) => Err(format!("the log of the copy: {crash}")),
            None => Ok(()),
        }
    }

    fn wait(&self, leader: &Client) -> Result<(), String> {
        let last = ask(leader, &Request::get("/_api/wal/lastTick"))?;
        let last = tick(&last["tick"]);
        let mut seen = String::new();
        let is_level = || {
            let view = match ask(&self.client, &Request::get("/_api/follow")) {
                Ok(view) => view,
                Err(error) => return Some(Err(error)),
            };
            seen = view.to_string();
            if view["phase"] == "failed" {
                return Some(Err(format!("the copy has stopped: {view}")));
            }
            (view["phase"] == "following" && tick(&view["log"]["applied"]) >= last).then_some(Ok(()))
        };
        match wait_within(LEVEL_TIMEOUT, "the copy does not come to the end of the log", is_level) {
            Ok(level) => level,
            Err(error) => Err(format!("{error}: the log ends at {last}: {seen}")),
        }
    }
}

fn tick(value: &serde_json::Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}
