//! SIGINT and SIGTERM: a tool reports the state that it leaves behind.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{Console, Tool};

/// The number that shells add to the signal that ended a program.
const EXIT_BY_SIGNAL: i32 = 128;

/// Handles the signals from now on, on a thread of its own: the first one ends the tool.
pub(crate) fn watch(tool: &'static Tool, console: &Console) -> io::Result<()> {
    let console = console.clone();
    let mut signals = Signals::new()?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let kind = signals.next();
        let name = if kind == SignalKind::interrupt() { "SIGINT" } else { "SIGTERM" };
        console.set_status("");
        console.error(&format!("stopped by {name}; {}", tool.when_stopped));
        exit(kind);
    })?;
    Ok(())
}

/// Handles the signals from now on, on a thread of its own: SIGINT sets a flag.
///
/// SIGTERM ends the tool, and so does SIGINT for the third time while the flag is set.
pub(crate) fn watch_flag(flag: Arc<AtomicBool>) -> io::Result<()> {
    const PATIENCE: u32 = 2;
    let mut signals = Signals::new()?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut in_vain = 0;
        loop {
            let kind = signals.next();
            in_vain = if flag.swap(true, Ordering::Relaxed) { in_vain + 1 } else { 0 };
            if kind != SignalKind::interrupt() || in_vain >= PATIENCE {
                exit(kind);
            }
        }
    })?;
    Ok(())
}

fn exit(kind: SignalKind) -> ! {
    std::process::exit(EXIT_BY_SIGNAL + kind.as_raw_value())
}

/// The signals that end programs.
struct Signals {
    runtime: Runtime,
    interrupts: Signal,
    terminations: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let entered = runtime.enter();
        let interrupts = signal(SignalKind::interrupt())?;
        let terminations = signal(SignalKind::terminate())?;
        drop(entered);
        Ok(Signals { runtime, interrupts, terminations })
    }

    /// Waits for the next signal.
    fn next(&mut self) -> SignalKind {
        let Signals { runtime, interrupts, terminations } = self;
        runtime.block_on(std::future::poll_fn(|context| {
            if interrupts.poll_recv(context).is_ready() {
                return Poll::Ready(SignalKind::interrupt());
            }
            terminations.poll_recv(context).map(|_| SignalKind::terminate())
        }))
    }
}
