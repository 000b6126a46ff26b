//! The server as an attack sees it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use harness::http1::{Connection, Reply, Request};
use harness::{Launch, PASSWORD, Process, Server};

use crate::attack::bystander::Bystander;
use crate::attack::watch::Watch;

/// Maximum wait for a reply, unless an attack says otherwise.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The collection that attacks use.
pub(crate) const COLLECTION: &str = "c";

/// The user of the attacks.
const ROOT: &str = "root";

/// The user of the bystander.
const BYSTANDER: &str = "bystander";

/// Cases that are named because the bystander was slow in them.
const SHOWN_CASES: usize = 3;

/// The server as an attack sees it, and the failures that it finds.
#[derive(Debug)]
pub(crate) struct Target {
    launch: Launch,
    server: Mutex<Server>,
    watch: Watch,
    bystander: Bystander,
    token: String,
    authorization: String,
    limits: Limits,
    requests: AtomicU64,
    failures: Mutex<Vec<String>>,
    /// The bystander's p99 in each case.
    case_times: Mutex<Vec<(Duration, String)>>,
}

/// The bounds of one attack.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Bytes of memory that the server is told to stay below.
    pub(crate) memory: u64,
    /// The end of the attack; `None` for one pass.
    pub(crate) deadline: Option<Instant>,
    /// Added to each bound of time.
    pub(crate) floor: Duration,
    /// A part of the names of the cases to run.
    pub(crate) case: String,
}

impl Target {
    /// Starts a server, creates the collections and logs in. Errors: text for the user.
    pub(crate) fn start(launch: Launch, limits: Limits) -> Result<Self, String> {
        let server = launch.start()?;
        let address = launch.address();
        let tokens = log_in_both(address).map_err(|error| format!("the login: {error}"))?;
        let [token, bystander] = tokens;
        let watch = Watch::new(server.process(), limits.memory);
        let bystander = Bystander::new(address, &bystander);
        Ok(Target {
            launch,
            server: Mutex::new(server),
            watch,
            bystander,
            authorization: format!("bearer {token}"),
            token,
            limits,
            requests: AtomicU64::new(0),
            failures: Mutex::default(),
            case_times: Mutex::default(),
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.launch.address()
    }

    /// Returns the folder of the server's data.
    pub(crate) fn data(&self) -> &Path {
        self.launch.data()
    }

    /// Returns a token of root.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Returns root's header `authorization`.
    pub(crate) fn authorization(&self) -> &str {
        &self.authorization
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    pub(crate) fn bystander(&self) -> &Bystander {
        &self.bystander
    }

    pub(crate) fn process(&self) -> Process {
        self.watch.process()
    }

    /// Returns true when the attack's time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns a request with root's token.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, path).header("authorization", &self.authorization)
    }

    /// Connects.
    pub(crate) fn connect(&self) -> io::Result<Connection> {
        self.count(1);
        Connection::open(self.address(), TIMEOUT)
    }

    /// Sends a request on a connection of its own and returns the reply.
    pub(crate) fn ask(&self, request: &Request) -> io::Result<Reply> {
        self.connect()?.ask(request)
    }

    /// Sends root's request with a body of JSON. Errors: text, also for a status of 400 or more.
    pub(crate) fn call(&self, method: &str, path: &str, body: &str) -> Result<Reply, String> {
        let reply = self.ask(&self.request(method, path).body(body)).map_err(|error| error.to_string())?;
        if reply.status < 400 {
            Ok(reply)
        } else {
            Err(format!("{method} {path}: {} {}", reply.status, reply.text()))
        }
    }

    /// Logs in from an address of this machine. Errors: those of the connection, or the reply
    /// without a token.
    pub(crate) fn log_in_from(&self, source: IpAddr) -> io::Result<()> {
        self.count(1);
        log_in(&mut Connection::open_from(source, self.address(), TIMEOUT)?, ROOT).map(|_| ())
    }

    /// Counts requests that were sent.
    pub(crate) fn count(&self, requests: u64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Notes a failure of the server.
    pub(crate) fn fail(&self, failure: String) {
        let mut failures = lock(&self.failures);
        if !failures.contains(&failure) {
            eprintln!("    {failure}");
            failures.push(failure);
        }
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        lock(&self.failures).clone()
    }

    /// Notes the bystander's p99 in a case.
    pub(crate) fn note_time(&self, time: Duration, case: &str) {
        lock(&self.case_times).push((time, case.to_owned()));
    }

    /// Returns a text about the cases in which the bystander was slowest.
    pub(crate) fn slowest_cases(&self) -> String {
        let mut times = lock(&self.case_times).clone();
        times.sort_by(|a, b| b.cmp(a));
        let shown = times.iter().take(SHOWN_CASES).map(|(time, case)| format!("{time:.1?} in {case}"));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Returns the panics in the log.
    pub(crate) fn crashes(&self) -> Vec<String> {
        self.launch.crashes()
    }

    /// Returns true if the process is there.
    pub(crate) fn is_alive(&self) -> bool {
        self.server().is_alive()
    }

    /// Kills the server and starts it again. Errors: text for the user.
    pub(crate) fn restart(&self) -> Result<(), String> {
        self.bystander.excuse(true);
        let mut server = self.server();
        server.kill();
        *server = self.launch.start()?;
        self.watch.follow(server.process());
        self.bystander.excuse(false);
        Ok(())
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        lock(&self.server)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Logs in as root, and as the bystander, whom it creates. Returns the tokens.
fn log_in_both(address: SocketAddr) -> io::Result<[String; 2]> {
    let mut connection = Connection::open(address, TIMEOUT)?;
    let root = log_in(&mut connection, ROOT)?;
    let as_root = |method: &str, path: &str, body: serde_json::Value| {
        let request = Request::new(method, path).header("authorization", &format!("bearer {root}"));
        request.body(body.to_string())
    };
    // The server's share of one user must not be the bystander's, too.
    let user = serde_json::json!({"user": BYSTANDER, "passwd": PASSWORD});
    connection.ask(&as_root("POST", "/_api/user", user))?;
    let path = format!("/_api/user/{BYSTANDER}/database/_system");
    connection.ask(&as_root("PUT", &path, serde_json::json!({"grant": "rw"})))?;
    let bystander = log_in(&mut connection, BYSTANDER)?;
    Ok([root, bystander])
}

/// Logs in as a user and returns the token.
fn log_in(connection: &mut Connection, user: &str) -> io::Result<String> {
    let body = serde_json::json!({"username": user, "password": PASSWORD}).to_string();
    let reply = connection.ask(&Request::new("POST", "/_open/auth").body(body))?;
    let token = reply.json()["jwt"].as_str().map(str::to_owned);
    token.ok_or_else(|| io::Error::other(format!("{} {}", reply.status, reply.text())))
}
