//! Servers in processes of their own.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use client::{Client, ClientOptions, Credentials, Endpoint, RetryOptions};

use crate::child::GuardedChild;
use crate::http1::{Connection, Request};
use crate::ports::free_address;
use crate::process::Process;
use crate::wait::wait_for;

/// Password of the user root.
pub const PASSWORD: &str = "a password for tests";

/// Secret that signs tokens, so that a token stays valid after a restart.
pub const SECRET: &str = "a secret for the signature of tokens";

/// Maximum wait for a reply to the question if the server serves.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum wait for a reply on connections of [`Server::connect`].
const REPLY_TIMEOUT: Duration = Duration::from_secs(600);

/// Ports that are tried for a server. Another process may take a free port before the server does.
const PORTS_TRIED: usize = 5;

/// Bytes of the log's end in messages.
const TAIL_BYTES: usize = 500;

/// The destination of a server's messages.
#[derive(Clone, Debug)]
pub enum Stderr {
    /// The standard error of this process.
    Inherited,
    /// Nowhere.
    Discarded,
    /// The end of a file.
    File(PathBuf),
}

/// The program, address, data and options of a server.
#[derive(Clone, Debug)]
pub struct Launch {
    program: PathBuf,
    data: PathBuf,
    options: Vec<OsString>,
    address: SocketAddr,
    stderr: Stderr,
    environment: Vec<(String, String)>,
}

impl Launch {
    /// Chooses a free port for a server with these options. Errors: text for the user.
    pub fn new(
        program: &Path,
        data: &Path,
        options: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Result<Self, String> {
        let options = options.into_iter().map(Into::into).collect();
        let (program, data, address) = (program.to_owned(), data.to_owned(), free_address()?);
        let (stderr, environment) = (Stderr::Inherited, Vec::new());
        Ok(Launch { program, data, options, address, stderr, environment })
    }

    /// Chooses a free port for a server that only root may use, with [`PASSWORD`]. Its data are in
    /// `folder/data`, its log in `folder/log`. Errors: text for the user.
    pub fn for_root(program: &Path, folder: &Path, options: &[String]) -> Result<Self, String> {
        let own = ["--log.level", "warning", "--server.jwt-secret", SECRET, "--server.password", PASSWORD];
        let options = own.iter().map(OsString::from).chain(options.iter().map(OsString::from));
        let launch = Launch::new(program, &folder.join("data"), options)?;
        Ok(launch.with_stderr(Stderr::File(folder.join("log"))))
    }

    /// Adds options.
    #[must_use]
    pub fn with_options(mut self, options: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.options.extend(options.into_iter().map(Into::into));
        self
    }

    /// Sends the messages of the server elsewhere.
    pub fn with_stderr(self, stderr: Stderr) -> Self {
        Launch { stderr, ..self }
    }

    /// Adds variables to the environment of the servers.
    #[must_use]
    pub fn with_environment(mut self, variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.environment.extend(variables);
        self
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the folder of the data.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Returns a client of a server of [`Launch::for_root`], with the rights of root. Errors: text
    /// for the user.
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

    /// Returns the beginnings of the log's lines that name a panic. A server that was killed only
    /// warns at its next start.
    pub fn crashes(&self) -> Vec<String> {
        let log = self.log();
        let is_crash = |line: &&str| line.contains("panic") || line.contains("ERROR {crash}");
        log.lines().filter(is_crash).map(|line| line.chars().take(300).collect()).collect()
    }

    /// Returns the number of times that a server has restarted itself because its lease on a shared
    /// store had expired.
    pub fn lease_ends(&self) -> usize {
        self.log().lines().filter(|line| line.contains("on the shared store has expired")).count()
    }

    /// Starts a server and waits until it serves. Errors: text for the user.
    pub fn start(&self) -> Result<Server, String> {
        Server::start(&mut self.command()?, self.address, Server::serves).map_err(|error| {
            let log = self.log();
            let tail = log.get(log.floor_char_boundary(log.len().saturating_sub(TAIL_BYTES))..);
            format!("{error}: {}", tail.unwrap_or_default())
        })
    }

    /// Starts a server as [`Launch::start`] does, on another port where the first one is taken.
    pub fn start_on_free_port(mut self) -> Result<Server, String> {
        for _ in 1..PORTS_TRIED {
            if let Ok(server) = self.start() {
                return Ok(server);
            }
            self.address = free_address()?;
        }
        self.start()
    }

    /// Starts a server and kills it after some time, in which it may not serve yet. Errors: text
    /// for the user.
    pub fn start_and_kill(&self, life: Duration) -> Result<(), String> {
        let mut child = GuardedChild::spawn(&mut self.command()?)?;
        // The moment of the kill is what the caller chooses.
        std::thread::sleep(life);
        child.kill();
        Ok(())
    }

    fn command(&self) -> Result<Command, String> {
        let stderr = match &self.stderr {
            Stderr::Inherited => Stdio::inherit(),
            Stderr::Discarded => Stdio::null(),
            Stderr::File(path) => {
                let file = File::options().create(true).append(true).open(path);
                file.map_err(|error| format!("{}: {error}", path.display()))?.into()
            }
        };
        let mut command = Command::new(&self.program);
        command.arg("server").arg("--database.directory").arg(&self.data);
        command.arg("--server.endpoint").arg(format!("tcp://{}", self.address)).args(&self.options);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdout(Stdio::null()).stderr(stderr);
        Ok(command)
    }

    /// Returns the text of the log; nothing if it is not a file.
    fn log(&self) -> String {
        let Stderr::File(path) = &self.stderr else { return String::new() };
        String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
    }
}

/// A running server; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: GuardedChild,
    address: SocketAddr,
    start_time: Duration,
}

impl Server {
    /// Starts any server and waits until `is_ready`. Errors: text for the user.
    pub fn start(
        command: &mut Command,
        address: SocketAddr,
        is_ready: impl Fn(&Server) -> bool,
    ) -> Result<Self, String> {
        let started = Instant::now();
        let mut server = Server { child: GuardedChild::spawn(command)?, address, start_time: Duration::ZERO };
        wait_for("the server does not serve", || {
            if is_ready(&server) {
                return Some(Ok(()));
            }
            let status = server.child.status()?;
            Some(Err(format!("the server ended with {status} instead of serving")))
        })??;
        server.start_time = started.elapsed();
        Ok(server)
    }

    /// Returns true if this very process serves the address: it states its id, or refuses to.
    /// Another process may own the port, and may end in the middle of its reply.
    pub fn serves(&self) -> bool {
        let ask =
            || Connection::open(self.address, STATUS_TIMEOUT)?.ask(&Request::new("GET", "/_admin/status"));
        ask().is_ok_and(|reply| reply.status == 401 || reply.json()["pid"] == self.process().id())
    }

    /// Returns true if somebody accepts connections at the address.
    pub fn accepts_connections(&self) -> bool {
        TcpStream::connect(self.address).is_ok()
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the address as tools take it.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connects. Whole replies are kept.
    pub fn connect(&self) -> io::Result<Connection> {
        Connection::open(self.address, REPLY_TIMEOUT).map(Connection::keeping_all)
    }

    /// Returns the process.
    pub fn process(&self) -> Process {
        self.child.process()
    }

    /// Returns the time from the start until the first reply.
    pub fn start_time(&self) -> Duration {
        self.start_time
    }

    /// Returns true unless the process has ended.
    pub fn is_alive(&mut self) -> bool {
        self.child.status().is_none()
    }

    /// Ends the process as a crash would.
    pub fn kill(&mut self) {
        self.child.kill();
    }

    /// Waits until the process has ended by itself. Errors: text for the user after
    /// [`crate::DEADLINE`].
    pub fn wait(&mut self) -> Result<ExitStatus, String> {
        self.child.wait()
    }

    /// Asks the server to end, and waits for it. Errors: see [`Server::wait`].
    pub fn stop(&mut self) -> Result<ExitStatus, String> {
        self.process().terminate();
        self.wait()
    }
}

/// Returns the path of the server's program in the folder of this program. Errors: text for the
/// user.
pub fn program_next_to_this() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| format!("the folder of this program: {error}"))?;
    Ok(this.with_file_name("persea"))
}
