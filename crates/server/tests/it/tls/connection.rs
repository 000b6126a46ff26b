//! A client's connection, with all that TLS lets it choose and see.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error as TlsError, SignatureScheme, StreamOwned,
    SupportedProtocolVersion,
};

use crate::client::Reply;
use crate::harness::Running;

/// The certificate that a client shows.
pub(super) enum Identity {
    None,
    /// A certificate with its key in PEM.
    Own(String),
}

pub(super) struct Connection {
    stream: StreamOwned<ClientConnection, TcpStream>,
}

/// Returns the settings of a client.
pub(super) fn config(identity: &Identity, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyServer));
    match identity {
        Identity::None => builder.with_no_client_auth(),
        Identity::Own(pem) => {
            let chain = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<std::result::Result<_, _>>();
            let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap();
            builder.with_client_auth_cert(chain.unwrap(), key).unwrap()
        }
    }
}

impl Connection {
    /// Connects to `localhost` and finishes the handshake.
    pub(super) fn open(running: &Running, identity: &Identity) -> Result<Self> {
        Self::with(running, "localhost", &Arc::new(config(identity, &[&TLS13, &TLS12])))
    }

    /// Connects with any settings, and calls the server by a name.
    pub(super) fn with(running: &Running, name: &str, config: &Arc<ClientConfig>) -> Result<Self> {
        let socket = TcpStream::connect(running.tls_address.unwrap())?;
        socket.set_read_timeout(Some(Duration::from_secs(20)))?;
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let connection = ClientConnection::new(Arc::clone(config), name).unwrap();
        let mut stream = StreamOwned::new(connection, socket);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Connection { stream })
    }

    pub(super) fn tls(&self) -> &ClientConnection {
        &self.stream.conn
    }

    /// Returns the server's certificate in DER.
    pub(super) fn certificate(&self) -> Vec<u8> {
        self.tls().peer_certificates().unwrap()[0].to_vec()
    }

    pub(super) fn request(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Result<Reply> {
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: test\r\n{headers}Content-Length: {length}\r\n\r\n");
        self.stream.write_all(&[head.as_bytes(), body].concat())?;
        let mut read = Vec::new();
        let end = loop {
            if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more(&mut read)?;
        };
        let head = String::from_utf8(read.drain(..end).collect()).unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let length: usize = length.parse().unwrap();
        while read.len() < length {
            self.read_more(&mut read)?;
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Ok(Reply { status, headers: Vec::new(), body: read, is_broken: false })
    }

    fn read_more(&mut self, read: &mut Vec<u8>) -> Result<()> {
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer)? {
            0 => Err(Error::from(ErrorKind::UnexpectedEof)),
            count => {
                read.extend_from_slice(&buffer[..count]);
                Ok(())
            }
        }
    }
}

/// Accepts every certificate of a server: tests look at it.
#[derive(Debug)]
pub(super) struct AnyServer;

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}
