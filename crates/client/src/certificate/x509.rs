//! The fields of X.509 certificates (RFC 5280).

use std::net::IpAddr;

use x509_cert::der::{Decode, Result};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::time::Time;

use super::Certificate;

/// Reads a certificate in DER. Errors: it is not a certificate, or one of the fields is malformed.
pub(super) fn parse(der: &[u8]) -> Result<Certificate> {
    let certificate = x509_cert::Certificate::from_der(der)?;
    let fields = certificate.tbs_certificate();
    let mut names = match fields.get_extension::<SubjectAltName>()? {
        Some((_is_critical, alternatives)) => alternatives.0.iter().filter_map(name).collect(),
        None => Vec::new(),
    };
    if names.is_empty() {
        names.extend(fields.subject().common_name()?.map(|name| name.value().into_owned()));
    }
    let validity = fields.validity();
    Ok(Certificate {
        names,
        not_before: seconds(validity.not_before),
        not_after: seconds(validity.not_after),
    })
}

fn name(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
        GeneralName::IpAddress(address) => {
            let bytes = address.as_bytes();
            let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
            let address = v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from));
            address.ok().map(|address| address.to_string())
        }
        _ => None,
    }
}

/// Returns a time as seconds since 1970.
fn seconds(time: Time) -> i64 {
    time.to_unix_duration().as_secs().cast_signed()
}
