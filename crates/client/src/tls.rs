//! TLS by rustls, with ring's cryptography.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::error::{Error, Result};
use crate::options::{TlsOptions, TlsVersions};

/// How connections of a client are encrypted.
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    pub(crate) fn new(options: &TlsOptions) -> Result<Self> {
        let versions: &[&rustls::SupportedProtocolVersion] = match options.versions {
            TlsVersions::Both => &[&TLS13, &TLS12],
            TlsVersions::Tls12 => &[&TLS12],
            TlsVersions::Tls13 => &[&TLS13],
        };
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .map_err(|error| Error::Options(format!("TLS cannot be set up: {error}")))?;
        let config = match &options.authorities {
            Some(path) => builder.with_root_certificates(authorities(path)?).with_no_client_auth(),
            None => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate { provider }))
                .with_no_client_auth(),
        };
        Ok(Tls { config: Arc::new(config) })
    }

    pub(crate) fn connection(&self, host: &str) -> io::Result<ClientConnection> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        ClientConnection::new(Arc::clone(&self.config), name).map_err(io::Error::other)
    }
}

fn authorities(path: &Path) -> Result<RootCertStore> {
    let unreadable = |error: String| {
        Error::Options(format!("the certificates in {} cannot be read: {error}", path.display()))
    };
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))? {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        store.add(certificate).map_err(|error| unreadable(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(unreadable("there are none".to_owned()));
    }
    Ok(store)
}

/// Accepts every certificate, but not a server that does not have the certificate's key.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
