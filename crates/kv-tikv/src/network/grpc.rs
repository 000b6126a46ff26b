//! gRPC: each message is a POST with the length and the bytes of a message as its body.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Request, Response};
use tokio_rustls::TlsConnector;

use super::connection::Connection;
use super::{Exchange, Fault, Network, Pending};

/// The bytes before each message: a flag for compression, and the length.
const HEAD_BYTES: usize = 5;

/// The status of a method that the process does not know.
const UNIMPLEMENTED: &[u8] = b"12";

/// The time after which a reply is late.
const PATIENCE: Duration = Duration::from_secs(2);

/// The greatest reply that is taken.
const REPLY_BYTES_MAX: usize = 1 << 30;

/// Connections to all processes of a cluster, one each.
pub(crate) struct GrpcNetwork {
    connections: Mutex<HashMap<String, Arc<Connection>>>,
    tls: Option<TlsConnector>,
    timeout: Duration,
}

impl GrpcNetwork {
    /// Opens no connection yet. A message without a reply is lost after `timeout`.
    pub(crate) fn new(tls: Option<TlsConnector>, timeout: Duration) -> Self {
        GrpcNetwork { connections: Mutex::default(), tls, timeout }
    }

    fn connection(&self, address: &str) -> Arc<Connection> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = connections.get(address) {
            return Arc::clone(connection);
        }
        let connection = Arc::new(Connection::new(address, self.tls.clone()));
        connections.insert(address.to_owned(), Arc::clone(&connection));
        connection
    }

    fn request(&self, address: &str, method: &str) -> Result<Request<()>, Fault> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        Request::post(format!("{scheme}://{address}{method}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())
            .map_err(|error| Fault::Unreachable(error.to_string()))
    }

    async fn send(&self, connection: &Connection, request: Request<()>, body: Bytes) -> Result<Bytes, Fault> {
        let lost = |error: h2::Error| Fault::Lost(connection.explain(&error));
        let mut sender = connection.sender().await?;
        let (response, mut stream) = sender
            .send_request(request, false)
            .map_err(|error| Fault::Unreachable(connection.explain(&error)))?;
        stream.send_data(framed(&body), true).map_err(lost)?;
        let response = response.await.map_err(lost)?;
        check_status(response.headers())?;
        let mut reader = Reader::new(response);
        let message = reader.next().await?;
        match message {
            Some(message) => Ok(message),
            None => Err(reader.trailing_status().await),
        }
    }
}

impl Network for GrpcNetwork {
    fn call<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
        message: Bytes,
    ) -> Pending<'a, Result<Bytes, Fault>> {
        Box::pin(async move {
            let connection = self.connection(address);
            let request = self.request(address, method)?;
            let reply = self.send(&connection, request, message);
            match patiently(&connection, self.timeout, reply).await {
                Ok(reply) => {
                    connection.prove();
                    Ok(reply)
                }
                Err(fault) => Err(connection.diagnose(fault).await),
            }
        })
    }

    fn open<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
    ) -> Pending<'a, Result<Box<dyn Exchange>, Fault>> {
        Box::pin(async move {
            let connection = self.connection(address);
            let request = self.request(address, method)?;
            let mut sender = connection.sender().await?;
            let (response, stream) = sender
                .send_request(request, false)
                .map_err(|error| Fault::Unreachable(connection.explain(&error)))?;
            let stream = GrpcStream {
                stream,
                response: Some(response),
                reader: None,
                connection,
                timeout: self.timeout,
            };
            Ok(Box::new(stream) as Box<dyn Exchange>)
        })
    }
}

/// Waits for a reply. A late one is awaited for as long as the process gives signs of life, and no
/// longer than `timeout`.
async fn patiently<T>(
    connection: &Connection,
    timeout: Duration,
    reply: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let end = Instant::now() + timeout;
    let reason = {
        let mut reply = pin!(reply);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if let Ok(reply) = tokio::time::timeout(left.min(PATIENCE), &mut reply).await {
                return reply;
            }
            if left <= PATIENCE {
                break format!("no reply within {} s", timeout.as_secs_f32());
            }
            if connection.end_if_lost().await {
                break "no reply and no sign of life".to_owned();
            }
        }
    };
    // Nothing waits any longer for the connection, which an incomplete reply might hold.
    connection.discard().await;
    Err(Fault::Lost(reason))
}

/// A stream of messages in both directions.
struct GrpcStream {
    stream: SendStream<Bytes>,
    /// The headers of the reply, which may come with the first message only.
    response: Option<h2::client::ResponseFuture>,
    reader: Option<Reader>,
    connection: Arc<Connection>,
    timeout: Duration,
}

impl GrpcStream {
    async fn next(&mut self, message: Bytes) -> Result<Bytes, Fault> {
        let connection = Arc::clone(&self.connection);
        let lost = |error: h2::Error| Fault::Lost(connection.explain(&error));
        self.stream.send_data(framed(&message), false).map_err(lost)?;
        if let Some(response) = self.response.take() {
            let response = response.await.map_err(lost)?;
            check_status(response.headers())?;
            self.reader = Some(Reader::new(response));
        }
        let Some(reader) = &mut self.reader else { return Err(Fault::Lost("the stream has ended".into())) };
        match reader.next().await? {
            Some(message) => Ok(message),
            None => Err(reader.trailing_status().await),
        }
    }
}

impl Exchange for GrpcStream {
    fn exchange(&mut self, message: Bytes) -> Pending<'_, Result<Bytes, Fault>> {
        Box::pin(async move {
            let (connection, timeout) = (Arc::clone(&self.connection), self.timeout);
            patiently(&connection, timeout, self.next(message)).await
        })
    }
}

/// Puts the head before a message.
fn framed(message: &Bytes) -> Bytes {
    let mut framed = BytesMut::with_capacity(HEAD_BYTES + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.extend_from_slice(message);
    framed.freeze()
}

/// Checks the status of gRPC in headers or trailers, where its absence means success.
fn check_status(headers: &HeaderMap) -> Result<(), Fault> {
    match headers.get("grpc-status").map(|status| status.as_bytes()) {
        None | Some(b"0") => Ok(()),
        Some(status) => {
            let message = headers.get("grpc-message").and_then(|message| message.to_str().ok());
            if status == UNIMPLEMENTED {
                return Err(Fault::Unimplemented(message.unwrap_or_default().to_owned()));
            }
            let status = String::from_utf8_lossy(status);
            Err(Fault::Lost(format!("gRPC status {status}: {}", message.unwrap_or_default())))
        }
    }
}

/// The reader of the messages in a body.
struct Reader {
    body: RecvStream,
    buffered: BytesMut,
}

impl Reader {
    fn new(response: Response<RecvStream>) -> Self {
        Reader { body: response.into_body(), buffered: BytesMut::new() }
    }

    /// Returns the next message, or `None` at the end of the body.
    async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            if let Some(head) = self.buffered.first_chunk::<HEAD_BYTES>() {
                let [flag, length @ ..] = *head;
                let length = u32::from_be_bytes(length) as usize;
                if flag != 0 || length > REPLY_BYTES_MAX {
                    return Err(Fault::Lost("the reply is compressed or too long".to_owned()));
                }
                if self.buffered.len() >= HEAD_BYTES + length {
                    let mut message = self.buffered.split_to(HEAD_BYTES + length);
                    return Ok(Some(message.split_off(HEAD_BYTES).freeze()));
                }
                self.buffered.reserve(HEAD_BYTES + length - self.buffered.len());
            }
            let Some(data) = self.body.data().await else { return Ok(None) };
            let data = data.map_err(|error| Fault::Lost(error.to_string()))?;
            self.buffered.extend_from_slice(&data);
            // The window is of the connection, which a failure has ended anyway.
            let _ = self.body.flow_control().release_capacity(data.len());
        }
    }

    /// Returns the failure that the trailers of a body without a message tell.
    async fn trailing_status(&mut self) -> Fault {
        match self.body.trailers().await {
            Ok(Some(trailers)) => check_status(&trailers)
                .err()
                .unwrap_or_else(|| Fault::Lost("the reply has no message".to_owned())),
            Ok(None) => Fault::Lost("the reply has no message".to_owned()),
            Err(error) => Fault::Lost(error.to_string()),
        }
    }
}
