//! What the server promises on the wire, tried on servers that run in this process.

// Helpers of tests are tests to us, if not to the lint.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]

mod admin;
mod authentication;
mod client;
mod formats;
mod harness;
mod http1;
mod http2;
mod jobs;
mod limits;
mod shutdown;
