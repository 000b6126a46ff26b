//! Bodies on the connection: collecting those of requests, and sending those of replies.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use errors::{Error, ErrorCode, Result};
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::body_memory::{BODY_TIMEOUT, BodyMemory, BodyPermit};
use super::stream::{BrokenOff, StreamBody};

/// Most bytes of a body that are read after its request has failed.
const DRAIN_MAX_BYTES: u64 = 1 << 20;

/// The time limit for reading such a body.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Most bytes that are reserved for an announced length. More is reserved as bytes arrive.
const RESERVE_MAX_BYTES: usize = 1 << 20;

/// Most bytes of the announced rest that are reserved at once after [`RESERVE_MAX_BYTES`] have
/// arrived.
///
/// Memory that is reserved and not used is never touched.
const RESERVE_MORE_MAX_BYTES: usize = 64 << 20;

/// The body of a reply on the connection.
pub(crate) enum ReplyBody {
    /// The whole body.
    Whole(Bytes),
    /// Chunks that are made while they are sent.
    Stream(StreamBody),
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
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            ReplyBody::Whole(bytes) => bytes.is_empty(),
            ReplyBody::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ReplyBody::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            ReplyBody::Stream(stream) => stream.size_hint(),
        }
    }
}

/// A request's body, with its share of the memory for bodies.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) bytes: Bytes,
    pub(crate) memory: Option<BodyPermit>,
}

/// Waits for the whole body of a request, and for the memory that it takes.
///
/// Errors: 413 if it is longer than `max_bytes`, 408 if the client pauses for longer than
/// [`BODY_TIMEOUT`], 400 if the connection breaks off, 503 if there is no memory for it.
pub(crate) async fn collect(mut body: Incoming, max_bytes: usize, memory: &BodyMemory) -> Result<Collected> {
    if body.is_end_stream() {
        return Ok(Collected::default());
    }
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > max_bytes {
        return Err(too_large(max_bytes));
    }
    let mut permit = memory.take(announced).await?;
    let Some(first) = next_data(&mut body).await? else { return Ok(Collected::default()) };
    if first.len() > max_bytes {
        return Err(too_large(max_bytes));
    }
    if body.is_end_stream() || first.len() == announced {
        return Ok(Collected { bytes: first, memory: permit });
    }
    let mut all =
        BytesMut::with_capacity(announced.clamp(first.len() * 2, RESERVE_MAX_BYTES.max(first.len() * 2)));
    all.extend_from_slice(&first);
    drop(first);
    while let Some(data) = next_data(&mut body).await? {
        if all.len() + data.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        // A body of unknown length needs more memory as it grows.
        memory.grow(&mut permit, all.len() + data.len()).await?;
        if all.len() + data.len() > all.capacity() {
            let missing = announced.saturating_sub(all.len()).min(RESERVE_MORE_MAX_BYTES);
            all.reserve(missing.max(data.len()));
        }
        all.extend_from_slice(&data);
    }
    memory.shrink(&mut permit, all.len());
    Ok(Collected { bytes: all.freeze(), memory: permit })
}

/// Discards the rest of a body, so that the connection can serve the next request.
///
/// A long or slow body is not read to its end, which ends the connection.
pub(crate) async fn drain(mut body: Incoming) {
    if body.is_end_stream() || body.size_hint().lower() > DRAIN_MAX_BYTES {
        return;
    }
    let read = async {
        let mut left = DRAIN_MAX_BYTES;
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

async fn next_data(body: &mut Incoming) -> Result<Option<Bytes>> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        match tokio::time::timeout(BODY_TIMEOUT, frame).await {
            Err(_) => {
                return Err(Error::new(
                    ErrorCode::HttpRequestTimeout,
                    "the request body did not arrive in time",
                ));
            }
            Ok(None) => return Ok(None),
            Ok(Some(Err(error))) => {
                let message = format!("the request body broke off: {error}");
                return Err(Error::new(ErrorCode::HttpBadParameter, message));
            }
            // ArangoDB's interface uses no trailers.
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(Some(data)),
                _ => {}
            },
        }
    }
}

fn too_large(max_bytes: usize) -> Error {
    let message = format!("the request body is longer than the limit of {max_bytes} bytes");
    Error::new(ErrorCode::HttpBadParameter, message).with_status(413)
}
