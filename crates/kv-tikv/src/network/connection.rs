//! One connection to a process: HTTP/2, shared by all messages to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_rustls::TlsConnector;

use super::pulse::Pulse;
use super::{Fault, encryption_probe, tls};

/// Bytes that a process may send on a stream, and on all streams, before they are read.
const STREAM_WINDOW_BYTES: u32 = 16 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 64 << 20;

/// The maximum time until a connection stands.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The connection to one address, made again whenever it has failed.
pub(super) struct Connection {
    address: String,
    tls: Option<TlsConnector>,
    sender: Mutex<Option<SendRequest<Bytes>>>,
    /// The pulse of the connection, if it stands.
    pulse: std::sync::Mutex<Option<Arc<Pulse>>>,
    /// The process has answered, so both sides agree on encryption.
    is_proven: AtomicBool,
}

impl Connection {
    pub(super) fn new(address: &str, tls: Option<TlsConnector>) -> Self {
        Connection {
            address: address.to_owned(),
            tls,
            sender: Mutex::new(None),
            pulse: std::sync::Mutex::default(),
            is_proven: AtomicBool::new(false),
        }
    }

    /// Returns a sender that is ready for a request.
    pub(super) async fn sender(&self) -> Result<SendRequest<Bytes>, Fault> {
        let mut current = self.sender.lock().await;
        if let Some(sender) = current.as_ref()
            && let Ok(ready) = sender.clone().ready().await
        {
            return Ok(ready);
        }
        *current = None;
        self.set_pulse(None);
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, self.connect()).await;
        let (sender, pulse) = connected
            .map_err(|_| format!("no connection within {} s", CONNECT_TIMEOUT.as_secs()))
            .and_then(|connected| connected)
            .map_err(Fault::Unreachable)?;
        *current = Some(sender.clone());
        self.set_pulse(pulse);
        Ok(sender)
    }

    fn set_pulse(&self, pulse: Option<Pulse>) {
        *self.pulse.lock().unwrap_or_else(PoisonError::into_inner) = pulse.map(Arc::new);
    }

    /// Ends the connection if its process gives no sign of life, and returns true in this case. A
    /// connection that is being opened has a timeout of its own.
    pub(super) async fn end_if_lost(&self) -> bool {
        let pulse = self.pulse.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match pulse {
            Some(pulse) => pulse.end_if_lost().await,
            None => false,
        }
    }

    /// Gives the connection up, so that the next message makes a new one.
    pub(super) async fn discard(&self) {
        *self.sender.lock().await = None;
        self.set_pulse(None);
    }

    async fn connect(&self) -> Result<Connected, String> {
        let stream = TcpStream::connect(&self.address).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let shaken = match &self.tls {
            None => shake_hands(stream).await,
            Some(connector) => {
                let name = ServerName::try_from(self.host().to_owned()).map_err(|error| error.to_string())?;
                let stream = connector.connect(name, stream).await;
                shake_hands(stream.map_err(|error| tls::explain(&error))?).await
            }
        };
        shaken.map_err(|error| self.explain(&error))
    }

    fn host(&self) -> &str {
        let host = self.address.rsplit_once(':').map_or(self.address.as_str(), |(host, _)| host);
        host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Notes that the process has answered.
    pub(super) fn prove(&self) {
        self.is_proven.store(true, Ordering::Relaxed);
    }

    /// Returns the fault itself, or the option that is wrong if the process has never answered and
    /// only one of the two sides encrypts.
    pub(super) async fn diagnose(&self, fault: Fault) -> Fault {
        if self.is_proven.load(Ordering::Relaxed) {
            return fault;
        }
        match &self.tls {
            None if encryption_probe::speaks_tls(&self.address, self.host()).await => Fault::Unreachable(
                "it encrypts its connections; set --tikv.ca to the file with the cluster's CA certificates"
                    .to_owned(),
            ),
            Some(_) if encryption_probe::speaks_clear_text(&self.address).await => Fault::Unreachable(
                "it does not encrypt its connections; start without --tikv.ca, or configure TLS for the \
                 cluster"
                    .to_owned(),
            ),
            _ => fault,
        }
    }

    /// Returns the reason of a failure.
    pub(super) fn explain(&self, error: &h2::Error) -> String {
        match (&self.tls, error.get_io()) {
            (Some(_), Some(error)) => tls::explain(error),
            _ => error.to_string(),
        }
    }
}

/// A sender, and the pulse of its connection.
type Connected = (SendRequest<Bytes>, Option<Pulse>);

/// Begins HTTP/2 on a stream of bytes. A task drives the connection until it ends.
async fn shake_hands<S>(stream: S) -> Result<Connected, h2::Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = h2::client::Builder::new();
    builder
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(1 << 20)
        .enable_push(false);
    let (sender, mut connection) = builder.handshake(stream).await?;
    let pings = connection.ping_pong();
    let task = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(target: "engines", "lost a connection to the cluster: {error}");
        }
    });
    let pulse = pings.map(|pings| Pulse::new(pings, task.abort_handle()));
    Ok((sender.ready().await?, pulse))
}
