//! The configuration of the applier, as ArangoDB 3.11 has it: the server that a start follows.

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Limits, validate};

use super::kept::Kept;
use super::position::AppliedPosition;
use super::worker;
use crate::session::Session;
use crate::state::following::{FollowKind, FollowPhase, FollowView, SourceOptions};

/// The setting that has the configuration.
const SETTING: &str = "applier-configuration";

impl Session {
    /// Returns the configuration of the applier; `None` if none was set.
    ///
    /// Errors: 11, 1102 for damage, those of the engine.
    pub fn applier_configuration(&self) -> Result<Option<SourceOptions>> {
        self.require_administrator()?;
        let Some(bytes) = self.instance().store().setting(SETTING)? else { return Ok(None) };
        let damaged = || Error::corrupt("the stored configuration of the applier is damaged");
        let value = validate(&bytes, &Limits::default()).map_err(|_| damaged())?;
        SourceOptions::parse(value).map(Some).map_err(|_| damaged())
    }

    /// Sets the configuration of the applier. Work that is paused goes on with it.
    ///
    /// Errors: 11, 1411 while the applier runs, 10 for other databases than those of paused work,
    /// those of the engine.
    pub fn configure_applier(&self, options: &SourceOptions) -> Result<()> {
        self.check_applier_stopped()?;
        let store = self.instance().store();
        let _permit = store.permit_writes();
        if let Some(kept) = Kept::read(store)?.filter(|kept| kept.phase.is_copy()) {
            if kept.source.databases != options.databases {
                return Err(Error::bad_parameter(
                    "the databases that are followed cannot change; DELETE /_api/replication/applier-state \
                     ends the work",
                ));
            }
            Kept { source: options.clone(), ..kept }.store(store)?;
            self.instance().following().update(|view| view.source.endpoint.clone_from(&options.endpoint));
        }
        let mut out = Builder::new();
        out.open_object()?;
        options.print(&mut out)?;
        out.close()?;
        store.put_setting(SETTING, out.as_bytes())
    }

    /// Begins to follow the configured server, or goes on behind what was copied from it. `from` is
    /// the tick up to which this server has everything.
    ///
    /// Errors: 11, 1410 without a configuration, 10 for another tick, those of
    /// [`Session::follow`].
    pub fn start_applier(&self, from: Option<u64>) -> Result<()> {
        let Some(options) = self.applier_configuration()? else {
            let message = "no applier configuration found; PUT /_api/replication/applier-config sets one";
            return Err(Error::new(ErrorCode::ReplicationInvalidApplierConfiguration, message));
        };
        self.require_choice()?;
        let Some(from) = from else { return self.follow(options, FollowKind::Follower) };
        let store = self.instance().store();
        let is_copied = |kept: &Kept| kept.begin.is_some() && kept.source.databases == options.databases;
        let Some(kept) = Kept::read(store)?.filter(is_copied) else {
            let message = format!(
                "'from' is {from}, but no synchronization has made these databases equal to those of the \
                 other server; an empty server can start without it"
            );
            return Err(Error::bad_parameter(message));
        };
        let has = kept.applied(store)?;
        if has != from {
            let message = format!("'from' is {from}; it must be {has}: this server has the log up to there");
            return Err(Error::bad_parameter(message));
        }
        let kept = Kept { phase: FollowPhase::Following, source: options, ..kept };
        kept.store(store)?;
        worker::start(self.instance(), kept)
    }

    /// Forgets the server that was followed, how far it was applied, and the configuration. A
    /// paused copy accepts writes from then on.
    ///
    /// Errors: 11, 1411 while the applier runs, those of the engine.
    pub fn forget_applier(&self) -> Result<()> {
        self.check_applier_stopped()?;
        let store = self.instance().store();
        let _permit = store.permit_writes();
        if let Some(kept) = Kept::read(store)? {
            if kept.is_copying {
                let message = "the copy is not complete; it must end before its state is removed";
                return Err(Error::new(ErrorCode::ReplicationRunning, message));
            }
            Kept::remove(store)?;
            AppliedPosition::remove(store, &kept.server_id)?;
        }
        store.remove_setting(SETTING)?;
        store.set_following(false);
        self.instance().following().update(|view| *view = FollowView::default());
        Ok(())
    }

    /// Errors: 11, 1407 for a member of a group, 1411 while the applier runs.
    fn check_applier_stopped(&self) -> Result<()> {
        self.require_choice()?;
        match self.instance().following().is_working() {
            true => Err(Error::of(ErrorCode::ReplicationRunning)),
            false => Ok(()),
        }
    }
}
