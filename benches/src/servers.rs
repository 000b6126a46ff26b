//! The servers under test, each with the options of a benchmark.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use harness::{Launch, Server, Stderr, free_address};

use crate::Failure;

/// Starts Persea on a store in `folder`.
pub(crate) fn persea(
    program: &Path,
    engine: Option<&str>,
    folder: &Path,
    options: &[&str],
) -> Result<Server, Failure> {
    let own = ["--server.authentication", "false"];
    let engine = engine.map(|engine| ["--server.storage-engine", engine]);
    let options = own.iter().chain(options).chain(engine.iter().flatten());
    let launch = Launch::new(program, folder, options)?.with_stderr(Stderr::Discarded);
    Ok(launch.start_on_free_port()?)
}

/// Starts a bare HTTP server: `PROGRAM hyper PORT 2`.
pub(crate) fn http_limit(program: &Path) -> Result<Server, Failure> {
    let address = free_address()?;
    let mut command = Command::new(program);
    command.args(["hyper", &address.port().to_string(), "2"]).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(Server::start(&mut command, address, Server::accepts_connections)?)
}

/// Waits until a server is idle, so that its data is compacted, as the data of the limits is.
///
/// The server starts to merge loaded data after five seconds.
pub(crate) fn settle(server: &Server) {
    const LOOK: Duration = Duration::from_millis(300);
    const STILL_LOOKS: usize = 20;
    let mut still = 0;
    for _ in 0..400 {
        let before = server.process().cpu_time();
        // The use of the processor is measured over this time.
        std::thread::sleep(LOOK);
        let used = server.process().cpu_time() - before;
        still = if used <= Duration::from_millis(10) { still + 1 } else { 0 };
        if still == STILL_LOOKS {
            return;
        }
    }
}
