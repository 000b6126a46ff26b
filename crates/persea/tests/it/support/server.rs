//! A server with a store of its own.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use harness::{Launch, wait_until};

use super::{Client, PROGRAM};

/// A server, which is killed when this is dropped.
pub(crate) struct Server(harness::Server);

impl Server {
    /// Starts a server on a store in `folder`, without authentication unless `options` say so.
    pub(crate) fn start(folder: &Path, options: &[&str]) -> Server {
        Server::start_with_environment(folder, options, &[])
    }

    /// Starts such a server with further variables in its environment.
    pub(crate) fn start_with_environment(
        folder: &Path,
        options: &[&str],
        environment: &[(&str, &str)],
    ) -> Server {
        let mut all = vec!["--log.level", "warning"];
        if !options.contains(&"--server.authentication") {
            all.extend(["--server.authentication", "false"]);
        }
        let launch = Launch::new(Path::new(PROGRAM), folder, all.iter().chain(options)).unwrap();
        Server(launch.with_environment(environment).start_on_free_port().unwrap())
    }

    /// Waits until the server has started again with the data of a restore in `folder`.
    pub(crate) fn wait_for_restore(&self, folder: &Path) {
        let is_restored = || !folder.join("backups/RESTORE").exists() && self.serves();
        wait_until("the server has not restored", is_restored).unwrap();
    }

    pub(crate) fn connect(&self) -> Client {
        Client::new(self.0.connect().unwrap())
    }

    /// Kills the process as a crash would.
    pub(crate) fn kill(mut self) {
        self.0.kill();
    }

    /// Asks the server to end, waits until it has, and returns its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.0.stop().unwrap().code()
    }
}

impl Deref for Server {
    type Target = harness::Server;

    fn deref(&self) -> &harness::Server {
        &self.0
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut harness::Server {
        &mut self.0
    }
}
