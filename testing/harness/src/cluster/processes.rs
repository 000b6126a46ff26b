//! The processes of a cluster, and the links before them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::link::{Condition, Link};
use crate::wait::wait_within;

/// The script that starts and kills processes, from the root of the repository.
const SCRIPT: &str = "scripts/tikv-cluster";

/// The ports of processes are greater by this number than those of their links.
const LISTEN_OFFSET: u16 = 1000;

/// The port of the first store's link, from the first port of all.
const STORES_OFFSET: u16 = 100;

/// The attempts to start a cluster. A mock of TiKV may fail while its first region is copied.
const START_ATTEMPTS: u32 = 3;

/// The maximum time in which a process can be used again after a fault.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(120);

/// A cluster of three members of PD and some stores. It is stopped when this is dropped.
pub struct Cluster {
    folder: PathBuf,
    port: u16,
    stores: u16,
    links: BTreeMap<String, Link>,
}

impl Cluster {
    /// The number of members of PD.
    pub const MEMBERS: u16 = 3;

    /// Starts a cluster whose data are in `folder`, with its links on the ports from `port` on.
    ///
    /// The environment names the programs, as `scripts/tikv-cluster` says. Errors: text for the
    /// user.
    pub fn start(folder: &Path, port: u16, stores: u16) -> Result<Self, String> {
        let mut cluster = Cluster { folder: folder.to_owned(), port, stores, links: BTreeMap::new() };
        for (name, port) in cluster.advertised() {
            cluster.links.insert(name, Link::open(port, port + LISTEN_OFFSET)?);
        }
        let words = [stores.to_string(), Self::MEMBERS.to_string()];
        let mut attempts = 1;
        loop {
            match cluster.run("start", &[&words[0], &words[1]]) {
                Ok(_) => return Ok(cluster),
                Err(_) if attempts < START_ATTEMPTS => attempts += 1,
                Err(error) => return Err(error),
            }
            cluster.run("stop", &[])?;
        }
    }

    /// Returns the addresses of PD for the server's options.
    pub fn pd(&self) -> String {
        let members = self.advertised().filter(|(name, _)| name.starts_with("pd-"));
        let addresses: Vec<_> = members.map(|(_, port)| format!("127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    /// Returns the number of stores.
    pub fn stores(&self) -> u16 {
        self.stores
    }

    /// Returns the name of the member of PD that leads. Errors: text for the user.
    pub fn leader(&self) -> Result<String, String> {
        self.run("leader", &[])
    }

    /// Kills a process. Errors: text for the user.
    pub fn kill(&self, name: &str) -> Result<(), String> {
        self.run("kill", &[name]).map(drop)
    }

    /// Starts a process again that was killed. Errors: text for the user.
    pub fn restart(&self, name: &str) -> Result<(), String> {
        self.run("restart", &[name]).map(drop)
    }

    /// Changes the condition of the link before a process.
    pub fn set(&self, name: &str, condition: Condition) {
        if let Some(link) = self.links.get(name) {
            link.set(condition);
        }
    }

    /// Waits until all stores are up, and all regions have all their replicas. Errors: text for the
    /// user.
    pub fn wait_until_healthy(&self) -> Result<(), String> {
        wait_within(RECOVERY_TIMEOUT, "the cluster is not whole", || self.run("healthy", &[]).ok().map(drop))
    }

    /// Returns the names of all processes, with the ports of their links.
    fn advertised(&self) -> impl Iterator<Item = (String, u16)> + use<> {
        let port = self.port;
        let members = (1..=Self::MEMBERS).map(move |number| (format!("pd-{number}"), port + 2 * number - 2));
        let stores =
            (1..=self.stores).map(move |number| (format!("store-{number}"), port + STORES_OFFSET + number));
        members.chain(stores)
    }

    /// Runs the script and returns what it prints.
    fn run(&self, verb: &str, words: &[&str]) -> Result<String, String> {
        let output = Command::new(SCRIPT)
            .arg(verb)
            .arg(&self.folder)
            .args(words)
            .env("PD_PORT", self.port.to_string())
            .env("TIKV_PORT", (self.port + STORES_OFFSET).to_string())
            .env("LISTEN_OFFSET", LISTEN_OFFSET.to_string())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{SCRIPT} cannot be run from this folder: {error}"))?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{SCRIPT} {verb} {}: {}", words.join(" "), reason.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = self.run("stop", &[]);
    }
}
