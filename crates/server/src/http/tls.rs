//! TLS: certificate and key from a file, as ArangoDB has them.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ServerConfig, SupportedProtocolVersion};

/// Versions of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsVersions {
    /// 1.2 and 1.3.
    #[default]
    Both,
    /// 1.2 alone.
    Tls12,
    /// 1.3 alone.
    Tls13,
}

/// How encrypted connections are accepted. Cheap to clone.
#[derive(Clone)]
pub struct Tls {
    pub(crate) acceptor: TlsAcceptor,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tls")
    }
}

impl Tls {
    /// Reads a PEM file with the certificate, those that signed it, and its key, in any order. The error says what is
    /// wrong.
    pub fn from_keyfile(path: &Path, versions: TlsVersions) -> Result<Self, String> {
        let wrong = |what: &str| format!("the file {} for TLS {what}", path.display());
        let unreadable = |error: &dyn std::fmt::Display| wrong(&format!("cannot be read: {error}"));
        let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))?;
        let certificates = certificates.collect::<Result<Vec<_>, _>>().map_err(|error| unreadable(&error))?;
        if certificates.is_empty() {
            return Err(wrong("has no certificate"));
        }
        let key =
            PrivateKeyDer::from_pem_file(path).map_err(|error| wrong(&format!("has no key: {error}")))?;
        let versions: &[&SupportedProtocolVersion] = match versions {
            TlsVersions::Both => &[&TLS13, &TLS12],
            TlsVersions::Tls12 => &[&TLS12],
            TlsVersions::Tls13 => &[&TLS13],
        };
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key));
        let mut config = config.map_err(|error| wrong(&format!("cannot be used: {error}")))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls { acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
}
