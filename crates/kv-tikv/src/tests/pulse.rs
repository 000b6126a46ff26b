//! Late replies of a slow process, and of one that is lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Response};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::network::{Fault, GrpcNetwork, Network};

/// A time that no message of these tests may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The time after which the slow process replies. A client looks for signs of life before it.
const SLOWNESS: Duration = Duration::from_millis(2500);

/// Sends some concurrent messages to a process that treats its connection in this way.
fn call<F: Future<Output = ()> + Send + 'static>(
    messages: usize,
    serve: impl Fn(TcpStream) -> F + Send + 'static,
) -> Vec<Result<Bytes, Fault>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream));
            }
        });
        let network = Arc::new(GrpcNetwork::new(None, TIMEOUT));
        let mut replies = JoinSet::new();
        for _ in 0..messages {
            let (network, address) = (Arc::clone(&network), address.clone());
            replies.spawn(async move {
                network.call(&address, "/test.Test/Echo", Bytes::from_static(b"a message")).await
            });
        }
        replies.join_all().await
    })
}

/// Replies after some time. Answers PINGs until then.
async fn serve_slowly(stream: TcpStream) {
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    while let Some(Ok((_, mut reply))) = connection.accept().await {
        tokio::spawn(async move {
            // Time is what is tested.
            tokio::time::sleep(SLOWNESS).await;
            let mut reply = reply.send_response(Response::new(()), false).unwrap();
            reply.send_data(Bytes::from_static(b"\0\0\0\0\x05reply"), false).unwrap();
            let status = HeaderMap::from_iter([("grpc-status".parse().unwrap(), "0".parse().unwrap())]);
            reply.send_trailers(status).unwrap();
        });
    }
}

/// A connection from which nobody reads.
type Silent = h2::server::Connection<TcpStream, Bytes>;

/// Takes the first bytes of a connection, and nothing more.
async fn fall_silent(stream: TcpStream) {
    let _connection: Result<Silent, _> = h2::server::handshake(stream).await;
    tokio::time::sleep(2 * TIMEOUT).await;
}

#[test]
fn a_slow_process_is_awaited() {
    assert_eq!(call(2, serve_slowly), vec![Ok(Bytes::from_static(b"reply")); 2]);
}

#[test]
fn a_silent_process_is_given_up_long_before_the_time_out() {
    let begin = Instant::now();
    let replies = call(4, fall_silent);
    let are_lost = replies.iter().all(|reply| matches!(reply, Err(Fault::Lost(_))));
    assert!(are_lost && format!("{replies:?}").contains("no sign of life"), "{replies:?}");
    assert!(begin.elapsed() < TIMEOUT / 2, "{:?}", begin.elapsed());
}
