//! TLS: certificate and key from one file, as in ArangoDB.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ServerConfig, SupportedProtocolVersion};

/// The accepted versions of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsVersions {
    /// 1.2 and 1.3.
    #[default]
    Both,
    /// Only 1.2.
    Tls12,
    /// Only 1.3.
    Tls13,
}

/// The TLS settings from a file that can be reloaded. Clones are cheap and share one state.
#[derive(Clone)]
pub struct Tls {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    versions: TlsVersions,
    loaded: RwLock<Loaded>,
}

#[derive(Clone)]
struct Loaded {
    acceptor: TlsAcceptor,
    summary: Arc<KeyfileSummary>,
}

/// The public facts about a file with certificate and key.
pub(crate) struct KeyfileSummary {
    /// Digest of the whole file.
    pub(crate) sha256: String,
    /// The certificates in the form of the file.
    pub(crate) certificates: Vec<String>,
    /// Digest of the private key in the form of the file.
    pub(crate) key_sha256: String,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tls")
    }
}

impl Tls {
    /// Reads a PEM file with the certificate, its chain and its key, in any order.
    ///
    /// The error describes the problem.
    pub fn from_keyfile(path: &Path, versions: TlsVersions) -> Result<Self, String> {
        let loaded = RwLock::new(load(path, versions)?);
        Ok(Tls { shared: Arc::new(Shared { path: path.to_owned(), versions, loaded }) })
    }

    /// Reloads the file for new connections. An error changes nothing.
    pub(crate) fn reload(&self) -> Result<(), String> {
        let loaded = load(&self.shared.path, self.shared.versions)?;
        *self.shared.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.loaded().acceptor
    }

    pub(crate) fn summary(&self) -> Arc<KeyfileSummary> {
        self.loaded().summary
    }

    fn loaded(&self) -> Loaded {
        self.shared.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn load(path: &Path, versions: TlsVersions) -> Result<Loaded, String> {
    let wrong = |what: &str| format!("the file {} for TLS {what}", path.display());
    let unreadable = |error: &dyn std::fmt::Display| wrong(&format!("cannot be read: {error}"));
    let file = std::fs::read(path).map_err(|error| unreadable(&error))?;
    let certificates = CertificateDer::pem_slice_iter(&file).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| unreadable(&error))?;
    if certificates.is_empty() {
        return Err(wrong("has no certificate"));
    }
    let key = PrivateKeyDer::from_pem_slice(&file).map_err(|error| wrong(&format!("has no key: {error}")))?;
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
    let summary = Arc::new(KeyfileSummary::of(&file));
    Ok(Loaded { acceptor: TlsAcceptor::from(Arc::new(config)), summary })
}

impl KeyfileSummary {
    fn of(file: &[u8]) -> Self {
        let text = String::from_utf8_lossy(file);
        let (certificates, others): (Vec<_>, Vec<_>) = pem_sections(&text)
            .into_iter()
            .partition(|section| section.starts_with("-----BEGIN CERTIFICATE"));
        let key = others.into_iter().find(|section| is_key(section)).unwrap_or_default();
        KeyfileSummary {
            sha256: digest(file),
            certificates: certificates.into_iter().map(str::to_owned).collect(),
            key_sha256: digest(key.as_bytes()),
        }
    }
}

fn is_key(section: &str) -> bool {
    section.lines().next().is_some_and(|line| line.ends_with("PRIVATE KEY-----"))
}

/// Returns the sections of a PEM file from their first to their last line, line breaks included.
fn pem_sections(text: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let (mut begin, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("-----BEGIN ") {
            begin = Some(at);
        }
        at += line.len();
        if line.starts_with("-----END ") {
            sections.extend(begin.take().and_then(|begin| text.get(begin..at)));
        }
    }
    sections
}

/// Returns the SHA-256 in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
