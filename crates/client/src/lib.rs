//! The HTTP client that all tools share: blocking, made for threads.
//!
//! A [`Client`] is one server as one user sees it, cheap to clone and shared by threads; each request takes a kept
//! connection or opens one. hyper speaks HTTP; below it, instead of an asynchronous runtime, is one socket that the
//! calling thread waits for (`connection`), so that a small request costs four system calls and time-outs cost none.

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

pub use client::Client;
pub use endpoint::Endpoint;
pub use error::{Error, Result, ServerError};
pub use options::{ClientOptions, Credentials, RetryOptions, TlsOptions, TlsVersions};
pub use request::{Request, encode_segment};
pub use response::Response;
pub use stream::StreamedResponse;

#[cfg(test)]
mod tests;
