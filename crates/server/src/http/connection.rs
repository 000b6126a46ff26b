//! One connection: HTTP/1.1 with keep-alive and pipelining, or HTTP/2 by prior knowledge.
//!
//! A connection begins in the loop of [`http1`], and goes on with hyper from the first request that
//! is not for the loop.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use bytes::BytesMut;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};

use super::body::RequestBody;
use super::connections::{Connection, ServerEnd};
use super::http1;
use super::rewound::Rewound;
use super::service::HttpService;
use super::tls::ClientCertificate;
use super::watched::Watched;

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
    (client, certificate): (Option<SocketAddr>, Option<Box<ClientCertificate>>),
    server: ServerEnd,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut connection = Connection::new(client, server, service.connections().unread());
    connection.certificate = certificate;
    let connection = Arc::new(connection);
    let begin = Instant::now();
    let connections = Arc::clone(service.connections());
    let id = connections.add(&connection);
    let watched = Watched::new(stream, &connection, &connections);
    let mut running = pin!(run(&service, &connection, watched));
    let mut signal = pin!(connection.ending_signal().notified());
    let mut is_watched = false;
    poll_fn(|context| {
        // The signal wakes this task, which then sees that the connection ends.
        if !is_watched {
            is_watched = signal.as_mut().poll(context).is_pending();
        }
        if connection.ends_now() { Poll::Ready(()) } else { running.as_mut().poll(context) }
    })
    .await;
    let (received, sent) = connection.take_traffic();
    service.metrics().add_traffic(received, sent);
    service.metrics().record_connection(begin.elapsed());
    connections.remove(id);
}

/// Answers the requests of a connection, first in the loop and then by hyper.
async fn run<S>(service: &Arc<HttpService>, connection: &Arc<Connection>, mut stream: Watched<S>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let ended: Result<(), Box<dyn std::error::Error + Send + Sync>> =
        match begin(service, connection, &mut stream).await {
            Ok(http1::End::Closed) => Ok(()),
            Ok(http1::End::Continued(bytes, error)) => {
                // Boxed, because few connections need it, and all would have its size.
                Box::pin(run_hyper(service, connection, Rewound::new(bytes, error, stream))).await
            }
            Err(error) => Err(error.into()),
        };
    if let Err(error) = ended {
        tracing::debug!(target: "communication", client = ?connection.client, %error, "connection ended");
    }
}

/// Answers the first requests in the loop, if there is one.
async fn begin<S>(
    service: &HttpService,
    connection: &Connection,
    stream: &mut Watched<S>,
) -> std::io::Result<http1::End>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match service.options().has_own_loop {
        true => http1::serve(service, connection, stream).await,
        false => Ok(http1::End::Continued(BytesMut::new(), None)),
    }
}

async fn run_hyper<S>(
    service: &Arc<HttpService>,
    connection: &Arc<Connection>,
    stream: S,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let builder = builder();
    let answer = service_fn(|request: hyper::Request<Incoming>| {
        let (service, connection) = (Arc::clone(service), Arc::clone(connection));
        let request = request.map(RequestBody::Incoming);
        async move { Ok::<_, Infallible>(service.answer(&connection, request).await) }
    });
    let mut running = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let mut is_ending = false;
    poll_fn(|context| {
        if !is_ending && connection.is_ending() {
            is_ending = true;
            running.as_mut().graceful_shutdown();
        }
        running.as_mut().poll(context)
    })
    .await
}
