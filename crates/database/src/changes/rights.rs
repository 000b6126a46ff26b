//! The collections whose changes a user may see.

use std::collections::HashMap;

use catalog::{AccessLevel, CollectionId};
use errors::{Error, ErrorCode, Result};
use storage::{ChangeScope, ChangedCollection};

use crate::session::Session;

/// The collections that the user may read, as of one catalog.
#[derive(Default)]
pub(super) struct Rights {
    version: u64,
    readable: HashMap<(CollectionId, String), bool>,
    /// The last answer: most changes are of the collection of the one before.
    last: Option<(CollectionId, String, bool)>,
}

impl Rights {
    /// Follows the catalog.
    ///
    /// Errors: 11 without rights on the database, 1228 if it was dropped, 30 while the server
    /// stops.
    pub(super) fn refresh(&mut self, session: &Session, scope: ChangeScope) -> Result<()> {
        session.check_running()?;
        let catalog = session.catalog();
        if self.version == catalog.version() {
            return Ok(());
        }
        *self = Rights { version: catalog.version(), ..Rights::default() };
        match scope {
            ChangeScope::All | ChangeScope::Server => session.require_administrator()?,
            ChangeScope::Database(id) => {
                session.require_database(AccessLevel::ReadOnly)?;
                if session.database_in(&catalog)?.definition().id != id {
                    return Err(Error::of(ErrorCode::DatabaseNotFound));
                }
            }
        }
        Ok(())
    }

    /// Returns true if the user may read the collection of a change.
    pub(super) fn may_read(&mut self, session: &Session, collection: ChangedCollection<'_>) -> bool {
        if let Some((id, name, known)) = &self.last
            && (*id, name.as_str()) == (collection.id, collection.name)
        {
            return *known;
        }
        let answer = self.find(session, collection);
        self.last = Some((collection.id, collection.name.to_owned(), answer));
        answer
    }

    fn find(&mut self, session: &Session, collection: ChangedCollection<'_>) -> bool {
        let key = (collection.id, collection.name.to_owned());
        if let Some(known) = self.readable.get(&key) {
            return *known;
        }
        let is_readable = |name: &str| session.require_collection(name, AccessLevel::ReadOnly).is_ok();
        let catalog = session.catalog();
        // A collection that has another name now needs the rights on both.
        let present = session.database_in(&catalog).ok();
        let present = present.and_then(|database| database.collection_by_id(collection.id));
        let answer =
            is_readable(collection.name) && present.is_none_or(|present| is_readable(present.name()));
        self.readable.insert(key, answer);
        answer
    }
}
