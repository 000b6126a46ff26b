//! HTTP/2 without TLS, by prior knowledge.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;

use hyper::body::{Body, Bytes, Incoming};
use hyper::client::conn::http2;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use server::{HttpOptions, ServerOptions};
use tokio::net::TcpStream;

use crate::harness::{arrivals, open_gate, options, start, start_with, store};

type Sender = http2::SendRequest<String>;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn connect(address: SocketAddr) -> Sender {
    let stream = TcpStream::connect(address).await.unwrap();
    let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn send(sender: &mut Sender, method: &str, path: &str, body: &str) -> Response<Incoming> {
    let request = Request::builder().method(method).uri(format!("http://test{path}")).body(body.to_owned());
    sender.send_request(request.unwrap()).await.unwrap()
}

async fn read(mut body: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut all = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        all.extend_from_slice(&frame?.into_data().unwrap_or(Bytes::new()));
    }
    Ok(all)
}

#[test]
fn prior_knowledge_is_recognized() {
    let running = start();
    block_on(async {
        let mut sender = connect(running.address).await;
        for number in 0..3 {
            let reply = send(&mut sender, "GET", &format!("/_test/parts/{number}/x"), "").await;
            assert_eq!((reply.status().as_u16(), reply.version()), (200, hyper::Version::HTTP_2));
            let body: serde_json::Value =
                serde_json::from_slice(&read(reply.into_body()).await.unwrap()).unwrap();
            assert_eq!(body["one"], number.to_string());
        }
    });
    assert_eq!(running.server.connections().http2(), 1);
}

#[test]
fn requests_on_one_connection_do_not_wait_for_one_another() {
    let running = start();
    block_on(async {
        let mut sender = connect(running.address).await;
        let mut slow_sender = sender.clone();
        let slow =
            tokio::spawn(async move { send(&mut slow_sender, "GET", "/_test/wait?gate=http2", "").await });
        // A wait for a condition that lets the request be sent.
        while arrivals("http2") == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        assert_eq!(send(&mut sender, "GET", "/_api/version", "").await.status().as_u16(), 200);
        open_gate("http2");
        assert_eq!(slow.await.unwrap().status().as_u16(), 200);
    });
}

#[test]
fn bodies_go_both_ways() {
    let running = start();
    block_on(async {
        let mut sender = connect(running.address).await;
        let long = "x".repeat(3 << 20);
        let reply = send(&mut sender, "POST", "/_test/body", &long).await;
        assert!(read(reply.into_body()).await.unwrap() == long.as_bytes());
        let reply = send(&mut sender, "GET", "/_test/stream?count=5000", "").await;
        assert_eq!(
            read(reply.into_body()).await.unwrap().iter().filter(|byte| **byte == b'\n').count(),
            5_000
        );
        let reply = send(&mut sender, "GET", "/_test/stream?count=5&fails=true", "").await;
        assert!(read(reply.into_body()).await.is_err(), "a broken stream must not look complete");
        assert_eq!(send(&mut sender, "GET", "/_api/version", "").await.status().as_u16(), 200);
    });
}

#[test]
fn long_bodies_on_one_connection_wait_for_memory_without_stopping_one_another() {
    let http = HttpOptions { request_memory_bytes: 900 << 10, ..HttpOptions::default() };
    let running = start_with(ServerOptions { http, ..options() }, store());
    let body = "x".repeat(300 << 10);
    block_on(async {
        let sender = connect(running.address).await;
        let requests: Vec<_> = (0..12)
            .map(|_| {
                let (mut sender, body) = (sender.clone(), body.clone());
                tokio::spawn(async move {
                    let reply = send(&mut sender, "POST", "/_test/body", &body).await;
                    (reply.status().as_u16(), read(reply.into_body()).await.unwrap().len())
                })
            })
            .collect();
        for request in requests {
            assert_eq!(request.await.unwrap(), (200, body.len()));
        }
    });
}

#[test]
fn a_wish_for_an_upgrade_is_answered_on_http1() {
    let running = start();
    let mut client = running.client();
    for headers in [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
        "Connection: Upgrade\r\nUpgrade: h2c\r\n",
        "Connection: Upgrade\r\nUpgrade: websocket\r\n",
    ] {
        assert_eq!(client.request("GET", "/_api/version", headers, b"").status, 200, "{headers}");
    }
}
