//! The HTTP client that all tools share: blocking, made for threads.
//!
//! A [`Client`] is one server as one user sees it. It is cheap to clone and shared by threads. Each
//! request takes an idle connection or opens one. hyper speaks HTTP. Below it there is no
//! asynchronous runtime, but one socket that the calling thread waits for (`connection`). So a
//! small request costs four system calls and time-outs cost none.

mod certificate;
mod client;
mod connection;
mod encoding;
mod endpoint;
mod error;
mod exchange;
mod options;
mod request;
mod response;
mod socket;
mod stream;
mod tls;
mod token;

pub use certificate::Certificate;
pub use client::Client;
pub use endpoint::Endpoint;
pub use error::{Error, Result, ServerError};
pub use options::{ClientOptions, Credentials, RetryOptions, TlsOptions, TlsVersions};
pub use request::{Request, encode_segment};
pub use response::Response;
pub use stream::StreamedResponse;

#[cfg(test)]
mod tests;
