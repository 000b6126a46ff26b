//! The methods of sessions to copy and follow another server. They are for administrators.

use std::sync::Arc;

use errors::{Error, ErrorCode, Result};

use super::kept::Kept;
use super::probe::{Probe, probe};
use super::{before, worker};
use crate::instance::Instance;
use crate::session::Session;
use crate::state::following::{Comparison, FollowKind, FollowOrder, FollowPhase, FollowView, SourceOptions};

impl Session {
    /// Looks at another server, without a change to any.
    ///
    /// Errors: 11 for users who are no administrators; 1400 for a server that does not answer, 1402
    /// for one that refuses the user, 1401 for another program, 10 for options that cannot be used.
    pub fn probe_source(&self, options: &SourceOptions) -> Result<Probe> {
        self.require_administrator()?;
        probe(options, self.server_id())
    }

    /// Begins to copy and follow another server.
    ///
    /// Errors: 1407 if this server is a member of a group, 1411 if one is followed already, 10 if
    /// this server is not empty, those of [`Session::probe_source`], and the obstacle that it has
    /// found.
    pub fn follow(&self, options: SourceOptions, kind: FollowKind) -> Result<()> {
        self.require_choice()?;
        follow(self.instance(), options, kind)
    }

    /// Returns the state of the work.
    ///
    /// Errors: 11.
    pub fn follow_view(&self) -> Result<FollowView> {
        self.require_administrator()?;
        Ok(self.instance().following().view())
    }

    /// Interrupts the work until [`Session::resume_following`].
    ///
    /// Errors: 11, 1407 if there is none, or if this server is a member of a group.
    pub fn pause_following(&self) -> Result<()> {
        self.require_choice()?;
        self.give_order(FollowOrder::Pause)
    }

    /// Goes on with the work, after a pause or an error.
    ///
    /// Errors: 11, 1407 if there is none, or if this server is a member of a group.
    pub fn resume_following(&self) -> Result<()> {
        self.require_choice()?;
        let instance = self.instance();
        match Kept::read(instance.store())? {
            Some(kept) if kept.phase != FollowPhase::Ended => worker::start(instance, kept),
            _ => Err(idle()),
        }
    }

    /// Takes the other server's place: it becomes read-only, the rest of its log is applied, both
    /// are compared, and this one accepts writes. The call returns before that is done.
    ///
    /// Errors: 11, 1407 if no migration is under way, 1411 while the copy is not complete.
    pub fn cut_over(&self, comparison: Comparison, force: bool) -> Result<()> {
        self.require_kind(FollowKind::Migration)?;
        let following = self.instance().following();
        if following.phase() == FollowPhase::Copying {
            let message = "the copy is not complete; a cut-over is possible once the log is followed";
            return Err(Error::new(ErrorCode::ReplicationRunning, message));
        }
        self.give_order(FollowOrder::CutOver { comparison, force })
    }

    /// Gives a migration up, and removes what was copied.
    ///
    /// Errors: 11, 1407 if no migration is under way.
    pub fn abort_migration(&self) -> Result<()> {
        self.require_kind(FollowKind::Migration)?;
        if !self.instance().following().is_working() {
            self.resume_following()?;
        }
        self.give_order(FollowOrder::Abort)
    }

    /// Ends the work, and accepts writes from now on. The call returns before that is done.
    ///
    /// Errors: 11, 1407 if no server is followed.
    pub fn promote(&self) -> Result<()> {
        let is_former_member =
            self.instance().group().is_none() && self.require_kind(FollowKind::Member).is_ok();
        if !is_former_member {
            self.require_kind(FollowKind::Follower)?;
        }
        if !self.instance().following().is_working() {
            self.resume_following()?;
        }
        self.give_order(FollowOrder::Promote)
    }

    /// Checks that an administrator decides whether this server follows another one.
    ///
    /// Errors: 11, 1407 if it is a member of a group.
    pub(super) fn require_choice(&self) -> Result<()> {
        self.require_administrator()?;
        match self.instance().group() {
            None => Ok(()),
            Some(_) => Err(Error::new(
                ErrorCode::ReplicationInvalidApplierState,
                "this server is a member of a group, whose elections decide whom it follows",
            )),
        }
    }

    fn require_kind(&self, kind: FollowKind) -> Result<()> {
        self.require_administrator()?;
        let view = self.instance().following().view();
        match view.phase.is_copy() && view.kind == kind {
            true => Ok(()),
            false => Err(idle()),
        }
    }

    fn give_order(&self, order: FollowOrder) -> Result<()> {
        self.require_administrator()?;
        if self.instance().following().order(order) { Ok(()) } else { Err(idle()) }
    }
}

fn idle() -> Error {
    let message = "no other server is being followed in this way";
    Error::new(ErrorCode::ReplicationInvalidApplierState, message)
}

fn follow(instance: &Arc<Instance>, options: SourceOptions, kind: FollowKind) -> Result<()> {
    let store = instance.store();
    if instance.following().phase().is_copy() || instance.following().is_working() {
        return Err(Error::of(ErrorCode::ReplicationRunning));
    }
    let probe = probe(&options, store.server_id())?;
    if let Some(obstacle) = probe.obstacle {
        return Err(obstacle);
    }
    before::note(instance)?;
    let kept = Kept::begin(kind, options);
    kept.store(store)?;
    instance.following().update(|view| {
        *view = FollowView { problems: probe.problems, source: probe.source, ..FollowView::default() };
    });
    worker::start(instance, kept)
}

/// Goes on with the copy of the last start, or begins the one that the options name. It comes after
/// everything that a start writes: the store refuses writes then. Members of a group
/// [join](crate::group::join) it instead.
///
/// Errors: 10 if this server has data and should become a copy; 1102 for damage, those of the
/// engine, 4 if no thread can be started.
pub fn go_on(instance: &Arc<Instance>) -> Result<()> {
    let wanted = instance.options().follow.clone();
    match (Kept::read(instance.store())?, wanted) {
        (None, None) => Ok(()),
        (None, Some(source)) => {
            before::note(instance)?;
            let kept = Kept::begin(FollowKind::Follower, source);
            kept.store(instance.store())?;
            worker::start(instance, kept)
        }
        (Some(kept), Some(_)) if kept.phase == FollowPhase::Ended => {
            tracing::warn!(
                target: "replication",
                "--follow has no effect: this server was told to accept writes; remove the option, or begin \
                 with an empty folder to follow again"
            );
            Ok(())
        }
        (Some(kept), wanted) => {
            go_on_with(instance, Kept { source: wanted.unwrap_or(kept.source.clone()), ..kept })
        }
    }
}

fn go_on_with(instance: &Arc<Instance>, kept: Kept) -> Result<()> {
    match kept.phase {
        FollowPhase::Ended | FollowPhase::None => Ok(()),
        // A former member stays a copy until somebody promotes it: the group goes on without it.
        _ if kept.kind == FollowKind::Member => {
            tracing::warn!(
                target: "replication",
                "this server was a member of a group, and starts without the options --group.*; it stays a copy \
                 until it is promoted"
            );
            show_paused(instance, kept);
            Ok(())
        }
        FollowPhase::Paused => {
            show_paused(instance, kept);
            Ok(())
        }
        _ => worker::start(instance, kept),
    }
}

fn show_paused(instance: &Instance, kept: Kept) {
    instance.store().set_following(true);
    instance.following().update(|view| {
        view.kind = kept.kind;
        view.phase = FollowPhase::Paused;
        view.source.endpoint = kept.source.endpoint;
        view.source.server_id = kept.server_id;
    });
}
