//! The certificate for the name by which a client calls the server (RFC 6066, 3).

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::rustls::pki_types::DnsName;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

/// A name of the server, and the file with the certificate and key for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKeyfile {
    /// The name in lower case. `*` stands for the first label of many names.
    pub name: String,
    /// The file with the certificate and key.
    pub keyfile: PathBuf,
}

impl NamedKeyfile {
    /// Reads `NAME=FILE`. The error describes the mistake.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, keyfile) = text.split_once('=').ok_or_else(|| format!("'{text}' must be NAME=KEYFILE"))?;
        let (name, keyfile) = (name.trim().to_ascii_lowercase(), keyfile.trim());
        let checked = name.strip_prefix("*.").unwrap_or(&name);
        if DnsName::try_from(checked).is_err() {
            return Err(format!("'{name}' is not a DNS name such as db.example.org or *.example.org"));
        }
        if keyfile.is_empty() {
            return Err(format!("'{text}' names no file; it must be NAME=KEYFILE"));
        }
        Ok(NamedKeyfile { name, keyfile: keyfile.into() })
    }

    /// Reads a list of `NAME=FILE`. Errors: a mistake, or a name that occurs twice.
    pub fn parse_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, String> {
        let mut all: Vec<Self> = Vec::new();
        for text in texts {
            let one = Self::parse(text)?;
            if all.iter().any(|known| known.name == one.name) {
                return Err(format!("the name '{}' has two files; it must have one", one.name));
            }
            all.push(one);
        }
        Ok(all)
    }
}

/// The certificates of the server, by its names.
pub(super) struct CertificateResolver {
    /// The certificate for clients that send no name or an unknown one.
    pub(super) default: Arc<CertifiedKey>,
    /// The certificates by name; that of `*.example.org` is below its whole text.
    pub(super) by_name: HashMap<String, Arc<CertifiedKey>>,
}

impl fmt::Debug for CertificateResolver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.by_name.keys()).finish()
    }
}

impl CertificateResolver {
    /// Returns the certificate for a name. The whole name goes before the one with `*`.
    fn certificate(&self, name: &str) -> &Arc<CertifiedKey> {
        if self.by_name.is_empty() {
            return &self.default;
        }
        let name = name.to_ascii_lowercase();
        let wildcard = || {
            let (_, domain) = name.split_once('.')?;
            self.by_name.get(&format!("*.{domain}"))
        };
        self.by_name.get(&name).or_else(wildcard).unwrap_or(&self.default)
    }
}

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(self.certificate(hello.server_name().unwrap_or_default())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files_are_read() {
        let named = NamedKeyfile::parse("DB.example.org=/etc/db=1.pem").unwrap();
        let expected = NamedKeyfile { name: "db.example.org".to_owned(), keyfile: "/etc/db=1.pem".into() };
        assert_eq!(named, expected);
        assert_eq!(NamedKeyfile::parse("*.example.org=a").unwrap().name, "*.example.org");
    }

    #[test]
    fn names_that_no_client_sends_are_refused() {
        for text in ["db.example.org", "=a.pem", "a b=a.pem", "*=a.pem", "a.*.org=a.pem", "a..b=a.pem", "db="]
        {
            assert!(NamedKeyfile::parse(text).is_err(), "{text}");
        }
        assert!(NamedKeyfile::parse("127.0.0.1=a.pem").is_err(), "an address is not sent");
        let twice = NamedKeyfile::parse_all(["a.org=1", "b.org=2", "A.org=3"]).unwrap_err();
        assert!(twice.contains("'a.org' has two files"), "{twice}");
    }
}
