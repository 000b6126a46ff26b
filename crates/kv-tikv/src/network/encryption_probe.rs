//! The answer to whether a process encrypts its connections.
//!
//! A process that expects TLS and one that expects clear text fail each other's clients in many
//! ways: by an alert, by bytes that are no frame, by silence. So after such a failure a second
//! connection speaks the other language, and only its first byte counts.

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The maximum time of a probe.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The preface of HTTP/2 and an empty frame with settings.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// The first bytes of a frame with settings, but for its length, which is below 256.
const SETTINGS: [u8; 2] = [0, 0];

/// The types of TLS records that a server begins with: an alert, a handshake.
const RECORDS: [u8; 2] = [21, 22];

/// Returns true if the process at an address answers in TLS.
pub(super) async fn speaks_tls(address: &str, host: &str) -> bool {
    let Some(hello) = client_hello(host) else { return false };
    first_bytes(address, &hello).await.is_some_and(|[first, _]| RECORDS.contains(&first))
}

/// Returns true if the process at an address answers in HTTP/2 without TLS.
pub(super) async fn speaks_clear_text(address: &str) -> bool {
    first_bytes(address, PREFACE).await == Some(SETTINGS)
}

/// Returns the first message of a client that trusts nobody.
fn client_hello(host: &str) -> Option<Vec<u8>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let mut config = builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from(host.to_owned()).ok()?;
    let mut hello = Vec::new();
    ClientConnection::new(Arc::new(config), name).ok()?.write_tls(&mut hello).ok()?;
    Some(hello)
}

/// Sends bytes on a connection of their own, and returns the first ones that come back.
async fn first_bytes(address: &str, message: &[u8]) -> Option<[u8; 2]> {
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(message).await.ok()?;
        let mut first = [0; 2];
        stream.read_exact(&mut first).await.ok()?;
        Some(first)
    };
    tokio::time::timeout(TIMEOUT, exchange).await.ok()?
}
