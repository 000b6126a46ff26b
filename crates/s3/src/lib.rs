//! Object storage with the interface of Amazon S3, over the HTTP client that the tools share.
//!
//! A [`Bucket`] has the [`objects`] below one prefix. [`signature`] signs requests (Signature
//! Version 4), [`request`] sends them and retries, [`upload`] sends large files in parts, and
//! [`download`] continues where a connection broke. Calls block, so they belong on threads.

mod error;
mod xml;
mod options;
mod bucket;
mod signature;
mod request;
mod download;
mod objects;
mod upload;
#[cfg(test)]
mod tests;

pub use bucket::Bucket;
pub use error::{Error, Result};
pub use objects::{Listing, Object};
pub use options::{BucketOptions, Credentials, environment};

/// A function that hears of the bytes of each piece, and may end the transfer.
pub type Note<'a> = &'a mut dyn FnMut(u64) -> std::io::Result<()>;
