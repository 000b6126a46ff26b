//! The interface through which HTTP calls the server. The composition root implements it with its
//! services.

use std::sync::Arc;

use database::{Identity, Interrupt, MemoryAccount};
use errors::Result;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::activities::Activities;
use super::forward::HomeServer;
use super::response::Response;
use super::waits::Readiness;

/// The header of a request that should run in the background.
///
/// `true` discards the reply; `store` keeps it until it is fetched.
const ASYNC: HeaderName = HeaderName::from_static("x-arango-async");

/// The server's services for HTTP.
pub(crate) trait Services: Send + Sync {
    /// Identifies the client of a request. Errors: 401 if it cannot be identified.
    fn identify(&self, headers: &HeaderMap, path: &str) -> Result<Identified>;

    /// Returns the user whose name a verified certificate has; `None` if there is no such active
    /// user, or requests need none.
    fn identify_by_name(&self, name: &str) -> Option<Identity>;

    /// Returns the header by which the other servers of the same store identify a client; `None`
    /// without other servers, or if requests need no user.
    ///
    /// Errors: 11 for a client whom they cannot identify by the secret that they share; 4.
    fn authorization_elsewhere(&self, identity: &Identity) -> Result<Option<HeaderValue>>;

    /// Returns true unless the token in a request's headers is for other paths only.
    fn allows(&self, headers: &HeaderMap, path: &str) -> bool;

    /// Returns the name that a client gives while authentication is off.
    fn claimed_name(&self, headers: &HeaderMap) -> Option<Arc<str>>;

    /// Returns the list of requests on the worker pool.
    fn activities(&self) -> &Arc<Activities>;

    /// Records a request: its method, its path and its database.
    fn record(&self, call: [&str; 3]);

    /// Returns the server that an object in the memory of one server belongs to, by its number.
    fn home_server(&self, object: u64) -> HomeServer;

    /// Returns the first of the living servers that share the store.
    fn first_server(&self) -> HomeServer;

    /// Returns true if entries of the log name the request during which they are made.
    fn logs_requests(&self) -> bool;

    /// Returns the account to which the work of requests is charged.
    fn work_memory(&self) -> &Arc<MemoryAccount>;

    /// Accepts a request that runs in the background.
    ///
    /// Only `user` may fetch its reply; every client may if it is `None`.
    fn run_later(&self, user: Option<Arc<str>>, mode: AsyncMode, work: LaterWork) -> Result<Response>;
}

/// The result of identifying a client.
pub(crate) enum Identified {
    /// The identity is known.
    Known(Identity),
    /// The keys of an issuer are being fetched, without which its token cannot be verified.
    ///
    /// Errors of the check: 401, 403; 503 if the keys cannot be had.
    AfterKeys {
        /// Completes once the fetch has ended.
        fetched: Readiness,
        /// The check, which takes microseconds.
        check: Box<dyn FnOnce() -> Result<Identity> + Send>,
    },
    /// A password must be checked. That takes long, so it runs on the worker pool. Errors: 401 if
    /// the password is wrong.
    ByPassword {
        /// The name that the client gives.
        user: Box<str>,
        /// The check.
        check: Box<dyn FnOnce() -> Result<Identity> + Send>,
    },
}

/// The work of a background request. Killing the interrupt ends its queries.
pub(crate) type LaterWork = Box<dyn FnOnce(Option<&Interrupt>) -> Result<Response> + Send>;

/// The mode of a background request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsyncMode {
    /// Discard the reply.
    Forget,
    /// Keep the reply until it is fetched.
    Store,
}

impl AsyncMode {
    /// Returns the mode that the request's header asks for.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        match headers.get(ASYNC)?.as_bytes() {
            b"true" => Some(AsyncMode::Forget),
            b"store" => Some(AsyncMode::Store),
            // ArangoDB reads every other text as "no".
            _ => None,
        }
    }
}
