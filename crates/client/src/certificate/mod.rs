//! Facts about certificates: their subjects, their validity, and the keys that they need.

mod x509;

use std::path::Path;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error as TlsError, InconsistentKeys};

use crate::Endpoint;
use crate::error::{Error, Result};
use crate::options::ClientOptions;
use crate::socket::Socket;
use crate::tls::Tls;

/// The facts about a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The names and addresses that it is for; its common name if it has none.
    pub names: Vec<String>,
    /// The first second of its validity, since 1970.
    pub not_before: i64,
    /// The last second of its validity, since 1970.
    pub not_after: i64,
}

impl Certificate {
    /// Reads the certificate of a server in DER.
    fn parse(der: &[u8]) -> Result<Self> {
        x509::parse(der)
            .map_err(|error| Error::Options(format!("the certificate is not valid X.509: {error}")))
    }

    /// Reads a PEM file with a certificate, its chain and its key, in any order.
    ///
    /// Returns the facts of the certificate and of its chain, and true if the key belongs to the
    /// first certificate. Errors: the file lacks a certificate or a key, or cannot be read.
    pub fn of_keyfile(path: &Path) -> Result<(Vec<Self>, bool)> {
        let wrong = |reason: String| Error::Options(format!("{}: {reason}", path.display()));
        let read =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
        let chain = read.map_err(|error| wrong(error.to_string()))?;
        let facts = chain.iter().map(|der| Self::parse(der)).collect::<Result<Vec<_>>>()?;
        if facts.is_empty() {
            return Err(wrong("there is no certificate".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(path)
            .map_err(|error| wrong(format!("there is no private key: {error}")))?;
        let key = ring::sign::any_supported_type(&key).map_err(|error| wrong(error.to_string()))?;
        match CertifiedKey::new(chain, key).keys_match() {
            Ok(()) => Ok((facts, true)),
            Err(TlsError::InconsistentKeys(InconsistentKeys::KeyMismatch)) => Ok((facts, false)),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// Reads all certificates in a text in PEM. Errors: one of them is malformed.
    pub fn of_pem(text: &str) -> Result<Vec<Self>> {
        let wrong = |error: rustls::pki_types::pem::Error| Error::Options(error.to_string());
        let certificates = CertificateDer::pem_slice_iter(text.as_bytes());
        certificates.map(|der| Self::parse(&der.map_err(wrong)?)).collect()
    }

    /// Connects to a server with TLS, and returns the certificate that it shows. It need not be
    /// trusted. `None` for an endpoint without TLS.
    pub fn of_server(options: &ClientOptions) -> Result<Option<Self>> {
        let Endpoint::Tls { .. } = &options.endpoint else { return Ok(None) };
        let mut any = options.tls.clone();
        any.authorities = None;
        let tls = Tls::new(&any)?;
        let socket = Socket::connect(&options.endpoint, Some(&tls), options.connection_timeout, None);
        let socket = socket.map_err(|error| Error::Connect {
            endpoint: options.endpoint.to_string(),
            reason: error.to_string(),
        })?;
        socket.certificate().map(Self::parse).transpose()
    }

    /// Returns true if the certificate is for a host: a name, where `*` stands for the first label,
    /// or an address.
    pub fn is_for(&self, host: &str) -> bool {
        self.names.iter().any(|name| match name.strip_prefix("*.") {
            Some(domain) => host.split_once('.').is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(domain)),
            None => name.eq_ignore_ascii_case(host),
        })
    }
}

#[cfg(test)]
mod tests;
