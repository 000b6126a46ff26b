//! All sessions of shells: found by their ids, limited in number, and ended after their idle time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use database::{LocalIds, Owner, Session};
use errors::{Error, ErrorCode, Result};

use super::session::{ShellSession, not_found};

/// Maximum number of sessions of the server.
const MAX_OPEN: usize = 16;

/// Maximum number of sessions of one user. A further one ends the one that was used the longest
/// ago.
const MAX_OF_USER: usize = 4;

/// The time without an input after which a session ends.
const IDLE_TIME: Duration = Duration::from_secs(600);

/// The random bits of an id, which leave room for the number of the server.
const RANDOM_BITS: u32 = 56;

/// The open sessions. All methods may be called from many threads.
pub(crate) struct ShellSessions {
    ids: LocalIds,
    table: Mutex<HashMap<u64, Arc<ShellSession>>>,
}

impl ShellSessions {
    /// Returns the sessions of a server that has opened none yet.
    pub(crate) fn new(ids: LocalIds) -> Self {
        ShellSessions { ids, table: Mutex::default() }
    }

    /// Opens a session of a user in a database, and returns its id. Errors: 32.
    pub(super) fn open(&self, session: &Session) -> Result<u64> {
        self.make_room(&session.owner())?;
        let opened = Arc::new(ShellSession::new(session)?);
        let id = self.ids.id(random()?);
        self.table().insert(id, opened);
        Ok(id)
    }

    /// Returns a session. Errors: 404 if the caller has none with this id, or no longer.
    pub(super) fn find(&self, id: &str, caller: &Owner) -> Result<Arc<ShellSession>> {
        self.find_with_id(id, caller).map(|(_, shell)| shell)
    }

    /// Ends a session. A running input still runs to its end. Errors: 404.
    pub(super) fn close(&self, id: &str, caller: &Owner) -> Result<()> {
        let (id, _) = self.find_with_id(id, caller)?;
        self.table().remove(&id);
        Ok(())
    }

    fn find_with_id(&self, id: &str, caller: &Owner) -> Result<(u64, Arc<ShellSession>)> {
        let id = id.parse().map_err(|_| not_found())?;
        let table = self.table();
        let found = table.get(&id).filter(|shell| shell.owner == *caller && !shell.is_lost());
        Ok((id, Arc::clone(found.ok_or_else(not_found)?)))
    }

    /// Ends the sessions that nobody uses any more.
    pub(crate) fn expire(&self) {
        self.table()
            .retain(|_, shell| !shell.is_lost() && (shell.is_busy() || shell.used().elapsed() < IDLE_TIME));
    }

    /// Makes room for a session of a user. Errors: 32.
    fn make_room(&self, owner: &Owner) -> Result<()> {
        let mut table = self.table();
        table.retain(|_, shell| !shell.is_lost());
        let own = table.iter().filter(|(_, shell)| shell.owner.user == owner.user);
        let count = own.clone().count();
        let oldest = own.min_by_key(|(_, shell)| shell.used()).map(|(id, _)| *id);
        match oldest {
            Some(id) if count >= MAX_OF_USER => {
                table.remove(&id);
            }
            _ if table.len() >= MAX_OPEN => {
                let message = format!("resource limit exceeded: there are already {MAX_OPEN} shell sessions");
                return Err(Error::new(ErrorCode::ResourceLimit, message));
            }
            _ => {}
        }
        Ok(())
    }

    /// Locks the table. No code that can panic runs under this lock.
    fn table(&self) -> MutexGuard<'_, HashMap<u64, Arc<ShellSession>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number that no earlier server has used: a page may ask for the session of a server
/// before this.
fn random() -> Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(u64::from_le_bytes(bytes) >> (u64::BITS - RANDOM_BITS))
}
