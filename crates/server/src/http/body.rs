//! Bodies on the connection: collecting those of requests, and sending those of replies.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use errors::{Error, ErrorCode, Result};
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::body_memory::{BODY_TIMEOUT, BodyMemory, BodyPermit};
use super::connections::Connection;
use super::stream::live::LiveBody;
use super::stream::{BrokenOff, StreamBody};
use super::unread::NO_MEMORY;

/// Maximum number of bytes of a body that are read after its request has failed.
pub(crate) const DRAIN_MAX_BYTES: u64 = 1 << 20;

/// Maximum number of bytes of a body that are read after it was refused for its length: a client
/// that is still sending does not read the refusal.
pub(crate) const DRAIN_TOO_LONG_MAX_BYTES: u64 = 256 << 20;

/// The time limit for reading such a body.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The interval at which a body that holds memory is checked for its rate.
const RATE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The body of a request on the connection.
pub(crate) enum RequestBody {
    /// The whole body, which has arrived with the head.
    Whole(Bytes),
    /// The body as it arrives.
    Incoming(Incoming),
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, hyper::Error>>> {
        match self.get_mut() {
            RequestBody::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            RequestBody::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            RequestBody::Incoming(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            RequestBody::Whole(bytes) => bytes.is_empty(),
            RequestBody::Incoming(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            RequestBody::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            RequestBody::Incoming(body) => body.size_hint(),
        }
    }
}

/// The body of a reply on the connection.
pub(crate) enum ReplyBody {
    /// The whole body.
    Whole(Bytes),
    /// Chunks that are made while they are sent.
    Stream(StreamBody),
    /// Chunks that come when there is something new.
    Live(LiveBody),
    /// The body of another server's reply.
    Forwarded(Incoming),
    /// A body of length 0 whose length is a header.
    ///
    /// Hyper leaves the header out where a body has ended before it is sent.
    Nothing,
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, BrokenOff>>> {
        match self.get_mut() {
            ReplyBody::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            ReplyBody::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            ReplyBody::Stream(stream) => Pin::new(stream).poll_frame(context),
            ReplyBody::Live(live) => Pin::new(live).poll_frame(context),
            ReplyBody::Forwarded(body) => Pin::new(body)
                .poll_frame(context)
                .map(|frame| frame.map(|frame| frame.map_err(|error| BrokenOff::elsewhere(&error)))),
            ReplyBody::Nothing => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            ReplyBody::Whole(bytes) => bytes.is_empty(),
            ReplyBody::Stream(stream) => stream.is_end_stream(),
            ReplyBody::Live(live) => live.is_end_stream(),
            ReplyBody::Forwarded(body) => body.is_end_stream(),
            ReplyBody::Nothing => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ReplyBody::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            ReplyBody::Stream(stream) => stream.size_hint(),
            ReplyBody::Live(live) => live.size_hint(),
            ReplyBody::Forwarded(body) => body.size_hint(),
            ReplyBody::Nothing => SizeHint::with_exact(0),
        }
    }
}

/// A request's body, with its share of the memory for bodies.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) bytes: Bytes,
    pub(crate) memory: Option<BodyPermit>,
}

/// Minimum average rate, in bytes per second, of a body that holds memory for which others wait.
const MIN_BYTES_PER_SECOND: u64 = 32 << 10;

/// The time before [`MIN_BYTES_PER_SECOND`] counts.
const SLOW_START: Duration = Duration::from_secs(2);

/// Waits for the whole body of a request, and for the memory that it takes as it arrives.
///
/// Errors:
/// - 413 if it is longer than `max_bytes` or than all the memory for bodies;
/// - 408 if the client pauses for longer than [`BODY_TIMEOUT`], or sends slowly while others wait
///   for its memory;
/// - 400 if the connection breaks off;
/// - 503 if there is no memory for it or for the bytes of all connections.
pub(crate) async fn collect(
    body: &mut RequestBody,
    max_bytes: usize,
    memory: &Arc<BodyMemory>,
    connection: &Connection,
) -> Result<Collected> {
    if body.is_end_stream() {
        return Ok(Collected::default());
    }
    let max_bytes = max_bytes.min(memory.capacity_bytes());
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > max_bytes {
        return Err(too_large(max_bytes));
    }
    let exact = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    let mut permit = memory.permit(exact.unwrap_or(max_bytes));
    let mut arrival = Arrival { memory, connection, begin: Instant::now(), bytes: 0, taken: 0 };
    let Some(first) = arrival.next_data(body, &permit).await? else { return Ok(Collected::default()) };
    if first.len() > max_bytes {
        return Err(too_large(max_bytes));
    }
    permit.reach(first.len()).await?;
    if body.is_end_stream() || first.len() == announced {
        permit.complete(first.len());
        return Ok(Collected { bytes: first, memory: permit.if_counted() });
    }
    let mut all = BytesMut::with_capacity(first.len() * 2);
    all.extend_from_slice(&first);
    drop(first);
    while let Some(data) = arrival.next_data(body, &permit).await? {
        if all.len() + data.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        permit.reach(all.len() + data.len()).await?;
        if all.len() + data.len() > all.capacity() {
            all.reserve(permit.held_bytes().saturating_sub(all.len()).max(data.len()));
        }
        all.extend_from_slice(&data);
    }
    permit.complete(all.len());
    Ok(Collected { bytes: all.freeze(), memory: permit.if_counted() })
}

/// Discards the rest of a body, so that the connection can serve the next request.
///
/// A body of more than `max_bytes` and a slow one are not read to their end, which ends the
/// connection.
pub(crate) async fn drain(mut body: RequestBody, max_bytes: u64) {
    if body.is_end_stream() || body.size_hint().lower() > max_bytes {
        return;
    }
    let read = async {
        let mut left = max_bytes;
        while let Ok(Some(data)) = next_data(&mut body).await {
            match left.checked_sub(data.len() as u64) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // The result does not matter: the body is discarded in any case.
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, read).await;
}

/// The arrival of a body.
struct Arrival<'a> {
    memory: &'a BodyMemory,
    connection: &'a Connection,
    begin: Instant,
    bytes: u64,
    /// The bytes that do not count as unread any more.
    taken: u64,
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        self.take();
    }
}

impl Arrival<'_> {
    /// Waits for the next piece; `None` at the end.
    async fn next_data(&mut self, body: &mut RequestBody, permit: &BodyPermit) -> Result<Option<Bytes>> {
        let timeout = if permit.is_long() { RATE_CHECK_INTERVAL } else { BODY_TIMEOUT };
        let mut waited = Duration::ZERO;
        loop {
            match tokio::time::timeout(timeout, next_data(body)).await {
                Ok(data) => {
                    let data = data?;
                    self.bytes += data.as_ref().map_or(0, |data| data.len() as u64);
                    // A short body is not counted elsewhere.
                    if permit.is_long() {
                        self.take();
                    }
                    return Ok(data);
                }
                Err(_) => waited += timeout,
            }
            if waited >= BODY_TIMEOUT {
                return Err(timed_out("the request body did not arrive in time"));
            }
            if permit.is_long() && self.is_slow() && self.memory.is_contended() {
                return Err(timed_out("the request body arrives too slowly while others wait for memory"));
            }
        }
    }

    fn take(&mut self) {
        self.connection.note_taken(self.bytes - self.taken);
        self.taken = self.bytes;
    }

    fn is_slow(&self) -> bool {
        let expected_seconds = self.bytes / MIN_BYTES_PER_SECOND;
        self.begin.elapsed() > SLOW_START + Duration::from_secs(expected_seconds)
    }
}

fn timed_out(message: &'static str) -> Error {
    Error::new(ErrorCode::HttpRequestTimeout, message)
}

/// Waits for the next piece of a body; `None` at the end.
async fn next_data(body: &mut RequestBody) -> Result<Option<Bytes>> {
    loop {
        match poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
            None => return Ok(None),
            Some(Err(error)) => return Err(broken_off(&error)),
            // ArangoDB's interface has no trailers.
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(Some(data)),
                _ => {}
            },
        }
    }
}

/// Returns 503 if the connection had no memory for more of the body, and 400 otherwise.
fn broken_off(error: &hyper::Error) -> Error {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    match cause.filter(|cause| cause.kind() == NO_MEMORY) {
        Some(cause) => Error::new(ErrorCode::QueueFull, cause.to_string()),
        None => Error::new(ErrorCode::HttpBadParameter, format!("the request body was truncated: {error}")),
    }
}

fn too_large(max_bytes: usize) -> Error {
    let message = format!(
        "the request body is longer than {max_bytes} bytes, which --http.max-body-size and --memory-limit allow"
    );
    Error::new(ErrorCode::HttpBadParameter, message).with_status(413)
}
