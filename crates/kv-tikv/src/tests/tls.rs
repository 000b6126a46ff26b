//! Encrypted connections, with a process that answers every message with its own bytes.
//!
//! `tls/authority.pem` is the certificate of an authority. `tls/process.pem` and `tls/client.pem`
//! are certificates that it has signed, with their keys: of a process whose name is `localhost`,
//! and of a client. `tls/stranger.pem` is the certificate of another authority. `openssl req` and
//! `openssl x509` made them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Response};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::network::{Fault, GrpcNetwork, Network, TlsFiles};
use crate::{TikvEngine, TikvOptions};

/// The time for which a client that is refused is told why at the latest.
const PATIENCE: Duration = Duration::from_secs(60);

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(test);
}

fn file(name: &str) -> PathBuf {
    PathBuf::from("src/tests/tls").join(name)
}

fn acceptor(asks_for_certificate: bool) -> TlsAcceptor {
    let chain = CertificateDer::pem_file_iter(file("process.pem")).unwrap();
    let chain: Vec<_> = chain.collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(file("process.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = if asks_for_certificate {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file("authority.pem")).unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        builder.with_client_cert_verifier(verifier.build().unwrap())
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder.with_single_cert(chain, key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

/// Answers messages in HTTP/2 until the client goes.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin) {
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    while let Some(Ok((request, mut reply))) = connection.accept().await {
        tokio::spawn(async move {
            let mut body = request.into_body();
            let mut bytes = Vec::new();
            while let Some(Ok(data)) = body.data().await {
                bytes.extend_from_slice(&data);
            }
            let mut reply = reply.send_response(Response::new(()), false).unwrap();
            reply.send_data(bytes.into(), false).unwrap();
            let status = HeaderMap::from_iter([("grpc-status".parse().unwrap(), "0".parse().unwrap())]);
            reply.send_trailers(status).unwrap();
        });
    }
}

/// Starts a process, encrypted or not, and returns its port.
async fn start(tls: Option<TlsAcceptor>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let tls = tls.clone();
            tokio::spawn(async move {
                match tls {
                    None => serve(stream).await,
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            serve(stream).await;
                        }
                    }
                }
            });
        }
    });
    port
}

/// Starts a process that closes each connection after its first bytes, and returns its port.
async fn start_closing() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 64]).await;
        }
    });
    port
}

async fn call(address: &str, files: Option<TlsFiles>) -> Result<Bytes, Fault> {
    let tls = files.map(|files| files.connector().unwrap());
    let network = GrpcNetwork::new(tls, Duration::from_secs(5));
    network.call(address, "/test.Test/Echo", Bytes::from_static(b"a message")).await
}

fn files(authority: &str, identity: Option<&str>) -> Option<TlsFiles> {
    let identity = identity.map(|identity| (file(identity), file(identity)));
    Some(TlsFiles { authority: file(authority), identity })
}

/// Checks that no store can be opened, for a reason that names the address and has these words.
async fn assert_refused(address: &str, tls: Option<TlsFiles>, words: &[&str]) {
    let options = TikvOptions {
        pd: vec![address.to_owned()],
        tls,
        timeout: Duration::from_millis(200),
        ..TikvOptions::default()
    };
    let begin = Instant::now();
    loop {
        let options = options.clone();
        let opened = tokio::task::spawn_blocking(move || TikvEngine::open(&options).err());
        let reason = opened.await.unwrap().expect("no store").to_string();
        let missing = words.iter().chain([&address]).find(|word| !reason.contains(**word));
        let Some(missing) = missing else { return };
        // A process that refuses a client may close the connection before its reason arrives.
        assert!(begin.elapsed() < PATIENCE, "{missing}: {reason}");
    }
}

#[test]
fn messages_are_encrypted_if_the_authority_has_signed_the_name() {
    run(async {
        let port = start(Some(acceptor(false))).await;
        let (right, wrong_name) = (format!("localhost:{port}"), format!("127.0.0.1:{port}"));
        let reply = call(&right, files("authority.pem", None)).await;
        assert_eq!(reply, Ok(Bytes::from_static(b"a message")));
        assert_refused(&right, files("stranger.pem", None), &["TLS", "UnknownIssuer"]).await;
        assert_refused(&wrong_name, files("authority.pem", None), &["TLS", "not valid for name"]).await;
    });
}

#[test]
fn a_client_shows_its_certificate_where_the_process_asks_for_one() {
    run(async {
        let port = start(Some(acceptor(true))).await;
        let address = format!("localhost:{port}");
        let reply = call(&address, files("authority.pem", Some("client.pem"))).await;
        assert_eq!(reply, Ok(Bytes::from_static(b"a message")));
        assert_refused(&address, files("authority.pem", None), &["CertificateRequired", "--tikv.cert"]).await;
    });
}

#[test]
fn both_sides_must_encrypt() {
    run(async {
        let encrypted = format!("localhost:{}", start(Some(acceptor(false))).await);
        let clear = format!("localhost:{}", start(None).await);
        assert_eq!(call(&clear, None).await, Ok(Bytes::from_static(b"a message")));
        assert_refused(&encrypted, None, &["it encrypts its connections", "set --tikv.ca"]).await;
        let words = ["it does not encrypt its connections", "without --tikv.ca"];
        assert_refused(&clear, files("authority.pem", None), &words).await;
        // Such a process waits for its client, and says nothing about the reason.
        let silent = format!("localhost:{}", start_closing().await);
        assert_refused(&silent, files("authority.pem", None), &["TLS"]).await;
    });
}

#[test]
fn unusable_files_are_named() {
    for (authority, identity) in [("none.pem", None), ("authority.pem", Some("authority.pem"))] {
        let files = files(authority, identity).unwrap();
        let error = files.connector().err().expect("no connector").to_string();
        assert!(error.contains(identity.unwrap_or(authority)), "{error}");
    }
}
