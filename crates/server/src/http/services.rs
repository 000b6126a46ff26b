//! What HTTP asks of the server above it. The composition root answers from its services.

use std::sync::Arc;

use database::{Identity, Interrupt};
use errors::Result;
use hyper::header::{HeaderMap, HeaderName};

use super::response::Response;

/// `true`: run the request later and forget its reply; `store`: keep the reply until it is fetched.
const ASYNC: HeaderName = HeaderName::from_static("x-arango-async");

/// Answers what HTTP cannot know by itself.
pub(crate) trait Services: Send + Sync {
    /// Finds out who makes a request. Error 401 when nobody does.
    fn identify(&self, headers: &HeaderMap, path: &str) -> Result<Identified>;

    /// Notes that a request has come: its method, its path and its database.
    fn record(&self, call: [&str; 3]);

    /// Returns true if entries of the log name the request during which they are made.
    fn logs_requests(&self) -> bool;

    /// Accepts a request that runs later. `user` is who may fetch its reply; everybody may if there is none.
    fn run_later(&self, user: Option<Arc<str>>, mode: AsyncMode, work: LaterWork) -> Result<Response>;
}

/// Who makes a request.
pub(crate) enum Identified {
    /// It is known.
    Known(Identity),
    /// A password has to be checked. That takes long and runs on the worker pool. Error 401 when it is wrong.
    ByPassword(Box<dyn FnOnce() -> Result<Identity> + Send>),
}

/// The work of a request that runs later. Killing the interrupt ends its queries.
pub(crate) type LaterWork = Box<dyn FnOnce(Option<&Interrupt>) -> Result<Response> + Send>;

/// What `x-arango-async` asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsyncMode {
    /// Run the request later and forget its reply.
    Forget,
    /// Run it later and keep the reply until it is fetched.
    Store,
}

impl AsyncMode {
    /// What the request's header says.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        match headers.get(ASYNC)?.as_bytes() {
            b"true" => Some(AsyncMode::Forget),
            b"store" => Some(AsyncMode::Store),
            // ArangoDB takes every other text for "no".
            _ => None,
        }
    }
}
