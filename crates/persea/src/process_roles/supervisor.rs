//! The process that starts the server again after a crash.

use std::path::Path;
use std::process::{Child, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use options::Options;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid};
use tokio::signal::unix::{SignalKind, signal};

use super::{ROLE, WORKER, same_program};
use crate::failure::Failure;
use crate::options::{general, log};
use crate::process::PidFile;

/// A server that lives for less has not started well.
const SHORT_LIFE: Duration = Duration::from_secs(30);

/// The number of short lives in a row after which the supervisor gives up.
const SHORT_LIVES_MAX: u32 = 3;

/// The pause before a start after a crash.
const PAUSE: Duration = Duration::from_secs(1);

/// The state that the tasks of signals share.
#[derive(Debug, Default)]
struct Shared {
    /// The server, as long as it may be sent signals.
    worker: Mutex<Option<Pid>>,
    is_stopping: AtomicBool,
}

impl Shared {
    fn worker(&self) -> MutexGuard<'_, Option<Pid>> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}

/// Runs the server in another process, and starts it again until it ends well.
pub(super) fn run(options: &Options) -> Result<ExitCode, Failure> {
    log::open(options)?;
    let _pid_file =
        options.get(&general::PID_FILE).map(|path| PidFile::write(Path::new(path))).transpose()?;
    let shared = Arc::new(Shared::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async { forward_signals(&shared) })?;
    let mut short_lives = 0;
    loop {
        let began = Instant::now();
        let status = run_once(&shared)?;
        if status.success() || shared.is_stopping() {
            return Ok(code(status));
        }
        short_lives = if began.elapsed() < SHORT_LIFE { short_lives + 1 } else { 0 };
        if short_lives >= SHORT_LIVES_MAX {
            tracing::error!(target: "startup", "the server exited {short_lives} times within seconds ({status}); giving up");
            return Ok(code(status));
        }
        tracing::error!(target: "startup", "the server exited ({status}); restarting it");
        std::thread::sleep(PAUSE);
    }
}

/// Starts the server and waits for its end.
fn run_once(shared: &Shared) -> Result<ExitStatus, Failure> {
    let mut child = {
        let mut worker = shared.worker();
        let child = same_program().env(ROLE, WORKER).stdin(Stdio::piped()).spawn();
        let child = child.map_err(|error| format!("the server cannot be started: {error}"))?;
        *worker = Pid::from_raw(child.id().cast_signed());
        child
    };
    wait(shared, &mut child)
}

/// Waits for the end of the server. Signals are not sent to a number that another process may have.
fn wait(shared: &Shared, child: &mut Child) -> Result<ExitStatus, Failure> {
    if let Some(worker) = Pid::from_raw(child.id().cast_signed()) {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(worker), ended).is_err_and(|error| error == rustix::io::Errno::INTR) {}
    }
    *shared.worker() = None;
    Ok(child.wait()?)
}

/// Sends the signals that this process gets to the server.
fn forward_signals(shared: &Arc<Shared>) -> std::io::Result<()> {
    for (kind, sent, stops) in [
        (SignalKind::terminate(), Signal::TERM, true),
        (SignalKind::interrupt(), Signal::INT, true),
        (SignalKind::hangup(), Signal::HUP, false),
    ] {
        let mut signals = signal(kind)?;
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if stops {
                    shared.is_stopping.store(true, Ordering::Relaxed);
                }
                if let Some(worker) = *shared.worker() {
                    // The server may be ending.
                    let _ = kill_process(worker, sent);
                }
            }
        });
    }
    Ok(())
}

fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Stops this server in order when its supervisor is gone, since the next supervisor could not open
/// its data.
///
/// The supervisor holds the other end of the standard input, and never writes. The system's signal
/// at the end of a parent comes more than once if the parent has several threads.
pub(super) fn follow() -> std::io::Result<()> {
    let watch = || {
        // Any outcome is the end: nothing can be read.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        // A process may always send signals to itself.
        let _ = kill_process(getpid(), Signal::TERM);
    };
    std::thread::Builder::new().name("supervisor".to_owned()).spawn(watch).map(drop)
}
