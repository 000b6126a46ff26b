//! The HTTP client that all tools share: blocking, made for threads.
//!
//! A [`Client`] is one server as one user sees it. It is cheap to clone and shared by threads. Each
//! request takes an idle connection or opens one. hyper speaks HTTP. Below it there is no
//! asynchronous runtime, but one socket that the calling thread waits for (`connection`). So a
//! small request costs four system calls and timeouts cost none.

mod encoding;
mod error;
mod endpoint;
mod request;
mod response;
mod options;
mod tls;
mod token;
mod socket;
mod certificate;
mod connection;
mod exchange;
mod stream;
mod client;
mod direct;
mod fetch;
#[cfg(test)]
mod tests;

pub use certificate::Certificate;
pub use client::Client;
pub use direct::{DirectClient, DirectReply, DirectRequest};
pub use endpoint::Endpoint;
pub use error::{Error, Result, ServerError};
pub use fetch::{Fetch, Url, download, fetch};
pub use options::{ClientOptions, Credentials, RetryOptions, TlsOptions, TlsVersions};
pub use request::{Request, encode_segment};
pub use response::Response;
pub use stream::StreamedResponse;
