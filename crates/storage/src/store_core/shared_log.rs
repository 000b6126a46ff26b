//! The beginning and the end of a change log that several servers write.
//!
//! `docs/architecture/cluster.md`, "The change log", has the rules.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::{Error, ErrorCode, Result};

use crate::LogStart;
use crate::base::change_log_options::ChangeLogMode;
use crate::change_log::{LOOK, MemberProgress, SharedPositions, not_yet, read_start, write_start};
use crate::encoding::change::{log_before, logged_databases};
use crate::sharing::{Members, announced};
use crate::store_core::StoreCore;
use crate::store_core::definition_group::ChangeOf;

/// The time that a start waits for the transactions of other servers.
const OPEN_WAIT: Duration = Duration::from_secs(5);
/// The minimum time that other servers have to say how far their commits have come.
const SETTLE_WAIT: Duration = Duration::from_secs(2);

/// A record of the log as of an announcement.
type Noted = (u64, Option<LogStart>);

impl StoreCore {
    /// Follows the log of a store that several servers share, before the first transaction begins.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub(crate) fn open_shared_log(&self) -> Result<()> {
        if self.change_log.positions.shared().is_some() {
            let snapshot = self.engine.snapshot()?;
            let record = read_start(snapshot.as_ref())?;
            self.change_log.follow(announced(snapshot.as_ref())?.number, record);
        }
        Ok(())
    }

    /// Begins or ends the log of a store that several servers share, as its options say.
    ///
    /// Errors: those of the engine. A log that cannot begin yet begins with its first reader.
    pub(crate) fn settle_shared_log(&self) -> Result<()> {
        let Some(members) = self.coordination.members() else { return Ok(()) };
        match self.change_log.options.mode {
            ChangeLogMode::Never if self.change_log.is_written() => self.end_shared_log(),
            ChangeLogMode::Always => match self.begin_shared_log(members, OPEN_WAIT) {
                Err(error) if error.code() == ErrorCode::LockTimeout => Ok(()),
                begun => begun.map(drop),
            },
            ChangeLogMode::Never | ChangeLogMode::OnDemand => Ok(()),
        }
    }

    /// Makes the log begin that all servers write, if it has not begun. Waits at most `timeout` for
    /// transactions of any server that began before.
    ///
    /// Errors: 18 if such a transaction is still open; the caller may ask again. 9 if the log is
    /// turned off, those of the engine.
    pub(crate) fn begin_shared_log(&self, members: &Arc<Members>, timeout: Duration) -> Result<LogStart> {
        let Some(positions) = self.change_log.positions.shared() else { return Err(not_yet()) };
        let deadline = Instant::now() + timeout;
        let _waiting = Waiting::begin();
        // From now on, new transactions of all servers note their changes.
        let (announcement, record) = self.change_record(|present| {
            if present.is_some() {
                return Ok(present);
            }
            self.change_log.check_wanted()?;
            Ok(Some(LogStart { id: getrandom::u64().map_err(Error::internal)?, first: 0 }))
        })?;
        let Some(LogStart { id, first: 0 }) = record else { return self.begun_log() };
        while self.change_log.has_unlogged() {
            if Instant::now() >= deadline {
                return Err(not_yet());
            }
            std::thread::sleep(LOOK);
        }
        if !members.wait(announcement, Some(id), deadline, &|| Ok(()))? {
            return Err(not_yet());
        }
        // A commit that is not below `first` has entries, and one below it has ended.
        let first = self.settled_now(members, positions, deadline)?;
        self.change_record(|present| match present {
            Some(LogStart { id: same, first: 0 }) if same == id => Ok(Some(LogStart { id, first })),
            present => Ok(present),
        })?;
        self.begun_log()
    }

    /// Ends the log that all servers write, and removes its entries.
    ///
    /// Errors: those of the engine.
    pub(crate) fn end_shared_log(&self) -> Result<()> {
        let Some(positions) = self.change_log.positions.shared() else { return Ok(()) };
        // A log that begins later has no entries below it.
        let below = positions.now()?;
        self.change_record(|_| Ok(None))?;
        let databases = logged_databases(self.engine.snapshot()?.as_ref())?;
        databases
            .into_iter()
            .try_for_each(|database| Ok(self.engine.drop_range(&log_before(database, below))?))
    }

    /// Returns the position from which on readers of this server need the log, and the time since
    /// one has read it.
    pub(crate) fn log_use(&self) -> (u64, Duration) {
        self.log_readers
            .get()
            .map_or((u64::MAX, Duration::MAX), |readers| (readers.held_from(), readers.idle()))
    }

    /// Returns the same for all servers that live.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub(crate) fn log_use_of_all(&self) -> Result<(u64, Duration)> {
        let own = self.log_use();
        let Some(members) = self.coordination.members() else { return Ok(own) };
        let living = members.sharing().members()?;
        let records = MemberProgress::read_all(self.engine.snapshot()?.as_ref())?;
        let is_living = |record: &&MemberProgress| {
            living.iter().any(|member| member.number == record.number && member.identity == record.identity)
        };
        Ok(records
            .iter()
            .filter(is_living)
            .fold(own, |(held_from, idle), record| (held_from.min(record.held_from), idle.min(record.idle))))
    }

    /// Returns a position that is greater than those of all commits so far, and below which all
    /// have ended.
    ///
    /// Errors: 18 if they do not end in time, those of the engine.
    fn settled_now(&self, members: &Members, positions: &SharedPositions, deadline: Instant) -> Result<u64> {
        // Other servers may take a while until they say how far they have come.
        let deadline = deadline.max(Instant::now() + SETTLE_WAIT);
        let now = positions.now()?;
        let left = deadline.saturating_duration_since(Instant::now()).min(members.sharing().lease());
        let settled = positions.wait_until_settled(now, left);
        if settled >= now { Ok(settled) } else { Err(not_yet()) }
    }

    fn begun_log(&self) -> Result<LogStart> {
        self.change_log.start().ok_or_else(not_yet)
    }

    /// Changes the record of the log, announces that, and follows it. A record that stays as it is
    /// is only followed.
    fn change_record(&self, change: impl Fn(Option<LogStart>) -> Result<Option<LogStart>>) -> Result<Noted> {
        let (record, announced) = self.coordination.repeat(|| {
            self.change_once(ChangeOf::Coordination, |draft| {
                let transaction = draft.transaction();
                let present = read_start(transaction.view().as_ref())?;
                let wanted = change(present)?;
                if wanted != present {
                    write_start(transaction, wanted)?;
                }
                Ok(wanted)
            })
        })?;
        self.change_log.follow(announced.number, record);
        Ok((announced.number, record))
    }
}
