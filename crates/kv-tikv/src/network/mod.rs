//! The seam between this crate and a cluster: messages to addresses.
//!
//! The real network speaks gRPC. The mock cluster of tests answers from memory, and loses, delays
//! and misdirects messages on request.

mod connection;
mod counted;
mod encryption_probe;
mod grpc;
mod pulse;
mod tls;

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

pub(crate) use counted::Counted;
pub(crate) use grpc::GrpcNetwork;
pub use tls::TlsFiles;

/// A result that is awaited.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The processes of a cluster.
pub(crate) trait Network: Send + Sync + 'static {
    /// Sends a message to the process at `address` (`HOST:PORT`), and returns its reply.
    fn call<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
        message: Bytes,
    ) -> Pending<'a, Result<Bytes, Fault>>;

    /// Opens a stream of messages. Each has one reply.
    fn open<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
    ) -> Pending<'a, Result<Box<dyn Exchange>, Fault>>;
}

/// A stream of messages and replies.
pub(crate) trait Exchange: Send {
    /// Sends a message and returns its reply.
    fn exchange(&mut self, message: Bytes) -> Pending<'_, Result<Bytes, Fault>>;
}

/// The failure of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process cannot be reached. It has not received the message. The caller names it.
    Unreachable(String),
    /// The process does not know the method.
    Unimplemented(String),
    /// There is no reply. The process may have received the message and acted on it.
    Lost(String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Unreachable(reason) => write!(formatter, "not reachable: {reason}"),
            Fault::Unimplemented(reason) => write!(formatter, "not able to do this: {reason}"),
            Fault::Lost(reason) => write!(formatter, "not answering: {reason}"),
        }
    }
}
