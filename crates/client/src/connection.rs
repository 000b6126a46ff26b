//! One HTTP/1.1 connection, driven by the thread that uses it.
//!
//! hyper's connection is a future over a non-blocking socket ([`crate::socket`]).
//! [`Connection::run`] polls it, and waits for that one socket while the future is pending.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::client::conn::http1::{self, SendRequest};

use crate::socket::{Socket, Wire};

/// The maximum time until a connection is ready for the next request after the last reply.
const READY_PATIENCE: Duration = Duration::from_secs(1);

/// The maximum number of headers of a reply.
const MAX_HEADERS: usize = 256;

/// The body of a request.
#[derive(Debug)]
pub(crate) struct Upload(pub(crate) Bytes);

impl Body for Upload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = std::mem::take(&mut self.get_mut().0);
        Poll::Ready(if bytes.is_empty() { None } else { Some(Ok(Frame::data(bytes))) })
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// A waker's flag: something has changed since the last poll.
#[derive(Debug, Default)]
struct Changed(AtomicBool);

impl Wake for Changed {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The reason why a connection makes no progress.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The deadline has passed.
    TimedOut,
    /// The connection has ended; the reason, if there is one.
    Ended(String),
}

/// A connection that makes one request at a time.
pub(crate) struct Connection {
    pub(crate) sender: SendRequest<Upload>,
    /// The future of the connection; `None` once it has ended.
    driver: Option<Pin<Box<http1::Connection<Socket, Upload>>>>,
    end: Option<String>,
    wire: Arc<Wire>,
    changed: Arc<Changed>,
    waker: Waker,
}

impl Connection {
    /// Returns a connection that speaks HTTP on a socket.
    pub(crate) fn new(socket: Socket) -> io::Result<Self> {
        Self::with_builder(socket, &mut http1::Builder::new())
    }

    /// Returns a connection that reads a head of at most `bytes`, and buffers no more than that.
    pub(crate) fn with_head_limit(socket: Socket, bytes: usize) -> io::Result<Self> {
        Self::with_builder(socket, http1::Builder::new().max_buf_size(bytes))
    }

    fn with_builder(socket: Socket, builder: &mut http1::Builder) -> io::Result<Self> {
        let wire = socket.wire();
        builder.max_headers(MAX_HEADERS);
        // The handshake only prepares: nothing is sent before the first request.
        let mut handshake = pin!(builder.handshake(socket));
        match handshake.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok((sender, driver))) => {
                let changed = Arc::new(Changed::default());
                let waker = Waker::from(Arc::clone(&changed));
                Ok(Connection { sender, driver: Some(Box::pin(driver)), end: None, wire, changed, waker })
            }
            Poll::Ready(Err(error)) => Err(io::Error::other(error)),
            Poll::Pending => Err(io::Error::other("HTTP is not ready")),
        }
    }

    /// Waits until `poll` is ready.
    pub(crate) fn run<T>(
        &mut self,
        deadline: Instant,
        mut poll: impl FnMut(&mut SendRequest<Upload>, &mut Context<'_>) -> Poll<T>,
    ) -> Result<T, Stop> {
        let waker = self.waker.clone();
        let mut context = Context::from_waker(&waker);
        loop {
            self.changed.0.store(false, Ordering::Relaxed);
            self.wire.clear_interest();
            self.drive(&mut context);
            if let Poll::Ready(done) = poll(&mut self.sender, &mut context) {
                return Ok(done);
            }
            if self.changed.0.load(Ordering::Relaxed) {
                continue;
            }
            if self.driver.is_none() {
                return Err(Stop::Ended(self.end()));
            }
            match self.wire.wait(deadline) {
                Ok(true) => {}
                Ok(false) => return Err(Stop::TimedOut),
                Err(error) => return Err(Stop::Ended(error.to_string())),
            }
        }
    }

    fn drive(&mut self, context: &mut Context<'_>) {
        let Some(driver) = &mut self.driver else { return };
        if let Poll::Ready(ended) = driver.as_mut().poll(context) {
            self.end = ended.err().map(|error| reason(&error));
            self.driver = None;
        }
    }

    /// Returns the reason why the connection has ended.
    pub(crate) fn end(&self) -> String {
        self.end.clone().unwrap_or_else(|| "the server has closed it".to_owned())
    }

    /// Returns true if another request is possible: the server has not closed the connection.
    pub(crate) fn is_usable(&mut self) -> bool {
        self.wire.look_again();
        let ready = self.run(Instant::now() + READY_PATIENCE, |sender, context| sender.poll_ready(context));
        matches!(ready, Ok(Ok(()))) && self.driver.is_some()
    }
}

/// Returns hyper's error and its causes in one line.
pub(crate) fn reason(error: &hyper::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
