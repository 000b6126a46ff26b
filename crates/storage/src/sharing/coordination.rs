//! The coordination of the servers that use one store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use errors::{Error, Result};
use kv::{Engine, MemberNumber, Sharing, Snapshot, WriteTransaction};

use super::members::{Announced, Members, announced};
use crate::base::conflicts::repeat_on_conflict;
use crate::encoding::pack;

/// The wait for the other servers after a change of definitions ends this long after the longest
/// lease of a server that has fallen silent. All servers have the same lease.
const WAIT_AFTER_LEASE: Duration = Duration::from_secs(5);

/// The same wait at most, however long a lease is.
const FOLLOW_WAIT_MAX: Duration = Duration::from_secs(305);

/// The servers that use one store. A server that is alone has nothing to announce and nobody to
/// wait for.
#[derive(Clone, Debug)]
pub(crate) enum Coordination {
    /// Only this process can use the store.
    Alone,
    /// Several servers share the store.
    Several(Arc<Members>),
}

impl Coordination {
    /// Returns the coordination that the engine of a store needs.
    pub(crate) fn of(engine: &Arc<dyn Engine>) -> Self {
        Members::of(engine).map_or(Coordination::Alone, Coordination::Several)
    }

    /// Returns true if only this process can use the store.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self, Coordination::Alone)
    }

    /// Returns the servers that share the store; `None` for a server that is alone.
    pub(crate) fn members(&self) -> Option<&Arc<Members>> {
        match self {
            Coordination::Alone => None,
            Coordination::Several(members) => Some(members),
        }
    }

    /// Returns the number of this server; `None` if it is alone.
    pub(crate) fn member(&self) -> Option<MemberNumber> {
        self.members().map(|members| members.own().number)
    }

    /// Returns the engine's side of the shared store; `None` for a server that is alone.
    pub(crate) fn sharing(&self) -> Option<&Arc<dyn Sharing>> {
        self.members().map(|members| members.sharing())
    }

    /// Announces a change by its transaction. `defines` says whether it changes definitions, whose
    /// version is `version` now. Returns the announcements as they are once it has committed.
    pub(crate) fn announce(
        &self,
        transaction: &mut dyn WriteTransaction,
        defines: bool,
        version: u64,
    ) -> Result<Announced> {
        match self {
            Coordination::Alone => Ok(Announced { number: 0, definitions: version + u64::from(defines) }),
            Coordination::Several(_) => Members::announce(transaction, defines),
        }
    }

    /// Reads what the servers have announced up to a state of the store; `None` for a server that
    /// is alone.
    ///
    /// Errors: 1102 for a damaged record, those of the engine.
    pub(crate) fn announced(&self, snapshot: &dyn Snapshot) -> Result<Option<Announced>> {
        self.members().map(|_| announced(snapshot)).transpose()
    }

    /// Returns the record of an object that is to be deleted: it names this server, if it is not
    /// alone.
    pub(crate) fn deletion_record(&self) -> Vec<u8> {
        let owner = self.members().map(|members| members.own());
        let owner = owner.map(|owner| [u64::from(owner.number), owner.identity]);
        pack::numbers(owner.as_ref().map_or(&[], |owner| owner.as_slice()))
    }

    /// Tells the other servers, with its next acknowledgement, that this one has the definitions of
    /// an announcement.
    pub(crate) fn install(&self, announced: Announced) {
        if let Coordination::Several(members) = self {
            members.install(announced.number);
        }
    }

    /// Waits until all servers have the definitions that this one has, or their leases have ended.
    /// Returns false if the store does not say so in time.
    pub(crate) fn wait_until_followed(&self) -> bool {
        let Coordination::Several(members) = self else { return true };
        let wait = (members.sharing().lease() + WAIT_AFTER_LEASE).min(FOLLOW_WAIT_MAX);
        let deadline = Instant::now() + wait;
        members.wait(members.installed(), None, deadline, &|| Ok(())).unwrap_or(false)
    }

    /// Runs a transaction. Where several servers share the store, it is repeated until it does not
    /// conflict with those of others, a bounded number of times.
    ///
    /// Errors: those of `attempt`.
    pub(crate) fn repeat<T>(&self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        match self {
            Coordination::Alone => attempt(),
            Coordination::Several(_) => repeat_on_conflict(attempt),
        }
    }

    /// Returns the error for which this server does not follow the others; `None` if it does, or if
    /// it is alone.
    pub(crate) fn following_error(&self) -> Option<Error> {
        self.members()?.failure()
    }

    /// Returns true if this server is alone, or has the lowest number as of the last look.
    pub(crate) fn is_first(&self) -> bool {
        self.members().is_none_or(|members| members.is_first())
    }

    /// Returns true once the lease of this server on a shared store has ended.
    pub(crate) fn has_lost_lease(&self) -> bool {
        self.members().is_some_and(|members| members.has_lost_lease())
    }
}
