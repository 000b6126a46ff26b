//! The state of following another server that is kept from one start of this one to the next.

use std::collections::BTreeSet;

use errors::{Error, Result};
use storage::Store;
use velocypack::{Builder, Limits, Slice, validate};

use super::position::AppliedPosition;
use crate::state::following::{FollowKind, FollowPhase, SourceOptions};

/// The setting that has the state.
const SETTING: &str = "follow";

/// The state of the work, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) kind: FollowKind,
    /// `Copying`, `Following`, `Paused` or `Ended`.
    pub(crate) phase: FollowPhase,
    /// True if the copy is not complete: a pause ends with more copying.
    pub(super) is_copying: bool,
    pub(crate) source: SourceOptions,
    /// The number of the other server.
    pub(crate) server_id: String,
    /// The number under which it keeps its log for this one.
    pub(super) reader: u64,
    /// The last tick of the log before the copy began, and when it had ended.
    pub(super) begin: Option<u64>,
    pub(super) complete: u64,
    /// True if the copy goes over an earlier one: what is equal stays.
    pub(super) is_repeated: bool,
    /// True if this server made the other one read-only.
    pub(super) has_closed_source: bool,
    /// The collections that were copied: database and globally unique identifier.
    pub(super) copied: BTreeSet<(String, String)>,
    /// The leadership that is followed, of a member of a group.
    pub(super) followed: Option<FollowedLeader>,
}

/// The leadership that a member of a group follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FollowedLeader {
    /// The epoch of the leadership.
    pub(crate) epoch: u64,
    /// The leader's last position when it began to lead.
    pub(crate) began_at: u64,
    /// The position of this member before it followed this leader: epoch and tick. It counts until
    /// everything is applied that the leader had when it began.
    pub(crate) before: (u64, u64),
}

impl Kept {
    /// Returns the state before anything is copied.
    pub(crate) fn begin(kind: FollowKind, source: SourceOptions) -> Self {
        Kept {
            kind,
            phase: FollowPhase::Copying,
            is_copying: true,
            source,
            // It is a number of 63 bits, which every client's integers can hold.
            reader: fastrand::u64(1..=u64::MAX >> 1),
            ..Kept::default()
        }
    }

    /// Returns the state; `None` if nothing was ever followed.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub(crate) fn read(store: &Store) -> Result<Option<Self>> {
        let Some(bytes) = store.setting(SETTING)? else { return Ok(None) };
        let value = validate(&bytes, &Limits::default()).map_err(|_| damaged())?;
        let text = |name: &str| value.get(name).and_then(Slice::as_str).ok_or_else(damaged);
        let flag = |name: &str| value.get(name).and_then(Slice::as_bool).ok_or_else(damaged);
        let number = |name: &str| value.get(name).and_then(Slice::as_u64);
        let mut copied = BTreeSet::new();
        for pair in value.get("copied").into_iter().flat_map(Slice::elements) {
            let part = |index| pair.at(index).and_then(Slice::as_str).map(str::to_owned).ok_or_else(damaged);
            copied.insert((part(0)?, part(1)?));
        }
        Ok(Some(Kept {
            kind: match text("kind")? {
                "migration" => FollowKind::Migration,
                "member" => FollowKind::Member,
                _ => FollowKind::Follower,
            },
            phase: match text("phase")? {
                "copying" => FollowPhase::Copying,
                "following" => FollowPhase::Following,
                "paused" => FollowPhase::Paused,
                "ended" => FollowPhase::Ended,
                _ => return Err(damaged()),
            },
            is_copying: flag("isCopying")?,
            source: SourceOptions::parse(value.get("source").ok_or_else(damaged)?)?,
            server_id: text("serverId")?.to_owned(),
            reader: number("reader").ok_or_else(damaged)?,
            begin: number("begin"),
            complete: number("complete").ok_or_else(damaged)?,
            is_repeated: flag("isRepeated")?,
            has_closed_source: flag("hasClosedSource")?,
            copied,
            followed: value.get("followed").map(FollowedLeader::read).transpose()?,
        }))
    }

    /// Stores the state.
    ///
    /// Errors: those of the engine.
    pub(crate) fn store(&self, store: &Store) -> Result<()> {
        let mut out = Builder::new();
        out.open_object()?;
        for (name, value) in
            [("kind", self.kind.name()), ("phase", self.phase.name()), ("serverId", &self.server_id)]
        {
            out.key(name)?;
            out.add_str(value)?;
        }
        for (name, value) in [
            ("isCopying", self.is_copying),
            ("isRepeated", self.is_repeated),
            ("hasClosedSource", self.has_closed_source),
        ] {
            out.key(name)?;
            out.add_bool(value)?;
        }
        let numbers =
            [("reader", Some(self.reader)), ("begin", self.begin), ("complete", Some(self.complete))];
        for (name, value) in numbers.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            out.key(name)?;
            out.add_u64(value)?;
        }
        if let Some(followed) = &self.followed {
            out.key("followed")?;
            followed.print(&mut out)?;
        }
        out.key("source")?;
        out.open_object()?;
        self.source.print(&mut out)?;
        out.close()?;
        out.key("copied")?;
        out.open_array()?;
        for (database, collection) in &self.copied {
            out.open_array()?;
            out.add_str(database)?;
            out.add_str(collection)?;
            out.close()?;
        }
        out.close()?;
        out.close()?;
        store.put_setting(SETTING, out.as_bytes())
    }

    /// Returns the state in another phase.
    pub(crate) fn in_phase(self, phase: FollowPhase) -> Self {
        Kept { phase, ..self }
    }

    /// Returns the state with another address or user of the other server.
    pub(crate) fn of(self, source: SourceOptions) -> Self {
        Kept { source, ..self }
    }

    /// Returns the tick up to which the other server's log is applied. Without any entry since the
    /// copy began, that is where it began.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub(super) fn applied(&self, store: &Store) -> Result<u64> {
        let stored = AppliedPosition::read(store, &self.server_id)?;
        Ok(stored.map(|position| position.applied).or(self.begin).unwrap_or(0))
    }

    /// Returns the tick up to which the other server's log is applied; `None` unless the data are
    /// of one moment: a copy is not complete before the log is applied up to its end.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub(crate) fn applied_whole(&self, store: &Store) -> Result<Option<u64>> {
        let applied = self.applied(store)?;
        Ok(Some(applied).filter(|applied| !self.is_copying && *applied >= self.complete))
    }

    /// Forgets the state if it is that of a member of a group.
    ///
    /// Errors: 1102 for damage, those of the engine.
    pub(crate) fn remove_of_member(store: &Store) -> Result<()> {
        match Kept::read(store)?.is_some_and(|kept| kept.kind == FollowKind::Member) {
            true => Kept::remove(store),
            false => Ok(()),
        }
    }

    /// Forgets the state.
    ///
    /// Errors: those of the engine.
    pub(super) fn remove(store: &Store) -> Result<()> {
        store.remove_setting(SETTING)
    }
}

impl FollowedLeader {
    fn read(value: Slice<'_>) -> Result<Self> {
        let number = |name: &str| value.get(name).and_then(Slice::as_u64).ok_or_else(damaged);
        Ok(FollowedLeader {
            epoch: number("epoch")?,
            began_at: number("beganAt")?,
            before: (number("epochBefore")?, number("tickBefore")?),
        })
    }

    fn print(&self, out: &mut Builder) -> Result<()> {
        out.open_object()?;
        for (name, value) in [
            ("epoch", self.epoch),
            ("beganAt", self.began_at),
            ("epochBefore", self.before.0),
            ("tickBefore", self.before.1),
        ] {
            out.key(name)?;
            out.add_u64(value)?;
        }
        Ok(out.close()?)
    }
}

fn damaged() -> Error {
    Error::corrupt("the stored state of following another server is damaged")
}
