//! The options of TLS.

use std::path::PathBuf;

use tokio_rustls::rustls::SupportedProtocolVersion;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::version::{TLS12, TLS13};

use super::client_certificates::ClientCertificates;
use super::name_indication::NamedKeyfile;
use super::openssl_options::BitEffects;
use super::{ciphers, curves, openssl_options};

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

/// The options of TLS, from the configuration.
#[derive(Clone, Debug)]
pub struct TlsOptions {
    /// The file with the certificate, its chain and its key.
    pub keyfile: PathBuf,
    /// The files of certificates for certain names of the server.
    pub named: Vec<NamedKeyfile>,
    /// The certificates of clients; `None` if the server asks for none.
    pub clients: Option<ClientCertificates>,
    /// The agreed protocols and algorithms.
    pub protocol: TlsProtocol,
}

/// The protocols and algorithms on which client and server may agree.
#[derive(Clone, Debug)]
pub struct TlsProtocol {
    pub(super) versions: Vec<&'static SupportedProtocolVersion>,
    pub(super) provider: CryptoProvider,
    pub(super) effects: BitEffects,
    pub(super) prefers_http1: bool,
    pub(super) resumes_sessions: bool,
}

impl TlsOptions {
    /// Returns the default options for a file with certificate and key.
    pub fn new(keyfile: impl Into<PathBuf>) -> Self {
        TlsOptions {
            keyfile: keyfile.into(),
            named: Vec::new(),
            clients: None,
            protocol: TlsProtocol::default(),
        }
    }
}

impl Default for TlsProtocol {
    /// Returns everything that the server has.
    fn default() -> Self {
        TlsProtocol {
            versions: vec![&TLS13, &TLS12],
            provider: ring::default_provider(),
            effects: BitEffects::default(),
            prefers_http1: false,
            resumes_sessions: true,
        }
    }
}

impl TlsProtocol {
    /// Restricts the versions, and sets OpenSSL's bits. Call it before the others.
    ///
    /// Errors: a bit that asks for something that the server does not do, or no version is left.
    pub fn with_versions(mut self, versions: TlsVersions, openssl_options: u64) -> Result<Self, String> {
        self.effects = openssl_options::read(openssl_options)?;
        let is_on = |version: &SupportedProtocolVersion| match version.version == TLS12.version {
            true => versions != TlsVersions::Tls13 && !self.effects.is_tls12_off,
            false => versions != TlsVersions::Tls12 && !self.effects.is_tls13_off,
        };
        self.versions.retain(|version| is_on(version));
        match self.versions.is_empty() {
            true => Err(format!("{openssl_options} turns off every version of TLS that is allowed")),
            false => Ok(self),
        }
    }

    /// Sets whether HTTP/1.1 goes before HTTP/2 for clients that have both.
    pub fn with_http1_first(self, prefers_http1: bool) -> Self {
        TlsProtocol { prefers_http1, ..self }
    }

    /// Sets whether a client may resume a session that it had before.
    pub fn with_resumption(self, resumes_sessions: bool) -> Self {
        TlsProtocol { resumes_sessions, ..self }
    }

    /// Sets the cipher suites by a list in OpenSSL's words; an empty list changes nothing.
    ///
    /// Errors: an unknown word, or the list leaves no suite.
    pub fn with_ciphers(mut self, list: &str) -> Result<Self, String> {
        if list.trim().is_empty() {
            return Ok(self);
        }
        self.provider.cipher_suites = ciphers::select(list, &self.versions)?;
        Ok(self)
    }

    /// Sets the groups for the exchange of keys by the names of their curves, with `:` between
    /// them; all for an empty text.
    ///
    /// Errors: an unknown curve.
    pub fn with_curves(mut self, list: &str) -> Result<Self, String> {
        self.provider.kx_groups = curves::select(list)?;
        Ok(self)
    }

    /// Returns true if OpenSSL's bits hide the names of the authorities for clients' certificates.
    pub fn hides_authorities(&self) -> bool {
        self.effects.hides_authorities
    }
}
