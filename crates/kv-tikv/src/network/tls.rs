//! Encryption of connections to the cluster.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use kv::{Error, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

/// Returns the reason of a failure of an encrypted connection, with the options that may be wrong.
pub(super) fn explain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let hint = match error.kind() {
        // A process that asks for a certificate says so after the handshake.
        _ if text.contains("CertificateRequired") || text.contains("BadCertificate") => {
            "; the cluster asks for a certificate that its authority has signed: set --tikv.cert"
        }
        ErrorKind::UnexpectedEof => "; the process may reject the client",
        _ => "",
    };
    format!("TLS: {text}{hint}")
}

/// The files for encrypted connections, in PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificates of the authority that signed those of the cluster.
    pub authority: PathBuf,
    /// The certificate of this server and its key, if the cluster asks for one.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl TlsFiles {
    /// Reads the files. Errors: [`Error::CannotOpen`] if one is missing or is not a certificate or
    /// key.
    pub(crate) fn connector(&self) -> Result<TlsConnector> {
        let refused = |path: &PathBuf, error: &dyn std::fmt::Display| Error::CannotOpen {
            store: "the TiKV cluster".to_owned(),
            reason: format!("the file {} for TLS cannot be used: {error}", path.display()),
        };
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::pem_file_iter(&self.authority)
            .and_then(|certificates| certificates.collect::<std::result::Result<Vec<_>, _>>())
            .map_err(|error| refused(&self.authority, &error))?;
        for certificate in authority {
            roots.add(certificate).map_err(|error| refused(&self.authority, &error))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| refused(&self.authority, &error))?
            .with_root_certificates(roots);
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain = CertificateDer::pem_file_iter(certificate)
                    .and_then(|certificates| certificates.collect::<std::result::Result<Vec<_>, _>>())
                    .map_err(|error| refused(certificate, &error))?;
                let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| refused(key, &error))?;
                builder.with_client_auth_cert(chain, secret).map_err(|error| refused(certificate, &error))?
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(TlsConnector::from(Arc::new(config)))
    }
}
