//! `--ssl`: encrypted connections.

use options::{Choice, Flag, List, Maybe, Number, Opt, Options, Text, choice, flag, number, text};
use server::http::address::Address;
use server::http::tls::{
    ClientCertificates, NamedKeyfile, Tls, TlsOptions, TlsProtocol, TlsVersions, UserAttribute,
};

use crate::failure::Failure;

const VERSIONS: &[(&str, TlsVersions); 3] =
    &[("5", TlsVersions::Tls12), ("6", TlsVersions::Tls13), ("9", TlsVersions::Both)];

const USER_ATTRIBUTES: &[(&str, UserAttribute); 5] = &[
    ("none", UserAttribute::None),
    ("common-name", UserAttribute::CommonName),
    ("email", UserAttribute::Email),
    ("dns", UserAttribute::Dns),
    ("uri", UserAttribute::Uri),
];

options::section! {
    static CAFILE: Opt<Maybe<Text>> =
        text("ssl.cafile", "", "PEM file of authorities that sign the certificates of clients. Default: none; clients are not asked for a certificate.").optional();
    static CIPHER_LIST: Opt<Text> =
        text("ssl.cipher-list", "HIGH:!EXPORT:!aNULL@STRENGTH", "Cipher suites in OpenSSL's words.");
    static CLIENT_CERTIFICATE_USER: Opt<Choice<UserAttribute>> =
        choice("ssl.client-certificate-user", USER_ATTRIBUTES, "none", "Part of a client's certificate that names the user of requests without an `authorization` header.");
    static CRL: Opt<Maybe<Text>> =
        text("ssl.crl", "", "PEM file with lists of revoked certificates, one for each authority of a client's certificate. Default: none.").optional();
    static ECDH_CURVE: Opt<Maybe<Text>> =
        text("ssl.ecdh-curve", "", "Curves for the exchange of keys with `:` between them: X25519, prime256v1, secp384r1. Default: all.").optional();
    static KEYFILE: Opt<Maybe<Text>> =
        text("ssl.keyfile", "", "PEM file with the certificate and key for TLS endpoints.").optional();
    static OPTIONS: Opt<Number> =
        number("ssl.options", "2147485776", "OpenSSL's option bits. Bits that ask for something that the server does not do are refused.");
    static PREFER_HTTP1: Opt<Flag> =
        flag("ssl.prefer-http1-in-alpn", false, "Prefer HTTP/1.1 to HTTP/2 for clients that have both.");
    static PROTOCOL: Opt<Choice<TlsVersions>> =
        choice("ssl.protocol", VERSIONS, "9", "TLS version: 5 for 1.2, 6 for 1.3, 9 for both.");
    static REQUIRE_PEER_CERTIFICATE: Opt<Flag> =
        flag("ssl.require-peer-certificate", false, "Refuse clients without a certificate.");
    static SERVER_NAME_INDICATION: Opt<List<Text>> =
        text("ssl.server-name-indication", "", "Use another certificate for clients that call the server by this name, as NAME=KEYFILE. `*.DOMAIN` stands for all names directly below a domain.").list();
    static SESSION_CACHE: Opt<Flag> =
        flag("ssl.session-cache", true, "Let clients resume their sessions, which makes their next connections quicker.");
}

/// Reads the certificates, keys and lists if any address uses TLS.
pub(crate) fn settings(options: &Options, addresses: &[Address]) -> Result<Option<Tls>, Failure> {
    let protocol = protocol(options)?;
    let named = NamedKeyfile::parse_all(options.get(&SERVER_NAME_INDICATION));
    let named = named.map_err(|error| format!("--{}: {error}", SERVER_NAME_INDICATION.name))?;
    let clients = clients(options, protocol.hides_authorities())?;
    let Some(address) = addresses.iter().find(|address| matches!(address, Address::Tls(_))) else {
        return Ok(None);
    };
    let keyfile = options.non_empty(&KEYFILE);
    let keyfile = keyfile
        .ok_or_else(|| format!("{address} needs --{}: a PEM file with certificate and key", KEYFILE.name))?;
    Ok(Some(Tls::open(TlsOptions { keyfile: keyfile.into(), named, clients, protocol })?))
}

/// Returns the versions and algorithms.
fn protocol(options: &Options) -> Result<TlsProtocol, Failure> {
    let named = |name: &str, error: String| format!("--{name}: {error}");
    let protocol = TlsProtocol::default()
        .with_http1_first(options.get(&PREFER_HTTP1))
        .with_resumption(options.get(&SESSION_CACHE))
        .with_versions(options.get(&PROTOCOL), options.get(&OPTIONS))
        .map_err(|error| named(OPTIONS.name, error))?
        .with_ciphers(options.get(&CIPHER_LIST))
        .map_err(|error| named(CIPHER_LIST.name, error))?
        .with_curves(options.get(&ECDH_CURVE).unwrap_or_default())
        .map_err(|error| named(ECDH_CURVE.name, error))?;
    Ok(protocol)
}

/// Returns the certificates of clients. Errors: one of their options without the authorities.
fn clients(options: &Options, hides_authorities: bool) -> Result<Option<ClientCertificates>, Failure> {
    let (revoked, user) = (options.non_empty(&CRL), options.get(&CLIENT_CERTIFICATE_USER));
    let is_required = options.get(&REQUIRE_PEER_CERTIFICATE);
    let Some(authorities) = options.non_empty(&CAFILE) else {
        let needy = [
            (REQUIRE_PEER_CERTIFICATE.name, is_required),
            (CRL.name, revoked.is_some()),
            (CLIENT_CERTIFICATE_USER.name, user != UserAttribute::None),
        ];
        return match needy.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::from(format!(
                "--{name} needs --{}: a PEM file of authorities that sign the certificates of clients",
                CAFILE.name
            ))),
            None => Ok(None),
        };
    };
    Ok(Some(ClientCertificates {
        authorities: authorities.into(),
        revoked: revoked.map(Into::into),
        is_required,
        hides_authorities,
        user,
    }))
}
