//! Messages to the service manager (systemd): the server is ready, stops, or lives.
//!
//! The protocol is sd_notify(3): datagrams of `NAME=VALUE` lines to the socket that the environment
//! names. Without `NOTIFY_SOCKET` nobody listens, and nothing is sent.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;

/// The connection to the service manager.
pub(crate) struct ServiceManager {
    sender: Option<Arc<Sender>>,
    /// True while the threads of requests must answer, so that the watchdog hears of the server.
    is_serving: Arc<AtomicBool>,
}

struct Sender {
    socket: UnixDatagram,
    address: SocketAddr,
}

impl Sender {
    fn send(&self, message: &str) {
        // Nobody can be told of a failure: the service manager is gone, or does not wait.
        let _ = self.socket.send_to_addr(message.as_bytes(), &self.address);
    }
}

impl ServiceManager {
    /// Finds the service manager by the environment.
    pub(crate) fn find() -> Self {
        let sender = std::env::var_os("NOTIFY_SOCKET").and_then(|name| sender(&name.to_string_lossy()));
        let sender = sender.map(Arc::new);
        ServiceManager { sender, is_serving: Arc::default() }
    }

    fn send(&self, message: &str) {
        if let Some(sender) = &self.sender {
            sender.send(message);
        }
    }

    /// Says that the server answers requests.
    pub(crate) fn ready(&self) {
        self.is_serving.store(true, Ordering::Relaxed);
        self.send("READY=1\nSTATUS=ready");
    }

    /// Says that the server stops.
    pub(crate) fn stopping(&self) {
        self.is_serving.store(false, Ordering::Relaxed);
        self.send("STOPPING=1\nSTATUS=stopping");
    }

    /// Says that the server starts again within this process.
    pub(crate) fn restarting(&self) {
        self.is_serving.store(false, Ordering::Relaxed);
        self.send("STATUS=starting again");
    }

    /// Answers the watchdog twice in its period, if it wants that of this process.
    ///
    /// While the server serves, an answer needs a task of `runtime` to run. So a server whose
    /// threads are all stuck does not answer.
    pub(crate) fn answer_watchdog(&self, runtime: &Handle) {
        let Some((sender, period)) = self.sender.clone().zip(watchdog_period()) else { return };
        let (runtime, is_serving) = (runtime.clone(), Arc::clone(&self.is_serving));
        let answer = move || {
            let mut last: Option<Arc<AtomicBool>> = None;
            loop {
                let lives = last.take().is_none_or(|task_ran| task_ran.load(Ordering::Relaxed));
                if lives || !is_serving.load(Ordering::Relaxed) {
                    sender.send("WATCHDOG=1");
                }
                let ran = Arc::new(AtomicBool::new(false));
                let task = Arc::clone(&ran);
                runtime.spawn(async move { task.store(true, Ordering::Relaxed) });
                last = Some(ran);
                std::thread::sleep(period / 2);
            }
        };
        if let Err(error) = std::thread::Builder::new().name("watchdog".to_owned()).spawn(answer) {
            tracing::warn!(target: "startup", "cannot notify the watchdog: {error}");
        }
    }
}

/// Makes the sender to an address: a path, or a name after `@` in the abstract name space.
fn sender(address: &str) -> Option<Sender> {
    let address = match address.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(address),
    };
    Some(Sender { socket: UnixDatagram::unbound().ok()?, address: address.ok()? })
}

/// Returns the time within which the watchdog wants an answer of this process.
fn watchdog_period() -> Option<Duration> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let is_ours = number("WATCHDOG_PID").is_none_or(|process| process == u64::from(std::process::id()));
    number("WATCHDOG_USEC").filter(|period| is_ours && *period > 0).map(Duration::from_micros)
}
