//! Several servers with the same options.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use client::Client;

use crate::server::{Launch, Server};

/// Servers of one program. They are killed when this is dropped.
pub struct Servers {
    launches: Vec<Launch>,
    running: Vec<Server>,
}

impl Servers {
    /// Starts servers, each with a folder of its own in `folder`. Errors: text for the user.
    pub fn start(program: &Path, folder: &Path, count: usize, options: &[String]) -> Result<Self, String> {
        let launches: Result<Vec<_>, _> = (0..count)
            .map(|number| {
                let folder = folder.join(number.to_string());
                std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                Launch::for_root(program, &folder, options)
            })
            .collect();
        let launches = launches?;
        let running: Result<Vec<_>, _> = launches.iter().map(Launch::start).collect();
        Ok(Servers { launches, running: running? })
    }

    /// Returns a client of each server, with the rights of root. Errors: text for the user.
    pub fn clients(&self, timeout: Duration) -> Result<Vec<Client>, String> {
        self.launches.iter().map(|launch| launch.client(timeout)).collect()
    }

    /// Returns the addresses of the servers.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.launches.iter().map(Launch::address).collect()
    }

    /// Returns the number of servers.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// Returns true if there is no server.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// Kills a server and starts it again. Errors: text for the user.
    pub fn restart(&mut self, number: usize) -> Result<(), String> {
        let place = self.running.get_mut(number).zip(self.launches.get(number));
        let (running, launch) = place.ok_or_else(|| format!("there is no server {number}"))?;
        running.kill();
        *running = launch.start()?;
        Ok(())
    }

    /// Returns for each server how often its lease on a shared store has expired.
    pub fn lease_ends(&self) -> Vec<usize> {
        self.launches.iter().map(Launch::lease_ends).collect()
    }

    /// Returns true if all servers serve.
    pub fn all_serve(&self) -> bool {
        self.running.iter().all(Server::serves)
    }

    /// Returns the beginnings of the logs' lines that name a panic.
    pub fn crashes(&self) -> Vec<String> {
        self.launches.iter().flat_map(Launch::crashes).collect()
    }
}
