//! One connection: HTTP/1.1 with keep-alive and pipelining, or HTTP/2 by prior knowledge.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connections::{Connection, Connections, ServerEnd};
use super::service::HttpService;
use super::unread::NO_MEMORY;

/// Maximum size in bytes of a request's head; ArangoDB's 1 MB.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 256;

/// Maximum number of concurrent requests on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;

/// Bytes of one HTTP/2 request that a client may send before the server reads them.
const STREAM_WINDOW_BYTES: u32 = 64 << 10;

/// Bytes of all HTTP/2 requests of a connection that a client may send before they are read.
///
/// The window is large enough that requests which wait for memory do not block the request that
/// they wait for.
const CONNECTION_WINDOW_BYTES: u32 = STREAM_WINDOW_BYTES * MAX_STREAMS;

/// Returns the HTTP settings of all connections.
fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Without `pipeline_flush`: with it hyper does not send its 400 if the head of a request is
    // malformed.
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
pub(crate) async fn serve<S>(
    service: Arc<HttpService>,
    stream: S,
    client: Option<SocketAddr>,
    server: ServerEnd,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = Arc::new(Connection::new(client, server, service.connections().unread()));
    let begin = Instant::now();
    let connections = Arc::clone(service.connections());
    let id = connections.add(&connection);
    let watched = Watched {
        stream,
        connection: Arc::clone(&connection),
        connections: Arc::clone(&connections),
        has_read: false,
    };
    let builder = builder();
    let answer = service_fn(|request| {
        let (service, connection) = (Arc::clone(&service), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(service.answer(&connection, request).await) }
    });
    let mut running = pin!(builder.serve_connection(TokioIo::new(watched), answer));
    let mut signal = pin!(connection.ending_signal().notified());
    poll_fn(|context| {
        if signal.as_mut().poll(context).is_ready() {
            signal.set(connection.ending_signal().notified());
            // Registers the new waiter.
            let _ = signal.as_mut().poll(context);
            if connection.ends_now() {
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
    let (received, sent) = connection.take_traffic();
    service.metrics().add_traffic(received, sent);
    service.metrics().record_connection(begin.elapsed());
    connections.remove(id);
}

/// A stream that records its progress.
struct Watched<S> {
    stream: S,
    connection: Arc<Connection>,
    connections: Arc<Connections>,
    has_read: bool,
}

impl<S> Watched<S> {
    /// Returns false if the connection has to end.
    fn note_read(&mut self, bytes: &[u8]) -> bool {
        if !self.has_read {
            self.has_read = true;
            if bytes.starts_with(b"PRI") {
                self.connection.mark_http2();
                self.connections.count_http2();
            }
        }
        self.connection.note_read(bytes.len(), self.connections.now())
    }

    fn note_write(&self, written: &Poll<std::io::Result<usize>>) {
        let now = self.connections.now();
        match written {
            Poll::Ready(Ok(bytes)) => self.connection.note_written(*bytes, now),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.connection.note_write_blocked(now),
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
        if let Some(bytes) = buffer.filled().get(before..).filter(|bytes| !bytes.is_empty())
            && !this.note_read(bytes)
        {
            let message = "the connections hold too many bytes that no request has read";
            return Poll::Ready(Err(std::io::Error::new(NO_MEMORY, message)));
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
