//! The verification of certificates that clients show.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::CertificateRevocationListDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;

use super::client_name::UserAttribute;
use super::file::{self, FileSummary, wrong};
use super::keyfile::certificates;

/// The certificates of clients that the server accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificates {
    /// The PEM file of authorities, one of which must have signed a client's certificate.
    pub authorities: PathBuf,
    /// The PEM file with lists of revoked certificates.
    pub revoked: Option<PathBuf>,
    /// True if a client without a certificate cannot connect.
    pub is_required: bool,
    /// True if the server does not tell clients the names of its authorities.
    pub hides_authorities: bool,
    /// The part of a certificate that names the user of its requests.
    pub user: UserAttribute,
}

/// The verifier of clients' certificates, and the facts about its authorities.
pub(super) struct ClientVerifier {
    pub(super) verifier: Arc<dyn ClientCertVerifier>,
    pub(super) summary: FileSummary,
}

impl ClientVerifier {
    /// Reads the files. The error names the file and the problem.
    ///
    /// With lists of revoked certificates, every authority of a certificate's chain needs one, and
    /// a list whose end has passed accepts no certificate.
    pub(super) fn read(options: &ClientCertificates, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let path = &options.authorities;
        let bytes = file::read(path)?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates(path, &bytes)? {
            roots.add(certificate).map_err(|error| wrong(path, format!("cannot be used: {error}")))?;
        }
        let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        if let Some(revoked) = &options.revoked {
            builder = builder.with_crls(revocation_lists(revoked)?).enforce_revocation_expiration();
        }
        if !options.is_required {
            builder = builder.allow_unauthenticated();
        }
        if options.hides_authorities {
            builder = builder.clear_root_hint_subjects();
        }
        // The authorities were read, so an error concerns the lists.
        let place = options.revoked.as_ref().unwrap_or(path);
        let verifier = builder.build().map_err(|error| wrong(place, format!("cannot be used: {error}")))?;
        Ok(ClientVerifier { verifier, summary: FileSummary::of(&bytes) })
    }
}

/// Reads a file with lists of revoked certificates, at least one.
fn revocation_lists(path: &Path) -> Result<Vec<CertificateRevocationListDer<'static>>, String> {
    let bytes = file::read(path)?;
    let lists = CertificateRevocationListDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    let lists = lists.map_err(|error| wrong(path, format!("cannot be read: {error}")))?;
    match lists.is_empty() {
        true => Err(wrong(path, "has no list of revoked certificates")),
        false => Ok(lists),
    }
}
