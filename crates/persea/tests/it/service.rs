//! The server under a service manager: it says when it is ready, answers the watchdog, and stops
//! without loss.

use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

use harness::{GuardedChild, wait_for};

use crate::support::PROGRAM;

/// Returns the next message but for answers to the watchdog, whose number is added to `answers`.
fn next(socket: &UnixDatagram, answers: &mut u32) -> String {
    let mut buffer = [0; 256];
    let receive = || {
        let length = socket.recv(&mut buffer).expect("a message within 20 s");
        match std::str::from_utf8(&buffer[..length]).unwrap() {
            "WATCHDOG=1" => *answers += 1,
            other => return Some(other.to_owned()),
        }
        None
    };
    wait_for("no message comes", receive).unwrap()
}

#[test]
fn the_service_manager_hears_of_start_life_and_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let unix = folder.path().join("server");
    let mut command = Command::new(PROGRAM);
    command.args(["server", "--server.authentication", "false", "--log.level", "warning"]);
    command.arg("--database.directory").arg(folder.path().join("data"));
    command.arg("--server.endpoint").arg(format!("unix://{}", unix.display()));
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000").stdout(Stdio::null());
    let mut server = GuardedChild::spawn(&mut command).unwrap();
    let mut answers = 0;
    assert_eq!(next(&socket, &mut answers), "READY=1\nSTATUS=ready");
    // Ready means that connections are accepted.
    drop(std::os::unix::net::UnixStream::connect(&unix).unwrap());
    // The watchdog counts the answers of this time.
    std::thread::sleep(Duration::from_secs(1));
    server.process().terminate();
    assert_eq!(next(&socket, &mut answers), "STOPPING=1\nSTATUS=stopping");
    assert!(answers >= 5, "the watchdog got {answers} answers in a second");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
