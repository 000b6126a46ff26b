//! The client: requests and their retries.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::RetryOptions;
use crate::error::{Error, Result};
use crate::exchange::{Exchange, Failure};
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;
use crate::stream::StreamedResponse;

/// HTTP's status of an overloaded server.
const UNAVAILABLE: u16 = 503;

/// A server as one user sees it.
///
/// It is cheap to clone. Any number of threads may use it concurrently; each has a connection of
/// its own while it waits for a reply.
#[derive(Clone)]
pub struct Client {
    exchange: Arc<Exchange>,
}

impl Client {
    /// Returns a client. It sends nothing before the first request.
    pub fn new(options: ClientOptions) -> Result<Self> {
        Ok(Client { exchange: Arc::new(Exchange::new(options)?) })
    }

    /// Returns the options of the client.
    pub fn options(&self) -> &ClientOptions {
        &self.exchange.options
    }

    /// Returns a client of the same server and user with another default database.
    pub fn with_database(&self, name: &str) -> Result<Self> {
        Client::new(ClientOptions { database: name.to_owned(), ..self.exchange.options.clone() })
    }

    /// Makes a request and reads the whole reply, whatever its status.
    pub fn send(&self, request: &Request) -> Result<Response> {
        self.repeat(request, Response::status, || self.exchange.whole(request))
    }

    /// Makes a request and reads the whole reply; a status of 400 or more is an error.
    pub fn call(&self, request: &Request) -> Result<Response> {
        self.send(request)?.success()
    }

    /// Makes a request and returns the reply, whatever its status, before its body is read.
    pub fn stream(&self, request: &Request) -> Result<StreamedResponse> {
        self.repeat(request, StreamedResponse::status, || {
            let (connection, reply) = self.exchange.head(request)?;
            StreamedResponse::new(Arc::clone(&self.exchange), request, connection, reply)
                .map_err(|error| Failure { error, was_sent: true })
        })
    }

    fn is_interrupted(&self) -> bool {
        self.options().interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Retries an attempt, with growing pauses, as long as that is harmless.
    fn repeat<T>(
        &self,
        request: &Request,
        status: impl Fn(&T) -> u16,
        mut attempt: impl FnMut() -> std::result::Result<T, Failure>,
    ) -> Result<T> {
        let RetryOptions { count, first_pause, max_pause } = self.exchange.options.retries;
        let mut pause = first_pause;
        let mut left = count;
        loop {
            let outcome = attempt();
            let again = match &outcome {
                Ok(reply) => request.is_repeatable && status(reply) == UNAVAILABLE,
                Err(Failure { error: Error::Connect { .. } | Error::Broken { .. }, was_sent }) => {
                    request.is_repeatable || !was_sent
                }
                Err(_) => false,
            };
            if !again || left == 0 || self.is_interrupted() {
                return outcome.map_err(|failure| failure.error);
            }
            left -= 1;
            std::thread::sleep(pause);
            pause = (pause * 2).min(max_pause);
        }
    }
}
