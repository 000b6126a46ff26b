//! The start of servers for tests.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use database::{Instance, InstanceOptions, Session};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use server::http::Cost::{Blocking, Constant, Unknown};
use server::http::address::Address;
use server::http::{ChunkSource, Request, Response, Route, Verb, content_type, listener};
use server::server::StopTimes;
use server::service::log::{Log, LogOptions};
use server::{Server, ServerOptions};
use storage::{Store, StoreOptions};

use crate::client::Client;

pub(crate) use test_engine::wait_until;

/// A running server, which stops on drop.
pub(crate) struct Running {
    pub server: Arc<Server>,
    pub address: SocketAddr,
    /// The address with TLS, if the options have it.
    pub tls_address: Option<SocketAddr>,
    runtime: Option<tokio::runtime::Runtime>,
    task: Option<tokio::task::JoinHandle<std::io::Result<bool>>>,
}

pub(crate) fn options() -> ServerOptions {
    ServerOptions { log: Log::new(LogOptions::default()), ..ServerOptions::default() }
}

pub(crate) fn store() -> Arc<Store> {
    Store::open(
        test_engine::engine(),
        StoreOptions { naming_rules: catalog::NamingRules::Extended, ..StoreOptions::default() },
    )
    .unwrap()
}

/// Starts a server without authentication.
pub(crate) fn start() -> Running {
    start_with(options(), store())
}

pub(crate) fn start_with(options: ServerOptions, store: Arc<Store>) -> Running {
    start_on(options, Instance::new(store, InstanceOptions::default()).unwrap())
}

/// Starts a server whose collections may have computed values.
pub(crate) fn start_complete(options: ServerOptions) -> Running {
    start_on(options, Instance::open(test_engine::engine(), InstanceOptions::default()).unwrap())
}

/// Starts a server of an instance.
pub(crate) fn start_on(options: ServerOptions, instance: Arc<Instance>) -> Running {
    let tls = options.tls.clone();
    let server = Server::with_routes(instance, options, &[ROUTES]).unwrap();
    let any = "127.0.0.1:0".parse().unwrap();
    let mut listeners = vec![listener::bind(&Address::Tcp(any), true).unwrap().listen(64, None).unwrap()];
    if let Some(tls) = &tls {
        listeners.push(listener::bind(&Address::Tls(any), true).unwrap().listen(64, Some(tls)).unwrap());
    }
    let address = listeners[0].local_addr().unwrap();
    let tls_address = listeners.get(1).map(|listener| listener.local_addr().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let times = StopTimes { drain: Duration::ZERO, requests: Duration::from_secs(10) };
    let serve = Arc::clone(&server).serve(listeners, times);
    let task = runtime.spawn(serve);
    Running { server, address, tls_address, runtime: Some(runtime), task: Some(task) }
}

impl Running {
    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// Asks the server to stop and waits for it. Returns true if all requests ended on their own.
    pub(crate) fn stop(mut self) -> bool {
        self.server.shutdown().request();
        self.wait()
    }

    /// Waits until the server has stopped. Returns true if all requests ended on their own.
    pub(crate) fn wait(&mut self) -> bool {
        let (runtime, task) = (self.runtime.take().unwrap(), self.task.take().unwrap());
        runtime.block_on(task).unwrap().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Routes that provoke failures on purpose.
const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_test/panic", Constant, |_, _| panic!("expected in this test")),
    Route::new(Verb::Get, "/_test/panic-on-pool", Blocking, |_, _| panic!("expected in this test")),
    Route::new(Verb::Get, "/_test/panic-later", Unknown, |_, _| {
        Ok(Response::deferred(|| panic!("expected in this test")))
    }),
    Route::new(Verb::Get, "/_test/sleep", Blocking, sleep),
    Route::new(Verb::Get, "/_test/wait", Blocking, wait),
    Route::new(Verb::Post, "/_test/start", Unknown, begin),
    Route::new(Verb::Get, "/_test/stream", Blocking, stream),
    Route::new(Verb::Post, "/_test/body", Constant, body),
    Route::new(Verb::Put, "/_test/value", Constant, value),
    Route::new(Verb::Get, "/_test/long", Constant, long),
    Route::new(Verb::Get, "/_test/parts/{one}/{two}", Constant, parts),
    Route::new(Verb::Get, "/_test/write", Constant, |_, _| Response::success(StatusCode::OK, |_| ()))
        .for_writers(),
    Route::new(Verb::Get, "/_test/system", Constant, |_, _| Response::success(StatusCode::OK, |_| ()))
        .in_system_database(),
];

/// A gate before which requests wait until the test opens it. Tests have gates of different names.
#[derive(Default)]
struct Gate {
    arrived: usize,
    is_open: bool,
    passed: usize,
}

static GATES: LazyLock<Mutex<HashMap<String, Gate>>> = LazyLock::new(Mutex::default);

fn at_gate<T>(name: &str, change: impl FnOnce(&mut Gate) -> T) -> T {
    let mut gates = GATES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    change(gates.entry(name.to_owned()).or_default())
}

/// Waits until this many requests `/_test/wait?gate=NAME` have begun.
pub(crate) fn wait_for_arrivals(gate: &str, count: usize) {
    wait_until("requests arrive at the gate", || arrivals(gate) >= count);
}

/// Returns the number of requests `/_test/wait?gate=NAME` that have begun.
pub(crate) fn arrivals(gate: &str) -> usize {
    at_gate(gate, |gate| gate.arrived)
}

/// Returns the number of requests that have passed the gate.
pub(crate) fn passed(gate: &str) -> usize {
    at_gate(gate, |gate| gate.passed)
}

pub(crate) fn open_gate(gate: &str) {
    at_gate(gate, |gate| gate.is_open = true);
}

fn wait(_: &Session, request: &Request) -> Result<Response> {
    let gate = &*request.text("gate")?.unwrap_or_default();
    at_gate(gate, |gate| gate.arrived += 1);
    wait_until("the gate is open", || at_gate(gate, |gate| gate.is_open));
    at_gate(gate, |gate| gate.passed += 1);
    Ok(Response::json(StatusCode::OK, "true"))
}

fn sleep(_: &Session, request: &Request) -> Result<Response> {
    std::thread::sleep(Duration::from_millis(request.number("ms")?.unwrap_or(100)));
    Ok(Response::json(StatusCode::OK, "true"))
}

fn begin(_: &Session, request: &Request) -> Result<Response> {
    if !request.flag("long", false)? {
        return Ok(Response::json(StatusCode::OK, "\"short\""));
    }
    let body = request.body().clone();
    Ok(Response::deferred(move || Ok(Response::json(StatusCode::OK, body))))
}

/// A source of lines, possibly followed by an error.
struct Lines {
    left: usize,
    fails: bool,
}

impl ChunkSource for Lines {
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if self.left == 0 {
            return if self.fails { Err(Error::of(ErrorCode::CursorNotFound)) } else { Ok(None) };
        }
        self.left -= 1;
        Ok(Some(format!("{{\"left\":{}}}\n", self.left).into_bytes()))
    }

    fn farewell(&self, error: &Error) -> Option<Vec<u8>> {
        Some(format!("{{\"error\":true,\"errorNum\":{}}}\n", error.number()).into_bytes())
    }
}

fn stream(_: &Session, request: &Request) -> Result<Response> {
    let lines = Lines { left: request.number("count")?.unwrap_or(3), fails: request.flag("fails", false)? };
    Response::compressed_stream(request, content_type::NDJSON, Box::new(lines))
}

fn body(_: &Session, request: &Request) -> Result<Response> {
    Ok(Response::bytes(StatusCode::OK, content_type::TEXT, request.body().clone()))
}

fn value(_: &Session, request: &Request) -> Result<Response> {
    Ok(Response::value(StatusCode::OK, request.body_object()?.into_vec()))
}

fn long(_: &Session, request: &Request) -> Result<Response> {
    let text = "text that repeats, ".repeat(request.number("count")?.unwrap_or(1_000));
    Response::object(StatusCode::OK, |fields| {
        fields.text("text", &text);
    })
}

fn parts(session: &Session, request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.text("one", request.parameter("one")).text("two", request.parameter("two"));
        fields.text("database", session.database_name());
    })
}
