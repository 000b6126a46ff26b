//! Runs of Persea's tools against a server.

use std::process::{Command, Stdio};

use harness::Server;

use crate::{Failure, Setup};

/// Runs one of Persea's tools. Its output is shown only if it fails.
pub(crate) fn tool(setup: &Setup, server: &Server, name: &str, options: &[&str]) -> Result<(), Failure> {
    let endpoint = format!("tcp://127.0.0.1:{}", server.port());
    let program = setup.tools.as_deref().unwrap_or(&setup.server);
    let output = Command::new(program)
        .args([name, "--server.endpoint", &endpoint, "--server.password", "", "--progress", "false"])
        .args(options)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} {name} {}: {text}", program.display(), options.join(" ")).into())
}
