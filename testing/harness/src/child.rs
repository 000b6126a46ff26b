//! A child process that does not outlive its owner.

use std::process::{Child, Command, ExitStatus};

use crate::process::Process;
use crate::wait::wait_for;

/// A child process, which is killed when this is dropped.
#[derive(Debug)]
pub struct GuardedChild {
    child: Child,
}

impl GuardedChild {
    /// Starts a process. Errors: text for the user.
    pub fn spawn(command: &mut Command) -> Result<Self, String> {
        let spawned = command.spawn();
        let program = command.get_program().display();
        let child = spawned.map_err(|error| format!("{program} could not be started: {error}"))?;
        Ok(GuardedChild { child })
    }

    /// Returns the process.
    pub fn process(&self) -> Process {
        Process::new(self.child.id())
    }

    /// Returns the status of the process if it has ended.
    pub fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits until the process has ended by itself. Errors: text for the user after
    /// [`crate::DEADLINE`].
    pub fn wait(&mut self) -> Result<ExitStatus, String> {
        let process = self.process();
        wait_for(&format!("process {} has not ended", process.id()), || self.status())
    }

    /// Ends the process as a crash would.
    pub fn kill(&mut self) {
        // Errors: it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for GuardedChild {
    fn drop(&mut self) {
        self.kill();
    }
}
