//! Servers in processes of their own.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use client::{Client, ClientOptions, Credentials, Endpoint, Request, RetryOptions};

/// Password of the user root.
pub const PASSWORD: &str = "a password for tests";

/// Secret that signs tokens, so that a token stays valid after a restart.
pub const SECRET: &str = "a secret for the signature of tokens";

/// Longest time of a start, with the recovery of the data.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes of the log's end in messages.
const TAIL_BYTES: usize = 500;

/// The program, folder, address and options of a server.
#[derive(Clone, Debug)]
pub struct Launch {
    program: PathBuf,
    folder: PathBuf,
    options: Vec<String>,
    address: SocketAddr,
}

impl Launch {
    /// Chooses a free port. The data will be in `folder/data`. Errors: text for the user.
    pub fn new(program: &Path, folder: &Path, options: Vec<String>) -> Result<Self, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| format!("no port is free: {error}"))?;
        Ok(Launch { program: program.to_owned(), folder: folder.to_owned(), options, address })
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the folder of the data and the log.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a client with the rights of root. Errors: text for the user.
    pub fn client(&self, request_timeout: Duration) -> Result<Client, String> {
        let endpoint = Endpoint::Tcp { host: self.address.ip().to_string(), port: self.address.port() };
        Client::new(ClientOptions {
            credentials: Credentials::JwtSecret(SECRET.as_bytes().to_vec()),
            request_timeout,
            retries: RetryOptions { count: 0, ..RetryOptions::default() },
            ..ClientOptions::new(endpoint)
        })
        .map_err(|error| error.to_string())
    }

    /// Returns the beginnings of the log's lines that name a panic.
    pub fn crashes(&self) -> Vec<String> {
        let log = std::fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let is_crash = |line: &&str| line.contains("panic") || line.contains("{crash}");
        log.lines().filter(is_crash).map(|line| line.chars().take(300).collect()).collect()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Starts a server and waits until it serves. Errors: text for the user.
    pub fn start(&self) -> Result<Server, String> {
        let mut server = Server { child: self.spawn()? };
        let client = self.client(Duration::from_secs(5))?;
        let start = Instant::now();
        while !is_serving(&client) {
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!("the server ended with {status} instead of serving: {}", self.tail()));
            }
            if start.elapsed() > START_TIMEOUT {
                return Err(format!("the server does not serve after {START_TIMEOUT:?}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    /// Starts a server and kills it after some time, in which it may not serve yet. Errors: text
    /// for the user.
    pub fn start_and_kill(&self, life: Duration) -> Result<(), String> {
        let mut server = Server { child: self.spawn()? };
        std::thread::sleep(life);
        server.kill();
        Ok(())
    }

    fn spawn(&self) -> Result<Child, String> {
        let log = std::fs::File::options().create(true).append(true).open(self.log());
        let log = log.map_err(|error| format!("{}: {error}", self.log().display()))?;
        Command::new(&self.program)
            .args(["server", "--log.level", "warning", "--server.jwt-secret", SECRET])
            .args(["--server.password", PASSWORD])
            .arg("--server.endpoint")
            .arg(format!("tcp://{}", self.address))
            .arg("--database.directory")
            .arg(self.folder.join("data"))
            .args(&self.options)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("{} could not be started: {error}", self.program.display()))
    }

    /// Returns the end of the log.
    fn tail(&self) -> String {
        let log = std::fs::read(self.log()).unwrap_or_default();
        let start = log.len().saturating_sub(TAIL_BYTES);
        String::from_utf8_lossy(&log[start..]).into_owned()
    }
}

fn is_serving(client: &Client) -> bool {
    let reply = client.send(&Request::get("/_admin/server/availability"));
    reply.is_ok_and(|reply| reply.status() == 200)
}

/// A running server; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
}

impl Server {
    /// Returns the number of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns true unless the process has ended.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the process as a crash would.
    pub fn kill(&mut self) {
        // Errors: it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the path of the server's program in the folder of this program. Errors: text for the
/// user.
pub fn program_beside_this() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| format!("the folder of this program: {error}"))?;
    Ok(this.with_file_name("persea"))
}
