//! The server in the background, with a supervisor, and as another user.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::Killed;

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
        let mut command = Command::new(env!("CARGO_BIN_EXE_persea"));
        command.args(["server", "--server.authentication", "false", "--log.level", "info"]).args(options);
        command.arg("--database.directory").arg(self.path("data"));
        command.arg("--server.endpoint").arg(format!("unix://{}", self.path("socket").display()));
        command.arg("--log.file").arg(self.path("log")).arg("--pid-file").arg(self.path("pid"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns the number of the process that answers, if one does.
    fn server(&self) -> Option<u32> {
        let mut stream = UnixStream::connect(self.path("socket")).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(b"GET /_admin/status HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").ok()?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply).ok()?;
        let (_, body) = reply.split_once("\r\n\r\n")?;
        let status: serde_json::Value = serde_json::from_str(body).ok()?;
        u32::try_from(status["pid"].as_u64()?).ok()
    }

    /// Returns the number of a process that answers and is not `other`.
    fn wait_for_server(&self, other: Option<u32>) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(process) = self.server().filter(|process| Some(*process) != other) {
                return process;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no server after 60 s: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    fn pid_file(&self) -> u32 {
        fs::read_to_string(self.path("pid")).unwrap().trim().parse().unwrap()
    }
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

fn wait_for_end(process: u32) {
    let status = PathBuf::from(format!("/proc/{process}/status"));
    let start = Instant::now();
    // A process whose parent is gone may wait for somebody who asks for its end.
    while fs::read_to_string(&status).is_ok_and(|status| !status.contains("State:\tZ")) {
        assert!(start.elapsed() < Duration::from_secs(30), "{process} has not ended");
        std::thread::sleep(Duration::from_millis(20));
    }
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
    assert!(said(&started).contains(&process.to_string()), "{}", said(&started));
    signal("-TERM", process);
    wait_for_end(process);
    assert!(!place.path("pid").exists() && place.log().contains("stopped"), "{}", place.log());
}

#[test]
fn a_start_in_the_background_that_fails_is_reported() {
    let place = Place::new();
    let failed = place.command(&["--daemon", "--server.descriptors-minimum", "4000000000"]).output().unwrap();
    assert!(!failed.status.success() && said(&failed).contains("its log says why"), "{}", said(&failed));
    assert!(place.log().contains("descriptors-minimum"), "{}", place.log());
    let mut command = Command::new(env!("CARGO_BIN_EXE_persea"));
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
    let mut supervisor = Killed(place.command(&["--supervisor"]).spawn().unwrap());
    let first = place.wait_for_server(None);
    assert_eq!(place.pid_file(), supervisor.0.id());
    assert_ne!(first, supervisor.0.id());
    signal("-KILL", first);
    let second = place.wait_for_server(Some(first));
    assert!(place.log().contains("starting it again"), "{}", place.log());
    signal("-TERM", supervisor.0.id());
    assert_eq!(supervisor.0.wait().unwrap().code(), Some(0), "{}", place.log());
    wait_for_end(second);
    assert!(!place.path("pid").exists());
}

#[test]
fn the_server_ends_with_its_supervisor() {
    let place = Place::new();
    let supervisor = Killed(place.command(&["--supervisor"]).spawn().unwrap());
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
    // The folder of the test is root's, and its parent may be, too.
    let owned = |path: &Path| {
        let owner = (rustix::fs::Uid::from_raw(65_534), rustix::fs::Gid::from_raw(65_534));
        rustix::fs::chown(path, Some(owner.0), Some(owner.1)).unwrap();
    };
    owned(place.folder.path());
    let server = Killed(place.command(&["--uid", "65534"]).spawn().unwrap());
    let process = place.wait_for_server(None);
    assert_eq!(process, server.0.id());
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    assert!(status.contains("Uid:\t65534\t65534\t65534\t65534\n"), "{status}");
}
