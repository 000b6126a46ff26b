//! The server's certificate, its chain and its key, from one file as in ArangoDB.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::file::{self, FileSummary, wrong};

/// A certificate with its chain and its key.
#[derive(Clone)]
pub(super) struct Keyfile {
    pub(super) certified: Arc<CertifiedKey>,
    pub(super) summary: FileSummary,
}

impl Keyfile {
    /// Reads a PEM file with the certificate, its chain and its key, in any order.
    ///
    /// The error names the file and the problem.
    pub(super) fn read(path: &Path, provider: &CryptoProvider) -> Result<Self, String> {
        let bytes = file::read(path)?;
        let certificates = certificates(path, &bytes)?;
        let key = PrivateKeyDer::from_pem_slice(&bytes)
            .map_err(|error| wrong(path, format!("has no key: {error}")))?;
        let certified = CertifiedKey::from_der(certificates, key, provider)
            .map_err(|error| wrong(path, format!("cannot be used: {error}")))?;
        Ok(Keyfile { certified: Arc::new(certified), summary: FileSummary::of(&bytes) })
    }
}

/// Returns the certificates in a file, at least one.
pub(super) fn certificates(path: &Path, bytes: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_slice_iter(bytes).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| wrong(path, format!("cannot be read: {error}")))?;
    match certificates.is_empty() {
        true => Err(wrong(path, "has no certificate")),
        false => Ok(certificates),
    }
}
