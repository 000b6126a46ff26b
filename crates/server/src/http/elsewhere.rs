//! Requests that threads of this server pass on to others of the same store, and wait for: parts
//! of batches, requests of scripts, and questions that all servers must answer.
//!
//! The requests of clients need no thread: see `forward`.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use database::{Charge, Identity, Interrupt, MemoryAccount, Session};
use errors::{Error, ErrorCode, Result};
use hyper::body::Body as _;
use hyper::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    DATE, EXPIRES, HeaderMap, HeaderName, HeaderValue, PRAGMA, SERVER, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Uri};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::body::Collected;
use super::forward::Forwarder;
use super::reply::{HttpReply, QUEUE_TIME};
use super::response::Response;
use super::services::Services;

/// The time between two checks whether the client has gone.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Headers that every reply of a server has on its connection, and no response of a route.
static OF_REPLIES: [HeaderName; 11] = [
    CACHE_CONTROL,
    CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY,
    CONTENT_TYPE,
    DATE,
    EXPIRES,
    PRAGMA,
    QUEUE_TIME,
    SERVER,
    STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
];

/// Maximum time for the reply to a question that all servers must answer. Its answer is in memory.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size in bytes of a reply that is held as a whole.
pub(crate) const REPLY_MAX_BYTES: usize = 1 << 30;

/// The way of requests to other servers.
pub(crate) struct Elsewhere {
    forwarder: Arc<Forwarder>,
    services: Arc<dyn Services>,
    /// The runtime of the connections.
    runtime: OnceLock<Handle>,
    waits: Waits,
}

/// A request for another server.
pub(crate) struct Passed {
    head: Parts,
    body: Bytes,
}

impl Passed {
    /// Returns a request with these headers.
    ///
    /// HEAD becomes GET, because its caller is told how long the body would be.
    pub(crate) fn new(method: &Method, uri: &Uri, headers: HeaderMap, body: Bytes) -> Result<Self> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let head = hyper::Request::builder().method(method).uri(uri);
        let mut head = head.body(()).map_err(Error::internal)?.into_parts().0;
        head.headers = headers;
        head.headers.remove(ACCEPT_ENCODING);
        Ok(Passed { head, body })
    }
}

/// The server that must answer a request.
pub(crate) struct Way<'a> {
    /// Its address, `HOST:PORT`.
    pub(crate) address: &'a str,
    /// The number of this server.
    pub(crate) this: &'a str,
    /// Ends the wait.
    pub(crate) interrupt: &'a Interrupt,
}

/// The reply of another server, with its whole body.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The memory of the body.
    _memory: Charge,
}

impl Elsewhere {
    /// Returns the way of a server whose requests have this many threads.
    pub(crate) fn new(forwarder: Arc<Forwarder>, services: Arc<dyn Services>, threads: usize) -> Arc<Self> {
        Arc::new(Elsewhere { forwarder, services, runtime: OnceLock::new(), waits: Waits::new(threads) })
    }

    /// Names the runtime that moves the messages. The first one stays.
    pub(crate) fn wait_on(&self, runtime: Handle) {
        self.runtime.get_or_init(|| runtime);
    }

    /// Adds the header by which another server identifies the user of a session, whatever the
    /// headers say. An issuer's user is the exception: only the token in the headers proves who it
    /// is.
    ///
    /// Errors: 11 for a user whom another server cannot identify.
    pub(crate) fn identify(&self, session: &Session, headers: &mut HeaderMap) -> Result<()> {
        let is_external = matches!(session.identity(), Identity::External(_));
        if !(is_external && headers.contains_key(AUTHORIZATION)) {
            set_authorization(headers, self.services.authorization_elsewhere(session.identity())?);
        }
        Ok(())
    }

    /// Adds the header by which another server identifies this one. Errors: 4.
    pub(crate) fn identify_as_server(&self, headers: &mut HeaderMap) -> Result<()> {
        set_authorization(headers, self.services.authorization_elsewhere(&Identity::Superuser)?);
        Ok(())
    }

    /// Passes a request on and waits for the reply, whose bytes are charged to `memory` as they
    /// come.
    ///
    /// Errors: 503 with 1465 if the other server cannot be reached; 503 with 21003 if too many
    /// threads wait already; 32 without memory for the reply; 1500 if the client has gone.
    pub(crate) fn run(
        &self,
        request: &Passed,
        way: &Way<'_>,
        memory: Arc<MemoryAccount>,
    ) -> Result<Response> {
        let answered =
            self.wait(way.interrupt, exchange(&self.forwarder, way.address, way.this, request, memory));
        Ok(response_of(answered?))
    }

    /// Asks several servers at once and waits for all. Returns their replies in the order of the
    /// addresses.
    ///
    /// Errors: those of [`Elsewhere::run`]. A server that does not answer in time is an error of
    /// its own reply, 1465.
    pub(crate) fn ask(
        &self,
        request: Passed,
        this: &str,
        addresses: Vec<String>,
        interrupt: &Interrupt,
        memory: &Arc<MemoryAccount>,
    ) -> Result<Vec<Result<Answered>>> {
        let (request, this) = (Arc::new(request), Arc::<str>::from(this));
        self.wait(interrupt, async {
            let mut asked = JoinSet::new();
            for (position, address) in addresses.into_iter().enumerate() {
                let (forwarder, request) = (Arc::clone(&self.forwarder), Arc::clone(&request));
                let (this, memory) = (Arc::clone(&this), Arc::clone(memory));
                asked.spawn(async move {
                    let answer = exchange(&forwarder, &address, &this, &request, memory);
                    let answer = tokio::time::timeout(ANSWER_TIMEOUT, answer).await;
                    (position, answer.unwrap_or_else(|_| Err(late(&address))))
                });
            }
            let mut answers = Vec::new();
            while let Some(answer) = asked.join_next().await {
                answers.push(answer.map_err(Error::internal)?);
            }
            answers.sort_by_key(|(position, _)| *position);
            Ok(answers.into_iter().map(|(_, answer)| answer).collect())
        })
    }

    /// Runs `work` on the runtime while this thread waits.
    fn wait<T>(&self, interrupt: &Interrupt, work: impl Future<Output = Result<T>>) -> Result<T> {
        let runtime = self.runtime.get().ok_or_else(|| Error::internal("the server has not started"))?;
        let _waiting = self.waits.enter()?;
        runtime.block_on(async {
            let mut work = pin!(work);
            loop {
                match tokio::time::timeout(LOOK_INTERVAL, &mut work).await {
                    Ok(done) => return done,
                    // The other server ends the request as its connection ends.
                    Err(_) => interrupt.check()?,
                }
            }
        })
    }
}

/// The number of threads that wait.
struct Waits {
    present: AtomicUsize,
    /// Their maximum number. Servers whose threads all wait for each other would never continue.
    most: usize,
}

impl Waits {
    /// Returns the waits of a server whose requests have this many threads.
    fn new(threads: usize) -> Self {
        Waits { present: AtomicUsize::new(0), most: (threads / 2).max(1) }
    }

    /// Begins a wait. Errors: 21003 if too many threads wait.
    fn enter(&self) -> Result<Waiting<'_>> {
        let waiting = Waiting(&self.present);
        if self.present.fetch_add(1, Ordering::Relaxed) >= self.most {
            let message = "too many requests wait for other servers; repeat this one later";
            return Err(Error::new(ErrorCode::QueueFull, message));
        }
        Ok(waiting)
    }
}

/// A thread that waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn set_authorization(headers: &mut HeaderMap, value: Option<HeaderValue>) {
    match value {
        Some(value) => drop(headers.insert(AUTHORIZATION, value)),
        None => drop(headers.remove(AUTHORIZATION)),
    }
}

/// Sends a request and reads the whole reply.
async fn exchange(
    forwarder: &Forwarder,
    address: &str,
    this: &str,
    request: &Passed,
    memory: Arc<MemoryAccount>,
) -> Result<Answered> {
    let body = Collected { bytes: request.body.clone(), memory: None };
    let reply = forwarder.forward(address, this, &request.head, body).await?;
    read(reply, Charge::new(memory)).await
}

async fn read(reply: HttpReply, mut memory: Charge) -> Result<Answered> {
    let (head, mut body) = reply.into_parts();
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(data) = frame.map_err(|error| Error::internal(&error))?.into_data() else { continue };
        // A vector doubles when it is full.
        memory.grow(2 * data.len() as u64)?;
        bytes.extend_from_slice(&data);
        if bytes.len() > REPLY_MAX_BYTES {
            let message = "the reply of another server is too large to be passed on as a whole";
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
    }
    Ok(Answered { status: head.status, headers: head.headers, body: bytes.into(), _memory: memory })
}

/// Returns another server's reply in the form of one of this server's routes.
fn response_of(answered: Answered) -> Response {
    let Answered { status, headers, body, _memory } = answered;
    let mut response = match headers.get(CONTENT_TYPE) {
        Some(content_type) => Response::bytes(status, content_type.clone(), body),
        None => Response::empty(status),
    };
    for (name, value) in &headers {
        if !OF_REPLIES.contains(name) {
            response = response.header(name.clone(), value.clone());
        }
    }
    response
}

/// Returns the error of a server that takes too long.
fn late(address: &str) -> Error {
    let seconds = ANSWER_TIMEOUT.as_secs();
    let message =
        format!("the request needs the server at {address}, which has not answered for {seconds} s");
    Error::new(ErrorCode::ClusterConnectionLost, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_threads_may_wait() {
        let waits = Waits::new(4);
        let first = waits.enter().unwrap();
        let second = waits.enter().unwrap();
        assert_eq!(waits.enter().err().unwrap().number(), 21_003);
        drop(first);
        let third = waits.enter().unwrap();
        assert!(waits.enter().is_err());
        drop((second, third));
        assert_eq!(waits.present.load(Ordering::Relaxed), 0);
        assert!(Waits::new(1).enter().is_ok());
    }

    #[test]
    fn a_passed_request_wants_a_plain_body() {
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        let passed = Passed::new(&Method::HEAD, &Uri::from_static("/a?b"), headers, Bytes::new()).unwrap();
        assert_eq!((passed.head.method, passed.head.uri.to_string()), (Method::GET, "/a?b".to_owned()));
        assert!(passed.head.headers.is_empty());
    }
}
