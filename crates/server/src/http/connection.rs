//! One connection: HTTP/1.1 with keep-alive and pipelining, or HTTP/2 by prior knowledge.
//!
//! Who sends slowly or not at all is found by one look a second over all connections ([`Connections::tick`]), so that
//! requests set no timers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

use super::service;
use crate::server::Server;

/// How long a client may take to send the head of a request once it has begun.
pub const HEAD_PATIENCE: Duration = Duration::from_secs(30);

/// How long a client may take nothing of a reply that waits to be sent.
pub const WRITE_PATIENCE: Duration = Duration::from_secs(300);

/// Most bytes of a request's head; ArangoDB's 1 MB.
pub const MAX_HEAD_BYTES: usize = 1 << 20;

/// Most headers of a request.
pub const MAX_HEADERS: usize = 256;

/// Most requests at once on one HTTP/2 connection.
pub const MAX_STREAMS: u32 = 128;

/// Bytes of one request on HTTP/2 that a client may send before the server takes them.
const STREAM_WINDOW_BYTES: u32 = 256 << 10;

/// The same for all requests of a connection: so many that requests which wait for memory do not stop the one that
/// they wait for.
const CONNECTION_WINDOW_BYTES: u32 = STREAM_WINDOW_BYTES * MAX_STREAMS;

/// What both a connection and those who watch it know.
#[derive(Debug, Default)]
pub struct Connection {
    pub(crate) client: Option<SocketAddr>,
    requests_in_flight: AtomicU32,
    is_http2: AtomicBool,
    /// Second at which anything was last read, written or answered.
    progress_second: AtomicU32,
    /// Second at which the head of a request began to arrive, plus 1; 0 when none does.
    head_second: AtomicU32,
    /// Second since which nothing of a reply could be written, plus 1; 0 when writing gets on.
    write_blocked_second: AtomicU32,
    ending: AtomicU32,
    signal: Notify,
    /// Bytes read since the last look.
    pub(crate) bytes_received: AtomicU64,
    /// Bytes written since the last look.
    pub(crate) bytes_sent: AtomicU64,
}

/// Goes on with the requests that have begun, and then ends.
const ENDING_GRACEFULLY: u32 = 1;
/// Ends at once.
const ENDING_NOW: u32 = 2;

impl Connection {
    /// A request has arrived.
    pub(crate) fn begin_request(&self) -> InFlight<'_> {
        self.head_second.store(0, Ordering::Relaxed);
        self.requests_in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight { connection: self }
    }

    pub(crate) fn mark_http2(&self) {
        self.is_http2.store(true, Ordering::Relaxed);
    }

    fn end(&self, how: u32) {
        if self.ending.fetch_max(how, Ordering::AcqRel) < how {
            self.signal.notify_one();
        }
    }

    /// Ends the connection if its client takes too long.
    fn look(&self, now: u32, keep_alive_seconds: u32) {
        let since = |second: &AtomicU32| match second.load(Ordering::Relaxed) {
            0 => 0,
            second => now.saturating_sub(second - 1),
        };
        if u64::from(since(&self.write_blocked_second)) > WRITE_PATIENCE.as_secs()
            || u64::from(since(&self.head_second)) > HEAD_PATIENCE.as_secs()
        {
            return self.end(ENDING_NOW);
        }
        let idle = now.saturating_sub(self.progress_second.load(Ordering::Relaxed));
        if self.requests_in_flight.load(Ordering::Relaxed) == 0 && idle > keep_alive_seconds {
            self.end(ENDING_GRACEFULLY);
        }
    }
}

/// Counts a request as long as it lives.
pub(crate) struct InFlight<'a> {
    connection: &'a Connection,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.connection.requests_in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All connections.
#[derive(Debug, Default)]
pub struct Connections {
    open: Mutex<HashMap<u64, Arc<Connection>>>,
    next: AtomicU64,
    /// Seconds since the start, counted by [`Connections::tick`].
    second: AtomicU32,
    idle: Notify,
    accepted: AtomicU64,
    http2: AtomicU64,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, connection: &Arc<Connection>) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        connection.progress_second.store(self.now(), Ordering::Relaxed);
        self.accepted.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(id, Arc::clone(connection));
        id
    }

    fn remove(&self, id: u64) {
        let mut open = self.lock();
        open.remove(&id);
        if open.is_empty() {
            self.idle.notify_waiters();
        }
    }

    fn now(&self) -> u32 {
        self.second.load(Ordering::Relaxed)
    }

    /// How many connections are open.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no connection is open.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// How many connections were ever accepted.
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// How many of them spoke HTTP/2.
    pub fn http2(&self) -> u64 {
        self.http2.load(Ordering::Relaxed)
    }

    pub(crate) fn count_http2(&self) {
        self.http2.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks after all connections; to be called once a second. Answers the bytes received and sent since the last
    /// look.
    pub(crate) fn tick(&self, keep_alive: Duration) -> (u64, u64) {
        let now = self.second.fetch_add(1, Ordering::Relaxed) + 1;
        let keep_alive_seconds = u32::try_from(keep_alive.as_secs()).unwrap_or(u32::MAX);
        let (mut received, mut sent) = (0, 0);
        for connection in self.lock().values() {
            received += connection.bytes_received.swap(0, Ordering::Relaxed);
            sent += connection.bytes_sent.swap(0, Ordering::Relaxed);
            connection.look(now, keep_alive_seconds);
        }
        (received, sent)
    }

    /// Lets all connections finish the requests that have begun and then end. Says after at most `patience` whether all
    /// have.
    pub(crate) async fn close(&self, patience: Duration) -> bool {
        self.lock().values().for_each(|connection| connection.end(ENDING_GRACEFULLY));
        let all_gone = async {
            loop {
                let gone = self.idle.notified();
                if self.is_empty() {
                    return;
                }
                gone.await;
            }
        };
        let ended = tokio::time::timeout(patience, all_gone).await.is_ok();
        self.lock().values().for_each(|connection| connection.end(ENDING_NOW));
        ended
    }
}

/// Settings of HTTP that are the same for all connections.
pub(crate) fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Not `pipeline_flush`: with it hyper does not send its 400 when the head of a request is wrong.
    builder.http1().max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
    builder
        .http2()
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD_BYTES as u32)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    builder
}

/// Serves a connection until it ends.
pub(crate) async fn serve<S>(server: Arc<Server>, stream: S, client: Option<SocketAddr>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = Arc::new(Connection { client, ..Connection::default() });
    let begin = Instant::now();
    let id = server.connections().add(&connection);
    let watched =
        Watched { stream, connection: Arc::clone(&connection), server: Arc::clone(&server), has_read: false };
    let builder = server.http_builder();
    let answer = service_fn(|request| {
        let (server, connection) = (Arc::clone(&server), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(service::answer(server, connection, request).await) }
    });
    let mut running = pin!(builder.serve_connection(TokioIo::new(watched), answer));
    let mut signal = pin!(connection.signal.notified());
    poll_fn(|context| {
        if signal.as_mut().poll(context).is_ready() {
            signal.set(connection.signal.notified());
            // Registers the new one.
            let _ = signal.as_mut().poll(context);
            if connection.ending.load(Ordering::Acquire) == ENDING_NOW {
                return Poll::Ready(());
            }
            running.as_mut().graceful_shutdown();
        }
        running.as_mut().poll(context).map(|ended| {
            if let Err(error) = ended {
                tracing::debug!(target: "communication", client = ?connection.client, %error, "connection ended");
            }
        })
    })
    .await;
    server.metrics().add_traffic(
        connection.bytes_received.swap(0, Ordering::Relaxed),
        connection.bytes_sent.swap(0, Ordering::Relaxed),
    );
    server.metrics().record_connection(begin.elapsed());
    server.connections().remove(id);
}

/// A stream that notes when it gets on.
struct Watched<S> {
    stream: S,
    connection: Arc<Connection>,
    server: Arc<Server>,
    has_read: bool,
}

impl<S> Watched<S> {
    fn note_read(&mut self, bytes: &[u8]) {
        let connection = &self.connection;
        if !self.has_read {
            self.has_read = true;
            if bytes.starts_with(b"PRI") {
                connection.mark_http2();
                self.server.connections().count_http2();
            }
        }
        let now = self.server.connections().now();
        connection.bytes_received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        connection.progress_second.store(now, Ordering::Relaxed);
        let idle = connection.requests_in_flight.load(Ordering::Relaxed) == 0;
        // On HTTP/2 there are other frames than those that begin a request.
        if idle
            && !connection.is_http2.load(Ordering::Relaxed)
            && connection.head_second.load(Ordering::Relaxed) == 0
        {
            connection.head_second.store(now + 1, Ordering::Relaxed);
        }
    }

    fn note_write(&self, written: &Poll<std::io::Result<usize>>) {
        let connection = &self.connection;
        let now = self.server.connections().now();
        match written {
            Poll::Ready(Ok(bytes)) => {
                connection.bytes_sent.fetch_add(*bytes as u64, Ordering::Relaxed);
                connection.progress_second.store(now, Ordering::Relaxed);
                connection.write_blocked_second.store(0, Ordering::Relaxed);
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                // Keeps the first second; nobody else writes it but this connection's own task.
                if connection.write_blocked_second.load(Ordering::Relaxed) == 0 {
                    connection.write_blocked_second.store(now + 1, Ordering::Relaxed);
                }
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if let Some(bytes) = buffer.filled().get(before..).filter(|bytes| !bytes.is_empty()) {
            this.note_read(bytes);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.note_write(&written);
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(connection: &Connection) -> u32 {
        connection.ending.load(Ordering::Relaxed)
    }

    #[test]
    fn an_idle_connection_ends_after_the_keep_alive_time() {
        let connection = Connection::default();
        connection.look(300, 300);
        assert_eq!(ending(&connection), 0);
        connection.look(301, 300);
        assert_eq!(ending(&connection), ENDING_GRACEFULLY);
    }

    #[test]
    fn a_connection_with_a_request_is_not_idle() {
        let connection = Connection::default();
        let request = connection.begin_request();
        connection.look(10_000, 300);
        assert_eq!(ending(&connection), 0);
        drop(request);
        connection.look(10_000, 300);
        assert_eq!(ending(&connection), ENDING_GRACEFULLY);
    }

    #[test]
    fn half_a_head_and_a_reply_that_is_not_read_end_a_connection() {
        let head = Connection { head_second: AtomicU32::new(1), ..Connection::default() };
        head.look(30, 300);
        assert_eq!(ending(&head), 0);
        head.look(31, 300);
        assert_eq!(ending(&head), ENDING_NOW);
        let write = Connection { write_blocked_second: AtomicU32::new(1), ..Connection::default() };
        write.look(301, 3_000);
        assert_eq!(ending(&write), ENDING_NOW);
    }
}
