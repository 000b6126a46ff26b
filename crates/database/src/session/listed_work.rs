//! Work that computes like a query but has no text of its own: writes of documents with computed
//! values or a schema, and definitions that read all documents. It is in the list of running
//! queries, where its user or an administrator finds and kills it.

use std::sync::Arc;
use std::time::Instant;

use aql_value::Owner;
use errors::Result;

use crate::session::Session;
use crate::state::query_registry::{NewQuery, Registration};

/// The bind variables of such work: an empty object.
const NO_VARIABLES: &[u8] = &[0x0a];

/// Work that is listed until this is dropped.
#[derive(Debug)]
pub(crate) struct ListedWork {
    owner: Owner,
    _registration: Registration,
}

impl ListedWork {
    /// Returns the owner of what is computed.
    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Checks that nobody has ended the work. Errors: 1500.
    pub(crate) fn check(&self) -> Result<()> {
        self.owner.interrupt.check()
    }
}

impl Session {
    /// Lists work under a text. It ends when a query of the session would end, or is killed.
    pub(crate) fn list_work(&self, text: &str) -> ListedWork {
        let interrupt = self.query_interrupt(None);
        let memory = self.query_account(0);
        let registration = self.instance().queries().register(NewQuery {
            database: Arc::clone(self.database_name()),
            user: self.user().cloned().unwrap_or_default(),
            text,
            bind_variables: NO_VARIABLES,
            began: Instant::now(),
            stream: false,
            is_query: false,
            interrupt: interrupt.clone(),
            memory: Arc::clone(&memory),
        });
        registration.query().set_planned(true);
        ListedWork { owner: Owner { interrupt, memory }, _registration: registration }
    }
}
