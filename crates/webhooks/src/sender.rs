//! One delivery.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use client::{DirectClient, DirectRequest};

use crate::allow::AllowList;
use crate::lookup::Lookups;
use crate::secret::Secret;
use crate::target::Target;

/// The time limit of a delivery: lookup, connection, request and the head of the reply.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends deliveries. It is shared by threads.
#[derive(Debug)]
pub struct Sender {
    allowed: AllowList,
    lookups: Lookups,
    client: DirectClient,
    user_agent: String,
    /// Ends deliveries in progress.
    stop: Arc<AtomicBool>,
}

/// A request to a receiver.
#[derive(Clone, Debug)]
pub struct Delivery<'a> {
    /// The receiver.
    pub target: &'a Target,
    /// The key of the signature; without it there is none.
    pub secret: Option<&'a Secret>,
    /// Further headers, which [`crate::check_headers`] has accepted.
    pub headers: &'a [(String, String)],
    /// The identifier of the message, which is the same in all attempts.
    pub id: &'a str,
    /// The type of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
}

/// The outcome of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver has taken it: status 200 to 299.
    Delivered {
        /// The status.
        status: u16,
    },
    /// The receiver wants no further deliveries: status 410.
    Gone,
    /// Another attempt may succeed.
    Failed {
        /// The status, if there was a reply.
        status: Option<u16>,
        /// The reason.
        reason: String,
        /// The pause that the receiver asks for.
        retry_after: Option<Duration>,
    },
}

impl Outcome {
    fn failed(reason: impl Into<String>) -> Outcome {
        Outcome::Failed { status: None, reason: reason.into(), retry_after: None }
    }

    /// Judges a reply.
    fn of_reply(status: u16, retry_after: Option<&str>) -> Outcome {
        let reason = match status {
            200..=299 => return Outcome::Delivered { status },
            410 => return Outcome::Gone,
            300..=399 => format!("the receiver redirects with status {status}, which is not followed"),
            _ => format!("the receiver answers with status {status}"),
        };
        // The other form, a date, depends on the clocks of both sides.
        let seconds = retry_after.and_then(|text| text.trim().parse().ok());
        Outcome::Failed { status: Some(status), reason, retry_after: seconds.map(Duration::from_secs) }
    }
}

impl Sender {
    /// Returns a sender. Setting `stop` ends deliveries within milliseconds.
    pub fn new(allowed: AllowList, user_agent: &str, stop: Arc<AtomicBool>) -> Self {
        Sender {
            allowed,
            lookups: Lookups::default(),
            client: DirectClient::default(),
            user_agent: user_agent.to_owned(),
            stop,
        }
    }

    /// Checks that a receiver may be reached now.
    ///
    /// Errors: the reason why not.
    pub fn check(&self, target: &Target) -> Result<(), String> {
        self.addresses(target, Instant::now() + TIMEOUT).map(drop)
    }

    fn addresses(&self, target: &Target, deadline: Instant) -> Result<Vec<SocketAddr>, String> {
        let addresses = self.lookups.addresses(target.host(), target.port(), deadline)?;
        let plain: Vec<IpAddr> = addresses.iter().map(SocketAddr::ip).collect();
        self.allowed.check(target, &plain)?;
        Ok(addresses)
    }

    /// Sends a delivery.
    pub fn send(&self, delivery: &Delivery<'_>) -> Outcome {
        let deadline = Instant::now() + TIMEOUT;
        let target = delivery.target;
        let addresses = match self.addresses(target, deadline) {
            Ok(addresses) => addresses,
            Err(reason) => return Outcome::failed(reason),
        };
        let Some(headers) = self.headers(delivery) else {
            return Outcome::failed("the delivery cannot be signed");
        };
        let request = DirectRequest {
            host: target.host(),
            authority: &target.authority(),
            addresses: &addresses,
            is_encrypted: target.is_encrypted(),
            target: target.path(),
            headers: &headers,
            body: delivery.body.clone(),
            deadline,
            interrupt: Some(Arc::clone(&self.stop)),
        };
        match self.client.post(&request) {
            Ok(reply) => Outcome::of_reply(reply.status, reply.retry_after.as_deref()),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }

    fn headers(&self, delivery: &Delivery<'_>) -> Option<Vec<(String, String)>> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let timestamp = since.as_secs();
        let mut headers = delivery.headers.to_vec();
        let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
        add("content-type", delivery.content_type.to_owned());
        add("user-agent", self.user_agent.clone());
        add("webhook-id", delivery.id.to_owned());
        add("webhook-timestamp", timestamp.to_string());
        if let Some(secret) = delivery.secret {
            add("webhook-signature", secret.sign(delivery.id, timestamp, &delivery.body)?);
        }
        Some(headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_is_a_success() {
        for status in [200, 201, 204, 299] {
            assert_eq!(Outcome::of_reply(status, None), Outcome::Delivered { status });
        }
        assert_eq!(Outcome::of_reply(410, None), Outcome::Gone);
        for status in [100, 199, 301, 302, 307, 400, 404, 429, 500, 503] {
            let outcome = Outcome::of_reply(status, Some("7"));
            let Outcome::Failed { status: Some(failed), retry_after, .. } = outcome else {
                panic!("{outcome:?}")
            };
            assert_eq!((failed, retry_after), (status, Some(Duration::from_secs(7))));
        }
    }

    #[test]
    fn addresses_that_are_not_allowed_are_not_reached() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let sender = Sender::new(AllowList::default(), "test", Arc::default());
        let port = listener.local_addr().unwrap().port();
        for url in [format!("http://127.0.0.1:{port}/"), format!("https://localhost:{port}/")] {
            let target = Target::parse(&url).unwrap();
            sender.check(&target).unwrap_err();
            let delivery = Delivery {
                target: &target,
                secret: None,
                headers: &[],
                id: "1",
                content_type: "application/json",
                body: Bytes::new(),
            };
            assert!(matches!(sender.send(&delivery), Outcome::Failed { status: None, .. }));
        }
        assert!(listener.accept().is_err(), "nobody has connected");
    }
}
