//! Parts of a batch that belong to another server of the same store.
//!
//! A batch runs its parts one after another, so its thread waits for the other server.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use database::{Charge, Interrupt, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use hyper::Method;
use hyper::body::Body as _;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, DATE, EXPIRES, HeaderName, PRAGMA, SERVER, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use tokio::runtime::Handle;

use super::part::PreparedPart;
use super::reply::REPLY_MAX_BYTES;
use crate::http::body::{Collected, ReplyBody};
use crate::http::forward::Forwarder;
use crate::http::reply::{HttpReply, QUEUE_TIME};
use crate::http::request::Request;
use crate::http::response::Response;

/// The time between two checks whether the client has gone.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Headers that every reply of a server has on its connection, and no reply to a part.
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

/// The way of parts to other servers.
pub(crate) struct Elsewhere {
    forwarder: Arc<Forwarder>,
    /// The runtime of the connections.
    runtime: OnceLock<Handle>,
    waiting: AtomicUsize,
    /// Maximum number of threads that may wait. Servers whose threads all wait for each other would
    /// never continue.
    waiting_max: usize,
}

/// The server that must answer a part.
pub(super) struct Way<'a> {
    /// Its address, `HOST:PORT`.
    pub(super) address: &'a str,
    /// The number of this server.
    pub(super) this: &'a str,
    /// Ends the wait.
    pub(super) interrupt: &'a Interrupt,
}

impl Elsewhere {
    /// Returns the way of a server whose requests have this many threads.
    pub(crate) fn new(forwarder: Arc<Forwarder>, threads: usize) -> Arc<Self> {
        let (runtime, waiting) = (OnceLock::new(), AtomicUsize::new(0));
        Arc::new(Elsewhere { forwarder, runtime, waiting, waiting_max: (threads / 2).max(1) })
    }

    /// Names the runtime that moves the messages. The first one stays.
    pub(crate) fn wait_on(&self, runtime: Handle) {
        self.runtime.get_or_init(|| runtime);
    }

    /// Passes a part on and waits for the reply, whose bytes are charged to `memory`.
    ///
    /// Errors: 503 with 1465 if the other server cannot be reached; 503 with 21003 if too many
    /// threads wait already; 32 without memory for the reply; 1500 if the client has gone.
    pub(super) fn run(
        &self,
        part: &PreparedPart,
        batch: &Request,
        way: &Way<'_>,
        memory: Arc<MemoryAccount>,
    ) -> Result<Response> {
        let runtime = self.runtime.get().ok_or_else(|| Error::internal("the server has not started"))?;
        let _waiting = self.enter()?;
        runtime.block_on(async {
            let head = head_of(part, batch)?;
            let body = Collected { bytes: part.sent.clone(), memory: None };
            let mut reply = pin!(async {
                let reply = self.forwarder.forward(way.address, way.this, &head, body).await?;
                response_of(reply, memory).await
            });
            loop {
                match tokio::time::timeout(LOOK_INTERVAL, &mut reply).await {
                    Ok(reply) => return reply,
                    // The other server ends the request as its connection ends.
                    Err(_) => way.interrupt.check()?,
                }
            }
        })
    }

    fn enter(&self) -> Result<Waiting<'_>> {
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.waiting_max {
            let message = "too many batches wait for other servers; send the part separately";
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

/// Returns the head of the part as a request of its own. It has the batch's user and format where
/// the part names none.
fn head_of(part: &PreparedPart, batch: &Request) -> Result<Parts> {
    let request = &part.request;
    // The length of the body that a client of HEAD does not get is in the reply to a part.
    let method = if *request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let head = hyper::Request::builder().method(method).uri(request.uri());
    let mut head = head.body(()).map_err(Error::internal)?.into_parts().0;
    head.headers = request.headers().clone();
    head.headers.remove(ACCEPT_ENCODING);
    for name in [AUTHORIZATION, ACCEPT] {
        if let Some(value) = batch.headers().get(&name)
            && !head.headers.contains_key(&name)
        {
            head.headers.insert(name, value.clone());
        }
    }
    Ok(head)
}

/// Returns another server's reply in the form of a part's, with its whole body.
async fn response_of(reply: HttpReply, memory: Arc<MemoryAccount>) -> Result<Response> {
    let (head, body) = reply.into_parts();
    let bytes = read(body, Charge::new(memory)).await?;
    let mut response = match head.headers.get(CONTENT_TYPE) {
        Some(content_type) => Response::bytes(head.status, content_type.clone(), bytes),
        None => Response::empty(head.status),
    };
    for (name, value) in &head.headers {
        if !OF_REPLIES.contains(name) {
            response = response.header(name.clone(), value.clone());
        }
    }
    Ok(response)
}

async fn read(mut body: ReplyBody, mut memory: Charge) -> Result<Bytes> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(data) = frame.map_err(|error| Error::internal(&error))?.into_data() else { continue };
        // A vector doubles when it is full.
        memory.grow(2 * data.len() as u64)?;
        bytes.extend_from_slice(&data);
        if bytes.len() > REPLY_MAX_BYTES {
            let message = "the reply is too large for a batch: request it separately";
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
    }
    Ok(bytes.into())
}
