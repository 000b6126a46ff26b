//! What a route works through: one database, seen by one user, and the server around it.

use std::ops::Deref;
use std::sync::Arc;

use database::Interrupt;

use crate::server::Server;

/// A database's session, and the server.
#[derive(Clone)]
pub struct Session {
    server: Arc<Server>,
    inner: database::Session,
}

impl Session {
    pub(crate) fn new(server: Arc<Server>, inner: database::Session) -> Self {
        Session { server, inner }
    }

    /// The same session, whose queries end when `interrupt` is killed.
    pub(crate) fn ended_by(self, interrupt: Interrupt) -> Self {
        Session { inner: self.inner.ended_by(interrupt), ..self }
    }

    /// The server: metrics, jobs, log, configuration.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }
}

impl Deref for Session {
    type Target = database::Session;

    fn deref(&self) -> &database::Session {
        &self.inner
    }
}
