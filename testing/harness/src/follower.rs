//! A server that follows another one.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use client::{Client, Request};
use serde_json::{Value, json};

use crate::requests::ask;
use crate::server::{Launch, PASSWORD, Server};
use crate::wait::wait_within;

/// Maximum wait until a follower has everything.
const LEVEL_TIMEOUT: Duration = Duration::from_secs(300);

/// A server that follows one of [`Launch::for_root`], and answers reads. It is killed when this is
/// dropped.
pub struct Follower {
    launch: Launch,
    server: Option<Server>,
    client: Client,
}

impl Follower {
    /// Starts a follower with a folder of its own, which is made. Errors: text for the user.
    pub fn start(
        program: &Path,
        folder: &Path,
        (leader, timeout): (SocketAddr, Duration),
        options: &[String],
    ) -> Result<Self, String> {
        let leader = format!("tcp://{leader}");
        let own = ["--follow", &leader, "--follow.password", PASSWORD, "--follow.reads", "always"];
        std::fs::create_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let launch = Launch::for_root(program, folder, options)?.with_options(own);
        let (client, server) = (launch.client(timeout)?, Some(launch.start()?));
        Ok(Follower { launch, server, client })
    }

    /// Returns the client, with the rights of root.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the running server; `None` between a kill and the next start.
    pub fn server(&self) -> Option<&Server> {
        self.server.as_ref()
    }

    /// Kills the server as a crash would. Returns false if it does not run.
    pub fn kill(&mut self) -> bool {
        self.server.take().map(|mut server| server.kill()).is_some()
    }

    /// Starts the server, unless it runs. Errors: text for the user.
    pub fn begin(&mut self) -> Result<(), String> {
        if self.server.is_none() {
            self.server = Some(self.launch.start()?);
        }
        Ok(())
    }

    /// Waits until the follower has everything that the leader has now. Errors: text for the user,
    /// also if it has stopped.
    pub fn wait(&self, leader: &Client) -> Result<(), String> {
        let last = json_of(leader, "/_api/wal/lastTick")?;
        let last = tick(&last["tick"]);
        let mut seen = String::new();
        let is_level = || {
            let view = match json_of(&self.client, "/_api/follow") {
                Ok(view) => view,
                Err(error) => return Some(Err(error)),
            };
            seen = view.to_string();
            if view["phase"] == "failed" {
                return Some(Err(format!("the follower has stopped: {view}")));
            }
            (view["phase"] == "following" && tick(&view["log"]["applied"]) >= last).then_some(Ok(()))
        };
        match wait_within(LEVEL_TIMEOUT, "the follower does not come to the end of the log", is_level) {
            Ok(level) => level,
            Err(error) => Err(format!("{error}: the log ends at {last}: {seen}")),
        }
    }

    /// Returns the beginnings of the log's lines that name a panic.
    pub fn crashes(&self) -> Vec<String> {
        self.launch.crashes()
    }
}

fn json_of(client: &Client, path: &str) -> Result<Value, String> {
    ask(client, Request::get(path), &json!(null)).map_err(|failure| failure.to_string())
}

fn tick(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}
