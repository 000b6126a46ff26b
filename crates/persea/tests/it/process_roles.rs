//! The server in the background, with a supervisor, and as another user.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use harness::{GuardedChild, Process, wait_for, wait_until};

use crate::support::PROGRAM;

/// The folder of a server that listens on a socket in it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(["server", "--server.authentication", "false", "--log.level", "info"]).args(options);
        command.arg("--database.directory").arg(self.path("data"));
        command.arg("--server.endpoint").arg(format!("unix://{}", self.path("socket").display()));
        command.arg("--log.file").arg(self.path("log")).arg("--pid-file").arg(self.path("pid"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns the number of the process that answers, if one does.
    fn server(&self) -> Option<Process> {
        let mut stream = UnixStream::connect(self.path("socket")).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(b"GET /_admin/status HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").ok()?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply).ok()?;
        let (_, body) = reply.split_once("\r\n\r\n")?;
        let status: serde_json::Value = serde_json::from_str(body).ok()?;
        Some(Process::new(u32::try_from(status["pid"].as_u64()?).ok()?))
    }

    /// Returns the number of a process that answers and is not `other`.
    fn wait_for_server(&self, other: Option<Process>) -> Process {
        let find = || self.server().filter(|process| Some(*process) != other);
        wait_for("no server answers", find).unwrap_or_else(|error| panic!("{error}: {}", self.log()))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    fn pid_file(&self) -> Process {
        Process::new(fs::read_to_string(self.path("pid")).unwrap().trim().parse().unwrap())
    }
}

fn wait_for_end(process: Process) {
    wait_until("the process has not ended", || process.has_ended()).unwrap();
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn a_server_in_the_background_is_ready_when_its_starter_ends() {
    let place = Place::new();
    let started = place.command(&["--daemon", "true"]).output().unwrap();
    assert!(started.status.success(), "{} {}", said(&started), place.log());
    let process = place.server().expect("it is ready");
    assert_eq!(place.pid_file(), process);
    assert!(said(&started).contains(&process.id().to_string()), "{}", said(&started));
    process.terminate();
    wait_for_end(process);
    assert!(!place.path("pid").exists() && place.log().contains("stopped"), "{}", place.log());
}

#[test]
fn a_start_in_the_background_that_fails_is_reported() {
    let place = Place::new();
    let failed = place.command(&["--daemon", "--server.descriptors-minimum", "4000000000"]).output().unwrap();
    assert!(!failed.status.success() && said(&failed).contains("its log says why"), "{}", said(&failed));
    assert!(place.log().contains("descriptors-minimum"), "{}", place.log());
    let mut command = Command::new(PROGRAM);
    command.args(["server", "--daemon"]).arg(place.path("data"));
    let refused = command.output().unwrap();
    assert!(!refused.status.success() && said(&refused).contains("--daemon needs --pid-file"));
    let refused = command.arg("--pid-file").arg(place.path("pid")).output().unwrap();
    assert!(!refused.status.success() && said(&refused).contains("--log.file"), "{}", said(&refused));
    assert!(!place.path("data").exists());
}

#[test]
fn a_supervisor_starts_the_server_again_after_a_crash() {
    let place = Place::new();
    let mut supervisor = GuardedChild::spawn(&mut place.command(&["--supervisor"])).unwrap();
    let first = place.wait_for_server(None);
    assert_eq!(place.pid_file(), supervisor.process());
    assert_ne!(first, supervisor.process());
    first.kill();
    let second = place.wait_for_server(Some(first));
    assert!(place.log().contains("restarting it"), "{}", place.log());
    supervisor.process().terminate();
    assert_eq!(supervisor.wait().unwrap().code(), Some(0), "{}", place.log());
    wait_for_end(second);
    assert!(!place.path("pid").exists());
}

#[test]
fn the_server_ends_with_its_supervisor() {
    let place = Place::new();
    let supervisor = GuardedChild::spawn(&mut place.command(&["--supervisor"])).unwrap();
    let server = place.wait_for_server(None);
    drop(supervisor);
    wait_for_end(server);
    assert!(place.log().contains("stopped"), "{}", place.log());
}

#[test]
fn the_server_runs_as_another_user() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root may change the user");
        return;
    }
    let place = Place::new();
    let refused = place.command(&["--uid", "nobody-knows"]).output().unwrap();
    assert!(!refused.status.success() && said(&refused).contains("/etc/passwd"), "{}", said(&refused));
    // The folder of the test is root's, and its parent may be as well.
    let owned = |path: &Path| {
        let owner = (rustix::fs::Uid::from_raw(65_534), rustix::fs::Gid::from_raw(65_534));
        rustix::fs::chown(path, Some(owner.0), Some(owner.1)).unwrap();
    };
    owned(place.folder.path());
    let server = GuardedChild::spawn(&mut place.command(&["--uid", "65534"])).unwrap();
    let process = place.wait_for_server(None);
    assert_eq!(process, server.process());
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    assert!(status.contains("Uid:\t65534\t65534\t65534\t65534\n"), "{status}");
}
