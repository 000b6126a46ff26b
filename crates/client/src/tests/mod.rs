//! Guarantees to the tools: replies of any size, idle connections, limits, and clear errors.

mod direct;
mod endpoints;
mod replies;
mod retries;
mod server;
mod tls;

use std::time::Duration;

use crate::{Client, ClientOptions, Endpoint};

/// Returns the options of a client with short time limits.
fn options(endpoint: &str) -> ClientOptions {
    let mut options = ClientOptions::new(Endpoint::parse(endpoint).unwrap());
    options.request_timeout = Duration::from_secs(5);
    options.retries.first_pause = Duration::from_millis(1);
    options
}

fn client(endpoint: &str) -> Client {
    Client::new(options(endpoint)).unwrap()
}
