//! The servers of a run: one, or several that share a store.

use std::path::Path;
use std::time::Duration;

use client::Client;
use server_process::{Launch, Server};

use crate::arguments::Arguments;

/// Longest wait for a reply.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The servers of a run. They are killed when this is dropped.
pub(crate) struct Servers {
    launches: Vec<Launch>,
    running: Vec<Server>,
}

impl Servers {
    /// Starts the servers, each with a folder of its own in `folder`. Errors: text for the user.
    pub(crate) fn start(arguments: &Arguments, folder: &Path) -> Result<Self, String> {
        let launches: Result<Vec<_>, _> = (0..arguments.servers)
            .map(|number| {
                let folder = folder.join(number.to_string());
                std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                Launch::new(&arguments.server, &folder, options(arguments))
            })
            .collect();
        let launches = launches?;
        let running: Result<Vec<_>, _> = launches.iter().map(Launch::start).collect();
        Ok(Servers { launches, running: running? })
    }

    /// Returns a client of each server, with the rights of root. Errors: text for the user.
    pub(crate) fn clients(&self) -> Result<Vec<Client>, String> {
        self.launches.iter().map(|launch| launch.client(TIMEOUT)).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.launches.len()
    }

    /// Kills a server and starts it again. Errors: text for the user.
    pub(crate) fn restart(&mut self, number: usize) -> Result<(), String> {
        let place = self.running.get_mut(number).zip(self.launches.get(number));
        let (running, launch) = place.ok_or_else(|| format!("there is no server {number}"))?;
        running.kill();
        *running = launch.start()?;
        Ok(())
    }

    /// Returns the beginnings of the logs' lines that name a panic.
    pub(crate) fn crashes(&self) -> Vec<String> {
        self.launches.iter().flat_map(Launch::crashes).collect()
    }
}

/// Returns the options of each server.
fn options(arguments: &Arguments) -> Vec<String> {
    match &arguments.pd {
        None => vec!["--storage-engine".to_owned(), arguments.engine.clone()],
        Some(pd) => {
            // Other runs in the same cluster do not meet this one.
            let prefix = format!("histories-{}-{}", arguments.seed, std::process::id());
            let words = ["--storage-engine", "tikv", "--tikv.pd", pd, "--tikv.prefix", &prefix];
            words.map(str::to_owned).to_vec()
        }
    }
}
