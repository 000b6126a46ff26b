//! The origin of a script: its user, and the client and transaction that it runs for.

use std::net::SocketAddr;
use std::sync::Arc;

use database::{Interrupt, Session};

use crate::http::request::{Request, RequestMemory};
use crate::route::batch::PartServices;

/// The origin of a script.
#[derive(Clone)]
pub(super) struct Origin {
    /// The routes for its requests.
    pub(super) parts: Arc<PartServices>,
    /// The session of its user. Its interrupt ends the script.
    pub(super) session: Session,
    /// The transaction that its requests are parts of.
    pub(super) transaction: Option<u64>,
    /// The address of the client that waits for it.
    pub(super) client: Option<SocketAddr>,
    /// The memory of that client's request.
    pub(super) memory: Option<Arc<RequestMemory>>,
}

impl Origin {
    /// Returns the origin of a script that runs for a request, and ends with its client.
    pub(super) fn of_request(parts: &Arc<PartServices>, session: &Session, request: &Request) -> Self {
        let session = session.clone().ended_by(session.part_interrupt());
        let (parts, memory) = (Arc::clone(parts), request.memory.clone());
        Origin { parts, session, transaction: None, client: request.client(), memory }
    }

    /// Returns the interrupt that ends the script.
    pub(super) fn interrupt(&self) -> Interrupt {
        self.session.interrupt().cloned().unwrap_or_default()
    }
}
