//! The server under attack: its process, its memory and processor time, its log.

use std::collections::HashMap;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::http1::{Connection, Request};

/// Password of the user root.
pub(crate) const PASSWORD: &str = "attack";

/// Secret that signs tokens, so that a token is good after a restart too.
pub(crate) const SECRET: &str = "the secret of the attack program";

/// Longest time of a start, with the recovery of the data.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Ticks a second of the times in `/proc/PID/stat`: a constant of Linux's interface.
const TICKS_PER_SECOND: f64 = 100.0;

/// The beginnings of the names of threads that compact the store, which is nobody's request.
const COMPACTION: [&str; 2] = ["rocksdb", "merge"];

/// How to start a server.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    program: PathBuf,
    folder: PathBuf,
    memory_limit: u64,
    options: Vec<String>,
    address: SocketAddr,
}

impl Launch {
    /// Chooses a free port. The data will be in `folder/data`. Errors: text for the user.
    pub(crate) fn new(
        program: &Path,
        folder: &Path,
        memory_limit: u64,
        options: Vec<String>,
    ) -> Result<Self, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| format!("no port is free: {error}"))?;
        Ok(Launch { program: program.to_owned(), folder: folder.to_owned(), memory_limit, options, address })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the lines of the log that name a panic.
    pub(crate) fn crashes(&self) -> Vec<String> {
        let log = std::fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let is_crash = |line: &&str| line.contains("panic") || line.contains("{crash}");
        log.lines().filter(is_crash).map(|line| line.chars().take(300).collect()).collect()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Starts a server and waits until it serves. Errors: text for the user.
    pub(crate) fn start(&self) -> Result<Server, String> {
        let log = std::fs::File::options().create(true).append(true).open(self.log());
        let log = log.map_err(|error| format!("{}: {error}", self.log().display()))?;
        let child = Command::new(&self.program)
            .args(["server", "--log.level", "warning", "--server.jwt-secret", SECRET])
            .args(["--server.password", PASSWORD, "--memory-limit", &self.memory_limit.to_string()])
            .args(["--server.session-timeout", "1000000"])
            .arg("--server.endpoint")
            .arg(format!("tcp://{}", self.address))
            .arg("--database.directory")
            .arg(self.folder.join("data"))
            .args(&self.options)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("{} could not be started: {error}", self.program.display()))?;
        let mut server = Server { child };
        let start = Instant::now();
        while !self.is_serving() {
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

    fn is_serving(&self) -> bool {
        let ask = || {
            let mut connection = Connection::open(self.address, Duration::from_secs(5))?;
            connection.ask(&Request::new("GET", "/_admin/server/availability"))
        };
        ask().is_ok_and(|reply| reply.status == 200)
    }

    /// Returns the end of the log.
    fn tail(&self) -> String {
        let log = std::fs::read(self.log()).unwrap_or_default();
        let start = log.len().saturating_sub(500);
        String::from_utf8_lossy(&log[start..]).into_owned()
    }
}

/// A running server; killed when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
}

impl Server {
    pub(crate) fn process(&self) -> Process {
        Process { id: self.child.id() }
    }

    /// Returns true unless the process has ended.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the process as a crash would.
    pub(crate) fn kill(&mut self) {
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

/// The number of a process, and what the kernel says about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    id: u32,
}

/// Memory of a process in bytes, with mapped files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// `VmRSS`.
    pub(crate) resident: u64,
    /// `VmHWM`: the largest `VmRSS` since the last [`Process::forget_peak`].
    pub(crate) peak: u64,
}

impl Process {
    /// Returns the memory of the process; `None` when it has ended.
    pub(crate) fn memory(self) -> Option<Memory> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id)).ok()?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
        };
        Some(Memory { resident: bytes("VmRSS:")?, peak: bytes("VmHWM:")? })
    }

    /// Begins a new peak of memory.
    pub(crate) fn forget_peak(self) {
        // Value 5 of proc(5). Errors: the process has ended.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.id), "5");
    }

    /// Returns the processor time by now of all threads but those that compact the store, by the
    /// threads' numbers, and their names; nothing when the process has ended.
    pub(crate) fn processor_times(self) -> HashMap<OsString, (String, Duration)> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten().flatten();
        let times = threads
            .filter_map(|thread| Some((thread.file_name(), processor_time(&thread.path().join("stat"))?)));
        times.filter(|(_, (name, _))| !COMPACTION.iter().any(|known| name.starts_with(known))).collect()
    }

    /// Kills the process from a thread that does not own it.
    pub(crate) fn kill(self) {
        if let Some(id) = i32::try_from(self.id).ok().and_then(Pid::from_raw) {
            // Errors: it has ended already.
            let _ = kill_process(id, Signal::KILL);
        }
    }
}

/// Returns a thread's name and processor time.
fn processor_time(stat: &Path) -> Option<(String, Duration)> {
    let stat = std::fs::read_to_string(stat).ok()?;
    // The name in parentheses may hold blanks. Fields 14 and 15 are 11 and 12 after it.
    let (before, after) = stat.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some((name, Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND)))
}
