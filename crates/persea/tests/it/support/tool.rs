//! Runs a tool of the program against a server.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{PROGRAM, Server};

/// The output of a tool, and its exit code.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    /// Checks that the tool succeeded, and returns its output.
    #[track_caller]
    pub(crate) fn success(self) -> Said {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that the tool failed, and returns its messages.
    #[track_caller]
    pub(crate) fn failure(self) -> String {
        assert_ne!(self.code, Some(0), "{self:?}");
        self.stderr
    }

    /// Returns a count from the printed results: the number after a name.
    #[track_caller]
    pub(crate) fn count(&self, name: &str) -> u64 {
        let line = self.stdout.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().parse().ok()).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }
}

/// Makes a command line of the program, for this server and the user root without a password.
pub(crate) fn command(server: &Server, tool: &str, arguments: &[&str]) -> Command {
    command_at(&server.endpoint(), tool, arguments)
}

/// Makes the same command line for any endpoint.
pub(crate) fn command_at(endpoint: &str, tool: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args([tool, "--server.endpoint", endpoint, "--server.password", ""]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a tool to its end.
pub(crate) fn run(server: &Server, tool: &str, arguments: &[&str]) -> Said {
    said(command(server, tool, arguments).spawn().unwrap())
}

/// Waits for a tool's end, and returns its output.
pub(crate) fn said(child: Child) -> Said {
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Writes a file and returns its path.
pub(crate) fn write(folder: &Path, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name.as_ref());
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}
