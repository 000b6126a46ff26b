//! The start of a server in the background.
//!
//! The starter waits until the server is ready, by the protocol that the server speaks with a
//! service manager, and ends.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use super::{BACKGROUND, ROLE, same_program};
use crate::failure::Failure;
use crate::process::print;

/// The time between two checks of the process that starts.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Starts the server in a process of its own, and waits until it is ready.
pub(super) fn start() -> Result<ExitCode, Failure> {
    let failed =
        |error: io::Error| Failure::from(format!("the server cannot start in the background: {error}"));
    let name = format!("persea-start-{}", std::process::id());
    let socket = SocketAddr::from_abstract_name(&name).and_then(|address| UnixDatagram::bind_addr(&address));
    let socket = socket.map_err(failed)?;
    socket.set_read_timeout(Some(LOOK_INTERVAL)).map_err(failed)?;
    let mut command = same_program();
    command.env(ROLE, BACKGROUND).env("NOTIFY_SOCKET", format!("@{name}")).env_remove("WATCHDOG_USEC");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let mut message = [0; 1024];
    loop {
        let length = socket.recv(&mut message).unwrap_or(0);
        let text = message.get(..length).map(String::from_utf8_lossy).unwrap_or_default();
        if text.lines().any(|line| line == "READY=1") {
            print(&format!("persea: the server is ready (process {})\n", child.id()));
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Err(format!("the server has not started ({status}); its log says why").into());
        }
    }
}

/// Leaves the session of the starter, so that the end of its terminal is not noticed.
pub(super) fn detach() {
    // After a restart in place the process leads its session already.
    let _ = rustix::process::setsid();
}
