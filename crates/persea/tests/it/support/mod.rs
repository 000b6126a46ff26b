//! Helpers of the binary's tests: a server on a free port with an empty store, and a small HTTP
//! client.

pub(crate) mod disguise;
pub(crate) mod tool;
pub(crate) mod tools;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Returns the repository's folder `tests`.
///
/// Tests run in the folder of their package. A path from the time of compilation would be that of
/// another checkout that shares the folder of compiled crates.
pub(crate) fn tests_folder() -> PathBuf {
    std::fs::canonicalize("../../tests").unwrap()
}

/// A process that is killed at the end of its test.
pub(crate) struct Killed(pub(crate) Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The time in which a server starts or ends at the latest, on a machine that does much else.
const SERVER_MAX: Duration = Duration::from_secs(60);

/// A server with a store of its own. Dropping it kills the server.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a server on a store in `folder`, without authentication unless `options` say so.
    pub(crate) fn start(folder: &Path, options: &[&str]) -> Server {
        // Another test may take the free port before the server does. The server then ends at once.
        (0..5).find_map(|_| Server::try_start(folder, options)).expect("the server ended instead of serving")
    }

    fn try_start(folder: &Path, options: &[&str]) -> Option<Server> {
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let mut command = Command::new(env!("CARGO_BIN_EXE_persea"));
        command.arg("server").arg("--database.directory").arg(folder);
        command.args(["--server.endpoint", &format!("tcp://127.0.0.1:{port}"), "--log.level", "warning"]);
        if !options.contains(&"--server.authentication") {
            command.args(["--server.authentication", "false"]);
        }
        let child = command.args(options).stdout(Stdio::null()).spawn().unwrap();
        let mut server = Server { child, port };
        let start = Instant::now();
        // The server itself must confirm that it listens, because another server might accept a
        // connection.
        while !server.owns_its_port() {
            if server.child.try_wait().unwrap().is_some() {
                return None;
            }
            assert!(start.elapsed() < SERVER_MAX, "the server does not serve after {SERVER_MAX:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(server)
    }

    /// Returns true if this process serves the port: it states its id in `/_admin/status`, or
    /// refuses to.
    fn owns_its_port(&self) -> bool {
        // Another process may have the port, and end in the middle of its reply.
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(b"GET /_admin/status HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n")?;
            let mut reply = String::new();
            stream.read_to_string(&mut reply)?;
            Ok(reply)
        };
        let Ok(reply) = ask() else { return false };
        let body = reply.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
        let status = serde_json::from_str::<serde_json::Value>(body).unwrap_or_default();
        reply.starts_with("HTTP/1.1 401") || status["pid"] == self.child.id()
    }

    /// Waits until the server has started again with the data of a restore in `folder`.
    pub(crate) fn wait_for_restore(&self, folder: &Path) {
        let start = Instant::now();
        while folder.join("backups/RESTORE").exists() || !self.owns_its_port() {
            assert!(start.elapsed() < Duration::from_secs(60), "the server has not restored after 60 s");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the process's id.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the process has ended by itself, and returns its exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(start.elapsed() < SERVER_MAX, "the server has not ended after {SERVER_MAX:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn connect(&self) -> Client {
        Client { stream: BufReader::new(TcpStream::connect(("127.0.0.1", self.port)).unwrap()) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One keep-alive connection.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// A reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in the body {:?}", self.text()))
    }
}

impl Client {
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Reply {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        let stream = self.stream.get_mut();
        stream.write_all(request.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        self.receive(method)
    }

    pub(crate) fn json(&mut self, method: &str, path: &str, body: &str) -> Reply {
        self.send(method, path, &[], body.as_bytes())
    }

    fn receive(&mut self, method: &str) -> Reply {
        let status_line = self.line();
        let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status: u16 = status.unwrap_or_else(|| panic!("no status in {status_line:?}"));
        let mut reply = Reply { status, headers: Vec::new(), body: Vec::new() };
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            reply.headers.push((name.to_owned(), value.trim().to_owned()));
        }
        if method == "HEAD" || status == 304 || status == 204 {
            return reply;
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            loop {
                let size = usize::from_str_radix(self.line().trim(), 16).unwrap();
                self.read(size, &mut reply.body);
                self.line();
                if size == 0 {
                    return reply;
                }
            }
        }
        let size = reply.header("content-length").map_or(0, |size| size.parse().unwrap());
        self.read(size, &mut reply.body);
        reply
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn read(&mut self, size: usize, into: &mut Vec<u8>) {
        let old = into.len();
        into.resize(old + size, 0);
        self.stream.read_exact(&mut into[old..]).unwrap();
    }
}
