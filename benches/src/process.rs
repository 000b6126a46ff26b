//! Servers under test: started, awaited, measured from outside by `/proc`, stopped.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;

/// A running server; dropping it kills the server.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    /// The time from its start until its first reply.
    pub(crate) start_time: Duration,
}

impl Server {
    /// Starts Persea on a store in `folder`.
    pub(crate) fn persea(
        program: &Path,
        engine: Option<&str>,
        folder: &Path,
        options: &[&str],
    ) -> Result<Self, Failure> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.arg("server").args(["--server.authentication", "false", "--database.directory"]).arg(folder);
        command.arg("--server.endpoint").arg(format!("tcp://127.0.0.1:{port}")).args(options);
        command.args(engine.map(|engine| ["--server.storage-engine", engine]).iter().flatten());
        Self::start(command, port)
    }

    /// Starts a bare HTTP server: `PROGRAM hyper PORT 2`.
    pub(crate) fn http_limit(program: &Path) -> Result<Self, Failure> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["hyper", &port.to_string(), "2"]);
        Self::start(command, port)
    }

    fn start(mut command: Command, port: u16) -> Result<Self, Failure> {
        let started = Instant::now();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut server = Server { child, port, start_time: Duration::ZERO };
        loop {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                server.start_time = started.elapsed();
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                return Err(format!("{command:?} ended with {status} instead of serving").into());
            }
            if started.elapsed() > Duration::from_secs(30) {
                return Err(format!("{command:?} does not serve after 30 s").into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Asks the server to stop, and waits until it has.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        let status = Command::new("kill").arg(self.child.id().to_string()).status()?;
        if !status.success() {
            return Err("the server cannot be asked to stop".into());
        }
        self.child.wait()?;
        Ok(())
    }

    /// Returns the CPU time that the server has used, user and system.
    pub(crate) fn cpu(&self) -> Duration {
        cpu_of(&self.child.id().to_string())
    }

    /// Returns the CPU time of the threads that the server has now, to the nanosecond.
    pub(crate) fn threads_cpu(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let stats = tasks.into_iter().flatten().flatten().map(|task| {
            let stat = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            stat.split_whitespace().next().and_then(|time| time.parse().ok()).unwrap_or(0)
        });
        Duration::from_nanos(stats.sum())
    }

    /// Waits until the server is idle, so that its data is compacted, as the data of the limits is.
    ///
    /// The server starts to merge loaded data after five seconds.
    pub(crate) fn settle(&self) {
        const LOOK: Duration = Duration::from_millis(300);
        const STILL_LOOKS: usize = 20;
        let mut still = 0;
        for _ in 0..400 {
            let before = self.cpu();
            std::thread::sleep(LOOK);
            still = if self.cpu() - before <= Duration::from_millis(10) { still + 1 } else { 0 };
            if still == STILL_LOOKS {
                return;
            }
        }
    }

    /// Returns the bytes of memory that are resident now.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.status_kib("VmRSS:") << 10
    }

    /// Returns the peak of resident bytes.
    pub(crate) fn peak_resident_bytes(&self) -> u64 {
        self.status_kib("VmHWM:") << 10
    }

    fn status_kib(&self, name: &str) -> u64 {
        let Ok(file) = std::fs::File::open(format!("/proc/{}/status", self.child.id())) else { return 0 };
        let lines = BufReader::new(file).lines().map_while(Result::ok);
        let line = lines.into_iter().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the CPU time of this process.
pub(crate) fn own_cpu() -> Duration {
    cpu_of("self")
}

fn cpu_of(process: &str) -> Duration {
    // Fields 14 and 15: user and system time.
    ticks_of(process, &[11, 12])
}

/// Returns the CPU time of a process and of those of its children that have ended.
pub(crate) fn cpu_with_children(process: u32) -> Duration {
    // Fields 16 and 17 are the times of ended children.
    ticks_of(&process.to_string(), &[11, 12, 13, 14])
}

/// Returns the sum of some numbers behind the name in brackets, which count ticks of 10 ms.
fn ticks_of(process: &str, fields_behind_name: &[usize]) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields_behind_name.iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
