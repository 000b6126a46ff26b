//! Tests of the server's behaviour on the wire, against servers in this process.

// The lint does not recognize test helpers as tests.
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
mod openapi;
mod servers;
mod shutdown;
mod transactions;
