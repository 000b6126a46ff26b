//! The user that a client's certificate names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Error};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::{DirectoryString, GeneralName};

/// `id-at-commonName` (RFC 5280, appendix A.1).
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Bytes of the longest name of a user.
const NAME_MAX_BYTES: usize = 1 << 10;

/// The part of a certificate that names the user of its requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserAttribute {
    /// None: a certificate lets its client connect, and requests name their users.
    #[default]
    None,
    /// The common name of the subject.
    CommonName,
    /// The e-mail address of the subject's alternative names.
    Email,
    /// The DNS name of the subject's alternative names.
    Dns,
    /// The URI of the subject's alternative names.
    Uri,
}

/// The certificate of a connection's client, which names a user.
#[derive(Debug)]
pub(crate) struct ClientCertificate {
    user: Arc<str>,
    /// The last second of the certificate's validity, since 1970.
    last_second: u64,
    is_audited: AtomicBool,
}

impl ClientCertificate {
    /// Reads a verified certificate in DER.
    ///
    /// `None` unless it has exactly one name of the kind, which a user can have.
    pub(super) fn parse(der: &[u8], attribute: UserAttribute) -> Option<Self> {
        if attribute == UserAttribute::None {
            return None;
        }
        let certificate = x509_cert::Certificate::from_der(der).ok()?;
        let fields = certificate.tbs_certificate();
        let names = match attribute {
            UserAttribute::CommonName => common_names(fields.subject()).ok()?,
            _ => {
                let alternatives = fields.get_extension::<SubjectAltName>().ok()?;
                let alternatives = alternatives.map(|(_is_critical, alternatives)| alternatives.0);
                let alternatives = alternatives.unwrap_or_default();
                alternatives.iter().filter_map(|name| of_kind(name, attribute)).collect()
            }
        };
        let [name] = names.as_slice() else { return None };
        let last_second = fields.validity().not_after.to_unix_duration().as_secs();
        is_name_of_user(name).then(|| ClientCertificate {
            user: name.as_str().into(),
            last_second,
            is_audited: AtomicBool::new(false),
        })
    }

    /// Returns the name of the user, as long as the certificate is valid.
    pub(crate) fn user(&self) -> Option<&Arc<str>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        (now <= self.last_second).then_some(&self.user)
    }

    /// Returns true on the first call.
    pub(crate) fn begin_audit(&self) -> bool {
        !self.is_audited.load(Ordering::Relaxed) && !self.is_audited.swap(true, Ordering::Relaxed)
    }
}

/// Returns true if a user may have the name. Names of roles begin with a colon.
fn is_name_of_user(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(':') && name.len() <= NAME_MAX_BYTES
}

fn common_names(subject: &x509_cert::name::Name) -> Result<Vec<String>, Error> {
    let common = subject.iter().filter(|part| part.oid == COMMON_NAME);
    common.map(|part| DirectoryString::try_from(&part.value).map(|name| name.value().into_owned())).collect()
}

fn of_kind(name: &GeneralName, attribute: UserAttribute) -> Option<String> {
    match (name, attribute) {
        (GeneralName::Rfc822Name(name), UserAttribute::Email) => Some(name.as_str().to_owned()),
        (GeneralName::DnsName(name), UserAttribute::Dns) => Some(name.as_str().to_owned()),
        (GeneralName::UniformResourceIdentifier(name), UserAttribute::Uri) => Some(name.as_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use test_certificates::{Authority, Subject};
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject;

    use super::*;

    fn der(subject: &Subject) -> Vec<u8> {
        let pem = Authority::new("authority").unwrap().sign(subject).unwrap();
        CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec()
    }

    fn name(subject: &Subject, attribute: UserAttribute) -> Option<String> {
        let certificate = ClientCertificate::parse(&der(subject), attribute)?;
        certificate.user().map(|user| user.to_string())
    }

    #[test]
    fn each_kind_of_name_is_found_alone() {
        let subject = Subject {
            hosts: vec!["alice.example.org".to_owned()],
            emails: vec!["alice@example.org".to_owned()],
            uris: vec!["urn:alice".to_owned()],
            ..Subject::named("Alice Å")
        };
        let found = |attribute| name(&subject, attribute);
        assert_eq!(found(UserAttribute::CommonName).as_deref(), Some("Alice Å"));
        assert_eq!(found(UserAttribute::Email).as_deref(), Some("alice@example.org"));
        assert_eq!(found(UserAttribute::Dns).as_deref(), Some("alice.example.org"));
        assert_eq!(found(UserAttribute::Uri).as_deref(), Some("urn:alice"));
        assert_eq!(found(UserAttribute::None), None);
        assert_eq!(name(&Subject::named("x"), UserAttribute::Email), None);
    }

    #[test]
    fn roles_and_empty_and_long_names_are_no_users() {
        for wrong in ["", ":role", ":", &"x".repeat(NAME_MAX_BYTES + 1)] {
            assert_eq!(name(&Subject::named(wrong), UserAttribute::CommonName), None, "{wrong}");
        }
    }

    #[test]
    fn a_certificate_that_has_ended_names_nobody() {
        let subject = Subject { years: (2020, 2021), ..Subject::named("alice") };
        assert_eq!(name(&subject, UserAttribute::CommonName), None);
        let audited = ClientCertificate::parse(&der(&subject), UserAttribute::CommonName).unwrap();
        assert_eq!([audited.begin_audit(), audited.begin_audit()], [true, false]);
    }

    #[test]
    fn broken_certificates_name_nobody() {
        let der = der(&Subject::named("alice"));
        for end in 0..der.len() {
            assert!(ClientCertificate::parse(&der[..end], UserAttribute::CommonName).is_none(), "{end}");
        }
        for at in 0..der.len() {
            let mut broken = der.clone();
            broken[at] ^= 0xff;
            let parsed = ClientCertificate::parse(&broken, UserAttribute::CommonName);
            assert!(parsed.is_none_or(|it| !it.user.starts_with(':') && !it.user.is_empty()));
        }
    }
}
