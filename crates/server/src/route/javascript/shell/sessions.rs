//! All sessions of shells: found by their ids, limited in number, and ended after their idle time.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use database::{Owner, Session};
use errors::{Error, ErrorCode, Result};

use super::session::{ShellSession, not_found};

/// Maximum number of sessions of the server.
const MAX_OPEN: usize = 16;

/// Maximum number of sessions of one user. A further one ends the one that was used the longest
/// ago.
const MAX_OF_USER: usize = 4;

/// The time without an input after which a session ends.
const IDLE_TIME: Duration = Duration::from_secs(600);

/// The bytes of an id.
const ID_BYTES: usize = 16;

/// The open sessions. All methods may be called from many threads.
#[derive(Default)]
pub(crate) struct ShellSessions(Mutex<HashMap<String, Arc<ShellSession>>>);

impl ShellSessions {
    /// Opens a session of a user in a database, and returns its id. Errors: 32.
    pub(super) fn open(&self, session: &Session) -> Result<String> {
        self.make_room(&session.owner())?;
        let opened = Arc::new(ShellSession::new(session)?);
        let id = new_id()?;
        self.table().insert(id.clone(), opened);
        Ok(id)
    }

    /// Returns a session. Errors: 404 if the caller has none with this id, or no longer.
    pub(super) fn find(&self, id: &str, caller: &Owner) -> Result<Arc<ShellSession>> {
        let table = self.table();
        let found = table.get(id).filter(|shell| shell.owner == *caller && !shell.is_lost());
        found.cloned().ok_or_else(not_found)
    }

    /// Ends a session. A running input still runs to its end. Errors: 404.
    pub(super) fn close(&self, id: &str, caller: &Owner) -> Result<()> {
        self.find(id, caller)?;
        self.table().remove(id);
        Ok(())
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
        let oldest = own.min_by_key(|(_, shell)| shell.used()).map(|(id, _)| id.clone());
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
    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<ShellSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns an id that no earlier server has given: a page may ask for one of a server before this.
fn new_id() -> Result<String> {
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    let mut id = String::with_capacity(2 * ID_BYTES);
    for byte in bytes {
        write!(id, "{byte:02x}").map_err(Error::internal)?;
    }
    Ok(id)
}
