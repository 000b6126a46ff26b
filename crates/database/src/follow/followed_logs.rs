//! The logs of other servers that clients have applied.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use errors::{Error, ErrorCode, Result};

use super::applier::{Applier, CopiedState};
use super::entry::TailBody;
use super::position::AppliedPosition;
use crate::session::Session;

/// Maximum number of servers whose logs are applied.
const SOURCES_MAX: usize = 16;
/// Maximum length of a server's name.
const SOURCE_MAX_BYTES: usize = 64;

/// The appliers, by the names of their servers. Each keeps the transactions that have not ended
/// from one part of a log to the next.
#[derive(Default)]
pub struct FollowedLogs {
    appliers: Mutex<HashMap<String, Arc<Mutex<Applier>>>>,
}

impl FollowedLogs {
    /// Applies the next part of a server's log. Returns the number of its entries, and how far the
    /// log is applied.
    ///
    /// Errors: 11 for users who are no administrators, 10 for the name of the server, 32 for too
    /// many servers, those of [`Applier::apply`].
    pub fn apply(
        &self,
        session: &Session,
        source: &str,
        begin: CopiedState,
        body: TailBody<'_>,
    ) -> Result<(u64, AppliedPosition)> {
        check(session, source)?;
        let applier = self.applier(session, source, begin)?;
        let mut applier = applier.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = applier.apply(body)?;
        Ok((entries, applier.position()))
    }

    /// Returns how far a server's log is applied; `None` if nothing is.
    ///
    /// Errors: 11, 10.
    pub fn position(&self, session: &Session, source: &str) -> Result<Option<AppliedPosition>> {
        check(session, source)?;
        AppliedPosition::read(session.instance().store(), source)
    }

    /// Forgets a server's log. Its entries stay applied.
    ///
    /// Errors: 11, 10.
    pub fn forget(&self, session: &Session, source: &str) -> Result<()> {
        check(session, source)?;
        self.lock().remove(source);
        AppliedPosition::remove(session.instance().store(), source)
    }

    fn applier(&self, session: &Session, source: &str, begin: CopiedState) -> Result<Arc<Mutex<Applier>>> {
        let mut appliers = self.lock();
        if let Some(applier) = appliers.get(source) {
            return Ok(Arc::clone(applier));
        }
        if appliers.len() >= SOURCES_MAX {
            let message = format!("the logs of {SOURCES_MAX} servers are being applied already");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        let applier = Applier::open(Arc::clone(session.instance()), source, begin)?;
        let applier = Arc::new(Mutex::new(applier));
        appliers.insert(source.to_owned(), Arc::clone(&applier));
        Ok(applier)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<Applier>>>> {
        self.appliers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check(session: &Session, source: &str) -> Result<()> {
    session.require_administrator()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if source.is_empty() || source.len() > SOURCE_MAX_BYTES || !source.bytes().all(is_plain) {
        return Err(Error::bad_parameter(format!(
            "'source' must have 1 to {SOURCE_MAX_BYTES} letters, digits or characters of '_-.'"
        )));
    }
    Ok(())
}
