//! TLS by rustls, with ArangoDB's files and options.

mod file;
mod keyfile;
mod name_indication;
mod client_name;
mod client_certificates;
mod ciphers;
mod curves;
mod openssl_options;
mod options;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};

use client_certificates::ClientVerifier;
use keyfile::Keyfile;
use name_indication::CertificateResolver;

pub use client_certificates::ClientCertificates;
pub(crate) use client_name::ClientCertificate;
pub use client_name::UserAttribute;
pub(crate) use file::{FileSummary, digest};
pub use name_indication::NamedKeyfile;
pub use options::{TlsOptions, TlsProtocol, TlsVersions};

/// The TLS settings from files that can be reloaded. Clones are cheap and share one state.
#[derive(Clone)]
pub struct Tls {
    shared: Arc<Shared>,
}

struct Shared {
    options: TlsOptions,
    loaded: RwLock<Loaded>,
}

#[derive(Clone)]
struct Loaded {
    acceptor: TlsAcceptor,
    summary: Arc<TlsSummary>,
}

/// The public facts about the files.
pub(crate) struct TlsSummary {
    /// The file for all names without one of their own.
    pub(crate) keyfile: FileSummary,
    /// The authorities of clients' certificates.
    pub(crate) client_authorities: Option<FileSummary>,
    /// The names of the server that have files of their own.
    pub(crate) named: Vec<(String, FileSummary)>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tls")
    }
}

impl Tls {
    /// Reads the files that the options name.
    ///
    /// The error names the file and describes the problem.
    pub fn open(options: TlsOptions) -> Result<Self, String> {
        let loaded = RwLock::new(load(&options)?);
        Ok(Tls { shared: Arc::new(Shared { options, loaded }) })
    }

    /// Reloads all files for new connections. An error in one of them changes nothing.
    ///
    /// Sessions that began before are not resumed, since the new files may refuse their clients.
    pub(crate) fn reload(&self) -> Result<(), String> {
        let loaded = load(&self.shared.options)?;
        *self.shared.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.loaded().acceptor
    }

    pub(crate) fn summary(&self) -> Arc<TlsSummary> {
        self.loaded().summary
    }

    /// Returns the certificate of a connection's client if it names a user.
    ///
    /// The handshake has verified the certificates.
    pub(crate) fn client_certificate(
        &self,
        shown: Option<&[CertificateDer<'_>]>,
    ) -> Option<Box<ClientCertificate>> {
        let clients = self.shared.options.clients.as_ref()?;
        ClientCertificate::parse(shown?.first()?, clients.user).map(Box::new)
    }

    fn loaded(&self) -> Loaded {
        self.shared.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn load(options: &TlsOptions) -> Result<Loaded, String> {
    let protocol = &options.protocol;
    let provider = Arc::new(protocol.provider.clone());
    let keyfile = Keyfile::read(&options.keyfile, &provider)?;
    let mut by_name = HashMap::new();
    let mut named = Vec::new();
    for one in &options.named {
        let keyfile = Keyfile::read(&one.keyfile, &provider)?;
        by_name.insert(one.name.clone(), keyfile.certified);
        named.push((one.name.clone(), keyfile.summary));
    }
    let clients =
        options.clients.as_ref().map(|clients| ClientVerifier::read(clients, &provider)).transpose()?;
    let (verifier, client_authorities) = match clients {
        Some(clients) => (clients.verifier, Some(clients.summary)),
        None => (WebPkiClientVerifier::no_client_auth(), None),
    };
    let config = ServerConfig::builder_with_provider(provider).with_protocol_versions(&protocol.versions);
    let config = config.map_err(|error| format!("TLS cannot be set up: {error}"))?;
    let resolver = CertificateResolver { default: keyfile.certified, by_name };
    let mut config = config.with_client_cert_verifier(verifier).with_cert_resolver(Arc::new(resolver));
    config.alpn_protocols = match protocol.prefers_http1 {
        true => vec![b"http/1.1".to_vec(), b"h2".to_vec()],
        false => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
    };
    config.ignore_client_order = protocol.effects.prefers_server_order;
    if !protocol.resumes_sessions {
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    }
    let summary = TlsSummary { keyfile: keyfile.summary, client_authorities, named };
    Ok(Loaded { acceptor: TlsAcceptor::from(Arc::new(config)), summary: Arc::new(summary) })
}
