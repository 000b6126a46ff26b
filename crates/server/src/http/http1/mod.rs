//! HTTP/1.1 for requests that are short and plain, as nearly all are.
//!
//! A request whose bytes are all there is answered in place: one read, one call, one write, on the
//! thread that the system has woken. Everything else on the connection, and all that follows it, is
//! for hyper: long and chunked bodies, upgrades, HTTP/1.0 and HTTP/2, and whatever is malformed. So
//! hyper alone decides what a doubtful request means.

mod encode;
mod head;
mod socket;

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use hyper::body::Body as _;
use tokio::io::{AsyncRead, AsyncWrite};

use self::encode::Framing;
use self::head::Parsed;
use self::socket::{Input, Output};
use super::body::ReplyBody;
use super::connections::Connection;
use super::reply::HttpReply;
use super::service::HttpService;
use super::unread::NO_MEMORY;
use crate::placement::neighbours;

/// The time for the rest of a short body. After it hyper waits for the rest, and says 408.
const BODY_PATIENCE: Duration = Duration::from_secs(1);

/// Requests in a row after which other connections have their turn.
const REQUESTS_IN_A_ROW: usize = 32;

/// The time within which a client sends its next request for the thread to wait for it awake. It
/// has the time in which an idle processor falls asleep and wakes up.
const QUICK: Duration = Duration::from_micros(100);

/// The time for which the thread waits awake.
const AWAKE: Duration = Duration::from_micros(50);

/// The end of the loop.
pub(super) enum End {
    /// The connection is closed.
    Closed,
    /// The connection continues with these bytes, and then with the error of the last read.
    Continued(BytesMut, Option<io::Error>),
}

/// Answers requests until the connection ends, or until one comes that is not for this loop.
pub(super) async fn serve<S>(
    service: &HttpService,
    connection: &Connection,
    stream: &mut S,
) -> io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (input, output) = (Input::default(), Output::default());
    let mut peer = Peer { connection, stream, input, output, is_quick: false };
    let mut in_a_row = 0;
    loop {
        let head = match head::parse(&peer.input.bytes) {
            Parsed::Head(head) => head,
            Parsed::Partial => {
                in_a_row = 0;
                peer.output.flush(peer.stream).await?;
                if peer.receive_next().await? {
                    continue;
                }
                if peer.input.bytes.is_empty() {
                    return peer.close().await;
                }
                return peer.hand_over().await;
            }
            Parsed::Other => return peer.hand_over().await,
        };
        let request_bytes = head.request_bytes();
        if peer.input.bytes.len() < request_bytes {
            match peer.receive_all(request_bytes).await {
                Ok(true) => {}
                Ok(false) => return peer.hand_over().await,
                Err(error) => return Ok(End::Continued(peer.input.bytes, Some(error))),
            }
        }
        let message = peer.input.take(request_bytes);
        let Some(request) = head.request(&message) else {
            let mut all = BytesMut::from(&message[..]);
            all.extend_from_slice(&peer.input.bytes);
            peer.input.bytes = all;
            return peer.hand_over().await;
        };
        drop(message);
        let method = request.method().clone();
        let answer = pin!(service.answer(connection, request));
        let Some(reply) = peer.wait_for(answer).await? else { return Ok(End::Closed) };
        if peer.send(&method, reply).await? {
            return peer.close().await;
        }
        if !peer.input.bytes.is_empty() && !connection.note_left(peer.input.bytes.len()) {
            return Err(NO_MEMORY.into());
        }
        in_a_row += 1;
        if in_a_row == REQUESTS_IN_A_ROW {
            in_a_row = 0;
            tokio::task::yield_now().await;
        }
    }
}

/// The client's end of a connection, with the bytes in between.
struct Peer<'a, S> {
    connection: &'a Connection,
    stream: &'a mut S,
    input: Input,
    output: Output,
    /// True if the last request came within [`QUICK`].
    is_quick: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Peer<'_, S> {
    /// Waits for the next request, as [`Peer::receive`] does: first awake, if the client is quick
    /// and the thread serves no other.
    ///
    /// A sleeping processor takes longer to wake up than many requests take.
    async fn receive_next(&mut self) -> io::Result<bool> {
        let begin = Instant::now();
        while self.is_quick && neighbours::is_alone() && begin.elapsed() < AWAKE {
            let received =
                poll_fn(|context| Poll::Ready(self.input.poll_receive(self.stream, context))).await;
            if let Poll::Ready(bytes) = received? {
                return Ok(bytes > 0);
            }
            tokio::task::yield_now().await;
        }
        let received = self.receive().await?;
        self.is_quick = begin.elapsed() < QUICK;
        Ok(received)
    }

    /// Waits for more bytes. Returns false if there will be none, or if the connection is to end
    /// and nothing of a request has arrived.
    async fn receive(&mut self) -> io::Result<bool> {
        poll_fn(|context| match self.input.poll_receive(self.stream, context)? {
            Poll::Ready(bytes) => Poll::Ready(Ok(bytes > 0)),
            Poll::Pending if self.input.bytes.is_empty() && self.connection.is_ending() => {
                Poll::Ready(Ok(false))
            }
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Waits until this many bytes are there. Returns false if they do not come soon.
    async fn receive_all(&mut self, bytes: usize) -> io::Result<bool> {
        self.output.flush(self.stream).await?;
        let received = async {
            while self.input.bytes.len() < bytes {
                if !self.receive().await? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        tokio::time::timeout(BODY_PATIENCE, received).await.unwrap_or(Ok(false))
    }

    /// Waits for the answer. Returns `None` if the client goes first, which drops the request.
    async fn wait_for(
        &mut self,
        mut answer: Pin<&mut impl Future<Output = HttpReply>>,
    ) -> io::Result<Option<HttpReply>> {
        let at_once = poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await;
        if let Poll::Ready(reply) = at_once {
            return Ok(Some(reply));
        }
        // Replies to earlier requests do not wait for this one.
        self.output.flush(self.stream).await?;
        poll_fn(|context| match answer.as_mut().poll(context) {
            Poll::Ready(reply) => Poll::Ready(Ok(Some(reply))),
            Poll::Pending => self.poll_gone(context).map_ok(|()| None),
        })
        .await
    }

    /// Completes when the client closes the connection.
    ///
    /// A client that sends further requests meanwhile is not observed once many bytes wait.
    fn poll_gone(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.input.is_full() {
            match self.input.poll_receive(self.stream, context)? {
                Poll::Ready(0) => return Poll::Ready(Ok(())),
                Poll::Ready(_) => {}
                Poll::Pending => break,
            }
        }
        Poll::Pending
    }

    /// Sends a reply, or collects it with those of the next requests that are already there.
    ///
    /// Returns true if it is the last one.
    async fn send(&mut self, method: &hyper::Method, reply: HttpReply) -> io::Result<bool> {
        let (parts, mut body) = reply.into_parts();
        let is_last = self.connection.is_ending() || encode::says_close(&parts.headers);
        let framing = encode::head(self.output.buffer(), method, &parts, &body, is_last);
        match (framing, &body) {
            (Framing::Nothing, _) => {}
            (_, ReplyBody::Whole(bytes)) => self.output.add(self.stream, bytes).await?,
            (_, ReplyBody::Nothing) => {}
            _ => self.send_parts(&mut body, framing).await?,
        }
        if is_last || self.output.is_full() {
            self.output.flush(self.stream).await?;
        }
        Ok(is_last)
    }

    /// Sends a body that is made while it is sent.
    async fn send_parts(&mut self, body: &mut ReplyBody, framing: Framing) -> io::Result<()> {
        loop {
            let frame = match poll_fn(|context| Poll::Ready(Pin::new(&mut *body).poll_frame(context))).await {
                Poll::Ready(frame) => frame,
                Poll::Pending => {
                    // The client gets what there is.
                    self.output.flush(self.stream).await?;
                    let frame = poll_fn(|context| match Pin::new(&mut *body).poll_frame(context) {
                        Poll::Ready(frame) => Poll::Ready(Ok(frame)),
                        Poll::Pending => {
                            let gone = || io::Error::from(io::ErrorKind::ConnectionAborted);
                            self.poll_gone(context).map(|result| result.and_then(|()| Err(gone())))
                        }
                    });
                    frame.await?
                }
            };
            let Some(frame) = frame else { break };
            let Ok(data) = frame.map_err(io::Error::other)?.into_data() else { continue };
            if data.is_empty() {
                continue;
            }
            if framing == Framing::Chunked {
                encode::chunk_begin(self.output.buffer(), data.len());
            }
            self.output.add(self.stream, &data).await?;
            if framing == Framing::Chunked {
                self.output.buffer().extend_from_slice(encode::CHUNK_END);
            }
        }
        if framing == Framing::Chunked {
            self.output.buffer().extend_from_slice(encode::LAST_CHUNK);
        }
        Ok(())
    }

    /// Sends all replies, and returns the bytes that come next.
    async fn hand_over(mut self) -> io::Result<End> {
        self.output.flush(self.stream).await?;
        Ok(End::Continued(self.input.bytes, None))
    }

    /// Sends all replies, and closes the connection.
    async fn close(mut self) -> io::Result<End> {
        self.output.flush(self.stream).await?;
        poll_fn(|context| Pin::new(&mut *self.stream).poll_shutdown(context)).await?;
        Ok(End::Closed)
    }
}
