//! Certificates for tests: authorities, servers, clients, and lists of revoked ones, all in PEM.
//!
//! Every certificate has a new key, by which tests tell them apart.

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType, Error,
    ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SanType,
    SerialNumber, date_time_ymd,
};

/// An authority that signs certificates.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate to be signed.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The common name.
    pub common_name: Option<String>,
    /// The DNS names and addresses among the alternative names.
    pub hosts: Vec<String>,
    /// The e-mail addresses among the alternative names.
    pub emails: Vec<String>,
    /// The URIs among the alternative names.
    pub uris: Vec<String>,
    /// The years on whose first days its validity begins and ends.
    pub years: (i32, i32),
    /// The serial number, by which lists of revoked certificates name it.
    pub serial: u64,
}

impl Default for Subject {
    /// Returns a subject without a name, valid from 2020 to 2199.
    fn default() -> Self {
        Subject {
            common_name: None,
            hosts: Vec::new(),
            emails: Vec::new(),
            uris: Vec::new(),
            years: (2020, 2199),
            serial: 1,
        }
    }
}

impl Subject {
    /// Returns a subject with a common name.
    pub fn named(name: &str) -> Self {
        Subject { common_name: Some(name.to_owned()), ..Subject::default() }
    }

    /// Returns a server with DNS names and addresses.
    pub fn server(hosts: &[&str]) -> Self {
        Subject { hosts: hosts.iter().map(|host| (*host).to_owned()).collect(), ..Subject::named("server") }
    }
}

impl Authority {
    /// Returns an authority of a name, with a key of its own.
    pub fn new(name: &str) -> Result<Self, Error> {
        let mut params = CertificateParams::new(Vec::<String>::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2199, 1, 1));
        Ok(Authority { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate()?)? })
    }

    /// Returns the authority's own certificate.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Returns a new certificate for servers and clients, and its key.
    pub fn sign(&self, subject: &Subject) -> Result<String, Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::<String>::new())?;
        let mut names = rcgen::DistinguishedName::new();
        if let Some(name) = &subject.common_name {
            names.push(DnType::CommonName, name.as_str());
        }
        params.distinguished_name = names;
        for host in &subject.hosts {
            params.subject_alt_names.push(match host.parse() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName(host.as_str().try_into()?),
            });
        }
        for email in &subject.emails {
            params.subject_alt_names.push(SanType::Rfc822Name(email.as_str().try_into()?));
        }
        for uri in &subject.uris {
            params.subject_alt_names.push(SanType::URI(uri.as_str().try_into()?));
        }
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.serial_number = Some(SerialNumber::from(subject.serial));
        let date = |year| date_time_ymd(year, 1, 1);
        (params.not_before, params.not_after) = (date(subject.years.0), date(subject.years.1));
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(certificate.pem() + &key.serialize_pem())
    }

    /// Returns the list of revoked certificates, which ends with `last_year`.
    pub fn revoke(&self, serials: &[u64], last_year: i32) -> Result<String, Error> {
        let revoked = serials.iter().map(|serial| RevokedCertParams {
            serial_number: SerialNumber::from(*serial),
            revocation_time: date_time_ymd(2021, 1, 1),
            reason_code: None,
            invalidity_date: None,
        });
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2021, 1, 1),
            next_update: date_time_ymd(last_year, 12, 31),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: revoked.collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        list.signed_by(&self.issuer)?.pem()
    }
}
