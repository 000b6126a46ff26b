//! The origin of a script: its user, and the client and transaction that it runs for.

use std::net::SocketAddr;
use std::sync::Arc;

use database::{Identity, Interrupt, Session};
use hyper::header::{AUTHORIZATION, HeaderValue};

use crate::http::request::{Request, RequestMemory};
use crate::route::batch::PartServices;

/// The origin of a script.
#[derive(Clone)]
pub(in crate::route) struct Origin {
    /// The routes for its requests.
    pub(in crate::route) parts: Arc<PartServices>,
    /// The session of its user. Its interrupt ends the script.
    pub(in crate::route) session: Session,
    /// The transaction that its requests are parts of.
    pub(in crate::route) transaction: Option<u64>,
    /// The address of the client that waits for it.
    pub(in crate::route) client: Option<SocketAddr>,
    /// The memory of that client's request.
    pub(in crate::route) memory: Option<Arc<RequestMemory>>,
    /// The token of a user whom an issuer identifies. Only that proves the user's rights to other
    /// servers.
    pub(in crate::route) token: Option<HeaderValue>,
}

impl Origin {
    /// Returns the origin of a script that runs for a request, and ends with its client.
    pub(in crate::route) fn of_request(
        parts: &Arc<PartServices>,
        session: &Session,
        request: &Request,
    ) -> Self {
        let session = session.clone().ended_by(session.part_interrupt());
        let token = match session.identity() {
            Identity::External(_) => request.headers().get(AUTHORIZATION).cloned(),
            _ => None,
        };
        let (client, memory) = (request.client(), request.memory.clone());
        Origin { client, memory, token, ..Self::of_work(Arc::clone(parts), session) }
    }

    /// Returns the origin of a script that no client waits for.
    pub(in crate::route) fn of_work(parts: Arc<PartServices>, session: Session) -> Self {
        Origin { parts, session, transaction: None, client: None, memory: None, token: None }
    }

    /// Returns the interrupt that ends the script.
    pub(in crate::route) fn interrupt(&self) -> Interrupt {
        self.session.interrupt().cloned().unwrap_or_default()
    }
}
