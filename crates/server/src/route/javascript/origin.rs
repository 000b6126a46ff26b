//! The origin of a script: its user, and the client and transaction that it runs for.

use std::net::SocketAddr;
use std::sync::Arc;

use database::{Interrupt, Session};

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
}

impl Origin {
    /// Returns the origin of a script that runs for a request, and ends with its client.
    pub(in crate::route) fn of_request(
        parts: &Arc<PartServices>,
        session: &Session,
        request: &Request,
    ) -> Self {
        let session = session.clone().ended_by(session.part_interrupt());
        let (parts, memory) = (Arc::clone(parts), request.memory.clone());
        Origin { parts, session, transaction: None, client: request.client(), memory }
    }

    /// Returns the interrupt that ends the script.
    pub(in crate::route) fn interrupt(&self) -> Interrupt {
        self.session.interrupt().cloned().unwrap_or_default()
    }
}
