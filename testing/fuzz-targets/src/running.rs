//! A server for the targets that send requests.

use std::net::SocketAddr;
use std::time::Duration;

use database::{Instance, InstanceOptions};
use server::http::address::Address;
use server::http::listener;
use server::server::StopTimes;
use server::service::log::{Log, LogOptions};
use server::{HttpOptions, Server, ServerOptions};

/// A running server with an empty store in memory.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

/// Starts a server. Panics if that is not possible.
pub(crate) fn start(http: HttpOptions) -> Running {
    let instance = Instance::open(kv::MemoryEngine::new(), InstanceOptions::default()).unwrap();
    let log = Log::new(LogOptions::default());
    let server = Server::new(instance, ServerOptions { log, http, ..ServerOptions::default() }).unwrap();
    let listener = listener::bind(&Address::Tcp("127.0.0.1:0".parse().unwrap()), true)
        .unwrap()
        .listen(64, None)
        .unwrap();
    let address = listener.local_addr().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let times = StopTimes { drain: Duration::ZERO, requests: Duration::from_secs(1) };
    runtime.spawn(server.serve(vec![listener], times));
    Running { address, _runtime: runtime }
}
