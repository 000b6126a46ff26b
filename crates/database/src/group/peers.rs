//! Messages of the elections to the other members, over HTTP.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use client::{Client, ClientOptions, Credentials, Endpoint, Request, RetryOptions, TlsOptions};
use elections::{MESSAGE_MAX, Member, Transport};

use crate::state::group::MakeToken;

/// The route that takes messages.
const MESSAGE: &str = "/_api/group/message";
const CONTENT_TYPE: &str = "application/octet-stream";
/// Time limits of clients: each request takes the least one that suffices.
const LIMITS_MS: [u64; 6] = [100, 250, 500, 1_000, 5_000, 60_000];
/// Maximum number of clients that are kept. Beyond them, all are made anew.
const CLIENTS_MAX: usize = 256;

/// The connections to the other members.
pub(super) struct Peers {
    make_token: MakeToken,
    authorities: Option<PathBuf>,
    clients: Mutex<HashMap<Key, Client>>,
}

/// The parts of a client that differ: endpoint, token, and time limit.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    endpoint: String,
    token: Option<String>,
    limit: Duration,
}

impl Peers {
    pub(super) fn new(authorities: Option<PathBuf>, make_token: MakeToken) -> Self {
        Peers { make_token, authorities, clients: Mutex::default() }
    }

    fn client(&self, key: Key) -> Result<Client, String> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let endpoint = Endpoint::parse(&key.endpoint).map_err(|error| error.to_string())?;
        let client = Client::new(ClientOptions {
            credentials: key.token.clone().map_or(Credentials::None, Credentials::Token),
            connection_timeout: key.limit,
            request_timeout: key.limit,
            max_response_bytes: MESSAGE_MAX,
            retries: RetryOptions { count: 0, ..RetryOptions::default() },
            tls: TlsOptions { authorities: self.authorities.clone(), ..TlsOptions::default() },
            ..ClientOptions::new(endpoint)
        });
        let client = client.map_err(|error| error.to_string())?;
        if clients.len() >= CLIENTS_MAX {
            clients.clear();
        }
        clients.insert(key, client.clone());
        Ok(client)
    }
}

impl Transport for Peers {
    fn call(&self, to: &Member, message: Vec<u8>, timeout: Duration) -> Result<Vec<u8>, String> {
        let limits = LIMITS_MS.into_iter().map(Duration::from_millis);
        let limit = limits.filter(|limit| *limit >= timeout).min().unwrap_or(timeout);
        let token = (self.make_token)().map_err(|error| error.to_string())?;
        let client = self.client(Key { endpoint: to.endpoint.clone(), token, limit })?;
        let request = Request::post(MESSAGE).body(CONTENT_TYPE, message);
        let reply = client.call(&request).map_err(|error| error.to_string())?;
        Ok(reply.into_body().to_vec())
    }
}
