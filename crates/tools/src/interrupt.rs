//! SIGINT and SIGTERM: a tool reports the state that it leaves behind.

use std::io;
use std::task::Poll;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::{Console, Tool};

/// The number that shells add to the signal that ended a program.
const EXIT_BY_SIGNAL: i32 = 128;

/// Handles the signals from now on, on a thread of its own.
pub(crate) fn watch(tool: &'static Tool, console: &Console) -> io::Result<()> {
    let console = console.clone();
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    drop(entered);
    let first = std::future::poll_fn(move |context| {
        if interrupts.poll_recv(context).is_ready() {
            return Poll::Ready(("SIGINT", SignalKind::interrupt()));
        }
        terminations.poll_recv(context).map(|_| ("SIGTERM", SignalKind::terminate()))
    });
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let (name, kind) = runtime.block_on(first);
        console.set_status("");
        console.error(&format!("stopped by {name}; {}", tool.when_stopped));
        std::process::exit(EXIT_BY_SIGNAL + kind.as_raw_value());
    })?;
    Ok(())
}
