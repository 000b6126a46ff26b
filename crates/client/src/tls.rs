//! TLS by rustls, with ring's cryptography.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use crate::error::{Error, Result};
use crate::options::{TlsOptions, TlsVersions};

/// The encryption of a client's connections.
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
        let authorities = options.authorities.as_ref().map(|path| Authorities::read(path, &provider));
        let verifier = Verifier { authorities: authorities.transpose()?, provider };
        let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
        let config = match &options.identity {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let (chain, key) = read_identity(path)?;
                let with_identity = builder.with_client_auth_cert(chain, key);
                with_identity.map_err(|error| unusable_identity(path, &error))?
            }
        };
        Ok(Tls { config: Arc::new(config) })
    }

    pub(crate) fn connection(&self, host: &str) -> io::Result<ClientConnection> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        ClientConnection::new(Arc::clone(&self.config), name).map_err(io::Error::other)
    }
}

/// Reads the client's own certificate, its chain and its key. Errors: the file lacks one of them.
fn read_identity(path: &Path) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let read =
        CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
    let chain = read.map_err(|error| unusable_identity(path, &error))?;
    if chain.is_empty() {
        return Err(unusable_identity(path, &"there is no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(path);
    let key = key.map_err(|error| unusable_identity(path, &format!("there is no private key: {error}")))?;
    Ok((chain, key))
}

fn unusable_identity(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::Options(format!("the client's certificate in {} cannot be used: {error}", path.display()))
}

/// The certificates of a file.
#[derive(Debug)]
struct Authorities {
    signed: Arc<WebPkiServerVerifier>,
    own: Vec<CertificateDer<'static>>,
}

impl Authorities {
    fn read(path: &Path, provider: &Arc<CryptoProvider>) -> Result<Self> {
        let unreadable = |error: String| {
            Error::Options(format!("the certificates in {} cannot be read: {error}", path.display()))
        };
        let read =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
        let own = read.map_err(|error| unreadable(error.to_string()))?;
        let mut store = RootCertStore::empty();
        // The systems' files contain a few kinds of authorities that rustls does not support.
        store.add_parsable_certificates(own.iter().cloned());
        if store.is_empty() {
            return Err(unreadable("there is no usable certificate".to_owned()));
        }
        let signed =
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider)).build();
        Ok(Authorities { signed: signed.map_err(|error| unreadable(error.to_string()))?, own })
    }
}

/// A verifier that accepts certificates signed by an authority, and the authorities' own.
///
/// `openssl req -x509` signs a certificate by itself as an authority's, and rustls does not accept
/// such a certificate for a server. This verifier does, whatever names the certificate has. Without
/// authorities it accepts every certificate. In any case the server must have the key.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Authorities>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(Authorities { signed, own }) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        match signed.verify_server_cert(certificate, intermediates, name, ocsp_response, now) {
            // The error is neither the date nor the name, but the kind of certificate.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(_)))
                if own.contains(certificate) =>
            {
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
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
