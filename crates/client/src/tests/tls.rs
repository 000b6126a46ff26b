//! Encrypted connections and those within one machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::options;
use super::server::reply;
use crate::{Client, Error, Request, TlsVersions};

/// Returns a self-signed certificate for localhost and 127.0.0.1, and its key.
fn pem() -> PathBuf {
    PathBuf::from("src/tests/certificate.pem")
}

/// Returns such a certificate as an authority's and without a name.
///
/// `openssl req -x509 -subj /CN=localhost` makes it.
fn authority() -> PathBuf {
    PathBuf::from("src/tests/authority.pem")
}

/// Replies to requests without bodies with `body` until the client closes.
fn serve(mut stream: impl Read + Write, body: &[u8]) {
    let mut heard = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte).is_ok_and(|count| count > 0) {
        heard.extend(byte);
        if heard.ends_with(b"\r\n\r\n") {
            heard.clear();
            if stream.write_all(&reply(200, "", body)).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
    }
}

fn start(body: Vec<u8>, pem: &Path) -> u16 {
    let certificates = CertificateDer::pem_file_iter(pem).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(pem).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind(("0.0.0.0", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            serve(StreamOwned::new(connection, stream.unwrap()), &body);
        }
    });
    port
}

#[test]
fn tls_carries_large_replies_in_both_versions() {
    let large: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let port = start(large.clone(), &pem());
    for versions in [TlsVersions::Both, TlsVersions::Tls12, TlsVersions::Tls13] {
        let mut options = options(&format!("ssl://127.0.0.1:{port}"));
        options.tls.versions = versions;
        let client = Client::new(options).unwrap();
        for _ in 0..2 {
            assert!(client.call(&Request::get("/x")).unwrap().body() == &large, "{versions:?}");
        }
    }
}

#[test]
fn certificates_are_checked_where_that_is_asked_for() {
    let port = start(b"1".to_vec(), &pem());
    let mut options = options(&format!("https://localhost:{port}"));
    options.tls.authorities = Some(pem());
    assert_eq!(Client::new(options.clone()).unwrap().call(&Request::get("/x")).unwrap().body(), "1");
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("none.pem");
    std::fs::write(&other, "nothing").unwrap();
    options.tls.authorities = Some(other);
    assert!(Client::new(options.clone()).err().unwrap().to_string().contains("none.pem"));
    options.tls.authorities = Some(pem());
    options.retries.count = 0;
    // The certificate does not have this name.
    options.endpoint = crate::Endpoint::parse(&format!("https://127.0.0.2:{port}")).unwrap();
    let error = Client::new(options).unwrap().call(&Request::get("/x")).unwrap_err();
    assert!(matches!(error, Error::Connect { .. }) && error.to_string().contains("certificate"), "{error}");
}

#[test]
fn a_certificate_that_signs_itself_as_an_authority_is_known_by_itself() {
    let port = start(b"1".to_vec(), &authority());
    for (authorities, is_accepted) in [(authority(), true), (pem(), false)] {
        let mut options = options(&format!("https://localhost:{port}"));
        options.tls.authorities = Some(authorities);
        options.retries.count = 0;
        let reply = Client::new(options).unwrap().call(&Request::get("/x"));
        assert_eq!(reply.is_ok(), is_accepted);
    }
}

#[test]
fn a_socket_in_the_file_system_works_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || serve(listener.accept().unwrap().0, b"local"));
    let client = Client::new(options(&format!("unix://{}", path.display()))).unwrap();
    for _ in 0..2 {
        assert_eq!(client.call(&Request::get("/x")).unwrap().body(), "local");
    }
}
