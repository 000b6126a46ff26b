//! Names of the server, versions, algorithms, protocols and sessions.

use std::sync::{Arc, Mutex};

use server::http::tls::{NamedKeyfile, TlsOptions, TlsProtocol, TlsVersions, UserAttribute};
use test_certificates::Subject;
use tokio_rustls::rustls::client::ResolvesClientCert;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    CipherSuite, ClientConfig, HandshakeKind, NamedGroup, ProtocolVersion, SignatureScheme,
};

use super::connection::{AnyServer, config};
use super::{Connection, Identity, Setup};
use crate::harness::Running;

fn protocol(setup: Setup, protocol: TlsProtocol) -> Setup {
    Setup { options: TlsOptions { protocol, ..setup.options.clone() }, ..setup }
}

fn open(running: &Running) -> Connection {
    Connection::open(running, &Identity::None).unwrap()
}

#[test]
fn the_certificate_follows_the_name_that_the_client_calls() {
    let mut setup = Setup::new();
    let names = [("db.example.org", "db.pem"), ("*.example.org", "any.pem"), ("localhost", "local.pem")];
    for (name, file) in names {
        setup.write(file, &setup.certificate(&Subject::server(&[name])));
    }
    let named = names.map(|(name, file)| format!("{name}={}", setup.path(file).display()));
    setup.options.named = NamedKeyfile::parse_all(named.iter().map(String::as_str)).unwrap();
    let running = setup.start();
    let pem = |file: &str| std::fs::read(setup.path(file)).unwrap();
    let shown = |name: &str| {
        use tokio_rustls::rustls::pki_types::CertificateDer;
        use tokio_rustls::rustls::pki_types::pem::PemObject;
        let config = Arc::new(config(&Identity::None, &[&TLS13]));
        let der = Connection::with(&running, name, &config).unwrap().certificate();
        let files = ["server.pem", "db.pem", "any.pem", "local.pem"];
        let is_it = |file: &&str| *CertificateDer::from_pem_slice(&pem(file)).unwrap() == *der;
        files.into_iter().find(is_it).unwrap()
    };
    assert_eq!(shown("db.example.org"), "db.pem");
    assert_eq!(shown("DB.Example.org"), "db.pem");
    assert_eq!(shown("other.example.org"), "any.pem");
    assert_eq!(shown("localhost"), "local.pem");
    for other in ["a.db.example.org", "example.org", "elsewhere.test", "127.0.0.1"] {
        assert_eq!(shown(other), "server.pem", "{other}");
    }
}

#[test]
fn suites_and_curves_are_those_of_the_lists() {
    let list = "ECDHE-ECDSA-CHACHA20-POLY1305:TLS_AES_128_GCM_SHA256";
    let settings = TlsProtocol::default().with_ciphers(list).unwrap().with_curves("secp384r1").unwrap();
    let running = protocol(Setup::new(), settings).start();
    let negotiated = |version| {
        let config = Arc::new(config(&Identity::None, &[version]));
        let connection = Connection::with(&running, "localhost", &config).unwrap();
        let group = connection.tls().negotiated_key_exchange_group().unwrap().name();
        (connection.tls().negotiated_cipher_suite().unwrap().suite(), group)
    };
    let chacha = CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256;
    assert_eq!(negotiated(&TLS12), (chacha, NamedGroup::secp384r1));
    assert_eq!(negotiated(&TLS13), (CipherSuite::TLS13_AES_128_GCM_SHA256, NamedGroup::secp384r1));
}

#[test]
fn versions_are_those_of_the_option_without_the_bits_that_are_off() {
    for (versions, bits, expected) in [
        (TlsVersions::Both, 0, ProtocolVersion::TLSv1_3),
        (TlsVersions::Tls12, 0, ProtocolVersion::TLSv1_2),
        (TlsVersions::Both, 1 << 29, ProtocolVersion::TLSv1_2),
        (TlsVersions::Both, 1 << 27, ProtocolVersion::TLSv1_3),
    ] {
        let settings = TlsProtocol::default().with_versions(versions, bits).unwrap();
        let running = protocol(Setup::new(), settings).start();
        assert_eq!(open(&running).tls().protocol_version(), Some(expected), "{versions:?} {bits}");
        let older = Arc::new(config(&Identity::None, &[&TLS12]));
        let has_older = Connection::with(&running, "localhost", &older).is_ok();
        assert_eq!(has_older, bits != 1 << 27, "{versions:?} {bits}");
    }
    assert!(TlsProtocol::default().with_versions(TlsVersions::Tls13, 1 << 29).is_err());
}

/// Remembers the authorities that the server names, and shows no certificate.
#[derive(Debug, Default)]
struct Hints(Mutex<Vec<Vec<u8>>>);

impl ResolvesClientCert for Hints {
    fn resolve(&self, authorities: &[&[u8]], _schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.lock().unwrap().extend(authorities.iter().map(|name| name.to_vec()));
        None
    }

    fn has_certs(&self) -> bool {
        true
    }
}

#[test]
fn the_names_of_authorities_may_be_hidden() {
    for hides_authorities in [false, true] {
        let mut setup = Setup::new().with_clients(UserAttribute::None);
        setup.clients().hides_authorities = hides_authorities;
        let running = setup.start();
        let hints = Arc::new(Hints::default());
        let mut config = config(&Identity::None, &[&TLS13]);
        config.client_auth_cert_resolver = Arc::clone(&hints) as Arc<dyn ResolvesClientCert>;
        drop(Connection::with(&running, "localhost", &Arc::new(config)).unwrap());
        let names = hints.0.lock().unwrap();
        assert_eq!(names.len(), if hides_authorities { 0 } else { 1 });
        assert!(names.iter().all(|name| name.windows(9).any(|part| part == b"authority")));
    }
}

#[test]
fn the_order_of_suites_is_the_clients_unless_a_bit_says_otherwise() {
    let suites = [
        (0, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
        (0x40_0000, CipherSuite::TLS13_AES_256_GCM_SHA384),
    ];
    for (bits, expected) in suites {
        let settings = TlsProtocol::default().with_versions(TlsVersions::Both, bits).unwrap();
        let running = protocol(Setup::new(), settings).start();
        let mut provider = ring::default_provider();
        provider.cipher_suites.sort_by_key(|suite| suite.suite() != suites[0].1);
        let client = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyServer))
            .with_no_client_auth();
        let connection = Connection::with(&running, "localhost", &Arc::new(client)).unwrap();
        let suite = connection.tls().negotiated_cipher_suite().unwrap().suite();
        assert_eq!(suite, expected, "{bits}");
    }
}

#[test]
fn the_server_chooses_between_the_versions_of_http() {
    for (prefers_http1, expected) in [(false, &b"h2"[..]), (true, b"http/1.1")] {
        let running = protocol(Setup::new(), TlsProtocol::default().with_http1_first(prefers_http1)).start();
        let mut config = config(&Identity::None, &[&TLS13]);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let connection = Connection::with(&running, "localhost", &Arc::new(config)).unwrap();
        assert_eq!(connection.tls().alpn_protocol(), Some(expected));
    }
}

#[test]
fn sessions_are_resumed_where_that_is_on() {
    for resumes_sessions in [true, false] {
        let settings = TlsProtocol::default().with_resumption(resumes_sessions);
        let running = protocol(Setup::new(), settings).start();
        for version in [&TLS12, &TLS13] {
            let config = Arc::new(config(&Identity::None, &[version]));
            let kind = || {
                let mut connection = Connection::with(&running, "localhost", &config).unwrap();
                // The tickets of TLS 1.3 come before a reply.
                connection.request("GET", "/_api/version", "", b"").unwrap();
                connection.tls().handshake_kind().unwrap()
            };
            assert_eq!(kind(), HandshakeKind::Full);
            let expected = if resumes_sessions { HandshakeKind::Resumed } else { HandshakeKind::Full };
            assert_eq!(kind(), expected, "{resumes_sessions} {version:?}");
        }
    }
}
