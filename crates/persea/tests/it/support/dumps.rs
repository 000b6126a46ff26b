//! Runs `persea dump` and `persea restore` on a folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Server;
use super::tool::{self, Said};

/// Makes a command line for a folder, without messages about the progress.
pub(crate) fn command(tool: &str, server: &Server, folder: &Path, options: &[&str]) -> Command {
    command_at(tool, &server.endpoint(), folder, options)
}

/// Makes the same command line for any endpoint.
pub(crate) fn command_at(tool: &str, endpoint: &str, folder: &Path, options: &[&str]) -> Command {
    let mut command = tool::command_at(endpoint, tool, &["--progress", "false"]);
    command.args(options).arg(folder);
    command
}

/// Runs a tool to its end.
pub(crate) fn run(tool: &str, server: &Server, folder: &Path, options: &[&str]) -> Said {
    tool::said(command(tool, server, folder, options).spawn().unwrap())
}

#[track_caller]
pub(crate) fn succeed(tool: &str, server: &Server, folder: &Path, options: &[&str]) {
    run(tool, server, folder, options).success();
}

/// Runs a tool that must fail, and returns its messages.
#[track_caller]
pub(crate) fn fail(tool: &str, server: &Server, folder: &Path, options: &[&str]) -> String {
    run(tool, server, folder, options).failure()
}

/// Starts a server, and makes a folder with a dump of one collection.
pub(crate) fn small_dump(folder: &Path, lines: &str) -> (Server, PathBuf) {
    let server = Server::start(&folder.join("server"), &[]);
    let dump = folder.join("dump");
    std::fs::create_dir(&dump).unwrap();
    std::fs::write(dump.join("c.structure.json"), r#"{"parameters":{"name":"c","type":2},"indexes":[]}"#)
        .unwrap();
    std::fs::write(dump.join("c.data.json"), lines).unwrap();
    (server, dump)
}
