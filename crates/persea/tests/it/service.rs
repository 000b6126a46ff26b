//! The server under a service manager: it says when it is ready, answers the watchdog, and stops
//! without loss.

use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Killed;

/// Returns the next message but for answers to the watchdog, whose number is added to `answers`.
fn next(socket: &UnixDatagram, answers: &mut u32) -> String {
    let mut buffer = [0; 256];
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_secs(60), "no message after 60 s");
        let length = socket.recv(&mut buffer).expect("a message within 20 s");
        match std::str::from_utf8(&buffer[..length]).unwrap() {
            "WATCHDOG=1" => *answers += 1,
            other => return other.to_owned(),
        }
    }
}

#[test]
fn the_service_manager_hears_of_start_life_and_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let unix = folder.path().join("server");
    let mut command = Command::new(env!("CARGO_BIN_EXE_persea"));
    command.args(["server", "--server.authentication", "false", "--log.level", "warning"]);
    command.arg("--database.directory").arg(folder.path().join("data"));
    command.arg("--server.endpoint").arg(format!("unix://{}", unix.display()));
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000").stdout(Stdio::null());
    let mut server = Killed(command.spawn().unwrap());
    let mut answers = 0;
    assert_eq!(next(&socket, &mut answers), "READY=1\nSTATUS=ready");
    // Ready means that connections are accepted.
    drop(std::os::unix::net::UnixStream::connect(&unix).unwrap());
    std::thread::sleep(Duration::from_secs(1));
    assert!(Command::new("kill").arg(server.0.id().to_string()).status().unwrap().success());
    assert_eq!(next(&socket, &mut answers), "STOPPING=1\nSTATUS=stopping");
    assert!(answers >= 5, "the watchdog got {answers} answers in a second");
    assert_eq!(server.0.wait().unwrap().code(), Some(0));
}
