//! The state of the log: if it is written, and from which position on.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use aql_value::Waiting;
use catalog::DatabaseId;
use errors::{Error, ErrorCode, Result};
use kv::{
    BlockLimits, Durability, Engine, KeyRange, ScanSpec, Sharing, Snapshot, TransactionOptions,
    WriteTransaction,
};

use super::holes::Holes;
use super::{HeldPositions, Positions, Recorder};
use crate::base::change_log_options::{ChangeLogMode, ChangeLogOptions};
use crate::encoding::change::{
    ChangeBuffer, ChangePart, ThinnedTo, all_logs, part_of_key, start_key, whole_log,
};
use crate::encoding::metadata::change_log_key;
use crate::encoding::pack;

/// Positions that a start skips. A crash of the machine may lose commits that readers have seen;
/// their positions are not used again.
const SKIPPED_POSITIONS: u64 = 1 << 32;

/// Returns the number of entries behind a position, up to another one. It leaves out the positions
/// that starts have skipped between the two.
pub fn entries_between(position: u64, last: u64) -> u64 {
    last.saturating_sub(position) % SKIPPED_POSITIONS
}

/// The time between two looks whether older transactions have ended.
pub(crate) const LOOK: Duration = Duration::from_millis(1);
const ONE_PAIR: BlockLimits = BlockLimits { rows: 1, bytes: 1 };

/// The change log of a store.
pub(crate) struct ChangeLog {
    pub(crate) options: ChangeLogOptions,
    pub(crate) positions: Arc<Positions>,
    /// New transactions note their changes.
    is_written: AtomicBool,
    /// Every transaction that notes nothing holds a copy.
    unlogged: Arc<()>,
    /// Copies for transactions that noted nothing and whose outcome is not known, with the
    /// timestamps from which on it is final. Only where several servers share the store.
    in_doubt: Mutex<Vec<(Arc<()>, u64)>>,
    /// The announcement of the record that this server follows, if several share the store.
    followed: Mutex<u64>,
    begun: RwLock<Option<LogStart>>,
    /// The positions that starts have skipped, this one included.
    pub(crate) holes: Holes,
    /// Held while the log begins or ends.
    beginning: Mutex<()>,
}

/// The beginning of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogStart {
    /// A random number that no other log has.
    pub id: u64,
    /// The log has all commits from this position on, except those that were removed since.
    pub first: u64,
}

impl ChangeLog {
    /// Reads the state of a log that only this process writes.
    ///
    /// Errors: 1102 for damage, 35 for a newer format, those of the engine.
    pub(crate) fn open(engine: &dyn Engine, options: ChangeLogOptions) -> Result<Self> {
        let snapshot = engine.snapshot()?;
        let begun = read_start(snapshot.as_ref())?;
        let mut holes = Holes::read(snapshot.as_ref())?;
        let next = match begun {
            Some(start) => {
                let (first, next) = range_of(snapshot.as_ref(), start.first)?;
                // The last run took positions behind its hole. All of its commits may be lost.
                let next = next.max(holes.end());
                let skipped_to = next.saturating_add(SKIPPED_POSITIONS);
                holes.add(next.saturating_sub(1), skipped_to, first);
                skipped_to
            }
            None => 1,
        };
        drop(snapshot);
        let mode = options.mode;
        let is_own = begun.is_none_or(|start| is_identity_of(options.identity_file.as_deref(), start.id));
        let is_wanted = mode != ChangeLogMode::Never;
        let is_continued = begun.is_some() && is_wanted && is_own;
        let log = ChangeLog {
            is_written: AtomicBool::new(is_continued),
            begun: RwLock::new(begun),
            holes,
            ..ChangeLog::new(options, Positions::starting_with(next))
        };
        if is_continued {
            // It is on disk before the first commit takes a position behind the hole.
            let mut transaction = engine.begin(TransactionOptions::default())?;
            log.holes.write(transaction.as_mut())?;
            transaction.commit(Durability::Synced)?;
            return Ok(log);
        }
        // Transactions that were open while an earlier log ended may have left entries.
        if begun.is_some() || last_of(engine.snapshot()?.as_ref(), all_logs())?.is_some() {
            log.end(engine)?;
        }
        if is_wanted && mode == ChangeLogMode::Always {
            log.begin(engine, 1, Duration::ZERO)?;
        }
        Ok(log)
    }

    /// Returns the state of a log that several servers write. It follows the record of the store
    /// ([`ChangeLog::follow`]).
    pub(crate) fn shared(options: ChangeLogOptions, sharing: Arc<dyn Sharing>) -> Self {
        ChangeLog::new(options, Positions::of_timestamps(sharing))
    }

    fn new(options: ChangeLogOptions, positions: Positions) -> Self {
        ChangeLog {
            options,
            positions: Arc::new(positions),
            is_written: AtomicBool::new(false),
            unlogged: Arc::default(),
            in_doubt: Mutex::default(),
            followed: Mutex::default(),
            begun: RwLock::default(),
            holes: Holes::default(),
            beginning: Mutex::default(),
        }
    }

    /// Follows the record of the log in a state of the store, as of an announcement. A record
    /// without a first position says that the log begins soon: transactions note their changes.
    pub(crate) fn follow(&self, announcement: u64, record: Option<LogStart>) {
        let Some(shared) = self.positions.shared() else { return };
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if announcement < *followed {
            return;
        }
        *followed = announcement;
        self.is_written.store(record.is_some(), Ordering::SeqCst);
        let begun = record.filter(|start| start.first > 0);
        if let Some(start) = begun {
            // The server that began the log has seen this.
            shared.advance(start.first, start.first);
        }
        *self.begun.write().unwrap_or_else(PoisonError::into_inner) = begun;
    }

    /// Returns true if new transactions note their changes.
    pub(crate) fn is_written(&self) -> bool {
        self.is_written.load(Ordering::SeqCst)
    }

    /// Returns true if a transaction that notes nothing has not ended.
    pub(crate) fn has_unlogged(&self) -> bool {
        Arc::strong_count(&self.unlogged) > 1
    }

    /// Notes that nobody knows if a transaction took place that has noted nothing. The log does not
    /// begin before that is final.
    pub(crate) fn doubt_unlogged(&self, sharing: &dyn Sharing) {
        let doubt = (Arc::clone(&self.unlogged), sharing.lease_end());
        self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner).push(doubt);
    }

    /// Forgets doubts that are final at a timestamp. Returns true if some are left.
    pub(crate) fn settle_doubts(&self, timestamp: u64) -> bool {
        let mut in_doubt = self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner);
        in_doubt.retain(|(_, end)| timestamp < *end);
        !in_doubt.is_empty()
    }

    /// Returns true if there are doubts to settle.
    pub(crate) fn has_doubts(&self) -> bool {
        !self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Returns the beginning of the log; `None` if it is not written.
    pub(crate) fn start(&self) -> Option<LogStart> {
        *self.begun.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last position that a commit of the log took; 0 without a log. Starts skip
    /// positions, so [`Positions::next`] may be far behind it.
    ///
    /// Errors: those of the engine, 1102 for damage.
    pub(crate) fn last_position(&self, engine: &dyn Engine) -> Result<u64> {
        let Some(start) = self.start() else { return Ok(0) };
        let (_, next) = range_of(engine.snapshot()?.as_ref(), start.first)?;
        Ok(next.saturating_sub(1))
    }

    /// Returns the recorder of a transaction that begins now.
    pub(crate) fn recorder(&self) -> Recorder {
        // Other servers may write the log anyway. It must have the changes of all.
        if self.options.mode == ChangeLogMode::Never && self.positions.shared().is_none() {
            return Recorder::Off { _unlogged: None };
        }
        // The token comes first: whoever makes the log begin sees it, or is seen here.
        let token = Arc::clone(&self.unlogged);
        if self.is_written.load(Ordering::SeqCst) {
            return Recorder::On { entries: ChangeBuffer::default(), keeps_old: self.options.old_documents };
        }
        Recorder::Off { _unlogged: Some(token) }
    }

    /// Checks that the log may begin.
    ///
    /// Errors: 9 if it is turned off.
    pub(crate) fn check_wanted(&self) -> Result<()> {
        if self.options.mode != ChangeLogMode::Never {
            return Ok(());
        }
        let message = "the change log is turned off: start the server with --changes.log on-demand or always";
        Err(Error::new(ErrorCode::NotImplemented, message))
    }

    /// Makes the log begin, if it has not begun, and returns its beginning. Only this process
    /// writes it. Waits at most `timeout` for transactions that began before. The first position is
    /// at least `least`.
    ///
    /// Errors: 18 if such a transaction is still open; the log then begins after its end, and the
    /// caller may ask again. 9 if the log is turned off.
    pub(crate) fn begin(&self, engine: &dyn Engine, least: u64, timeout: Duration) -> Result<LogStart> {
        if let Some(start) = self.start() {
            return Ok(start);
        }
        self.check_wanted()?;
        let _beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = self.start() {
            return Ok(start);
        }
        self.is_written.store(true, Ordering::SeqCst);
        let deadline = Instant::now() + timeout;
        let _waiting = Waiting::begin();
        while self.has_unlogged() {
            if Instant::now() >= deadline {
                return Err(not_yet());
            }
            std::thread::sleep(LOOK);
        }
        self.positions.skip_to(least);
        let id = getrandom::u64().map_err(Error::internal)?;
        let start = LogStart { id, first: self.positions.resolved() };
        // The file comes first: without it, the next start would take the log for one of a backup.
        if let Some(file) = &self.options.identity_file {
            write_identity(file, id)?;
        }
        let mut transaction = engine.begin(TransactionOptions::default())?;
        write_start(transaction.as_mut(), Some(start))?;
        transaction.commit(Durability::Synced)?;
        *self.begun.write().unwrap_or_else(PoisonError::into_inner) = Some(start);
        Ok(start)
    }

    /// Ends the log, which only this process writes, and removes it. A log that begins later is
    /// another one.
    pub(crate) fn end(&self, engine: &dyn Engine) -> Result<()> {
        let _beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_written.store(false, Ordering::SeqCst);
        *self.begun.write().unwrap_or_else(PoisonError::into_inner) = None;
        let mut transaction = engine.begin(TransactionOptions::default())?;
        write_start(transaction.as_mut(), None)?;
        Holes::default().write(transaction.as_mut())?;
        transaction.commit(Durability::Synced)?;
        Ok(engine.drop_range(&all_logs())?)
    }

    /// Passes the parts of a commit to `write`. The positions are held until the commit has ended;
    /// `None` if there are no changes.
    ///
    /// Errors: those of `write`.
    pub(crate) fn write(
        &self,
        database: DatabaseId,
        entries: ChangeBuffer,
        write: impl FnMut(&[u8], &[u8]) -> Result<()>,
    ) -> Result<Option<HeldPositions>> {
        if entries.is_empty() {
            return Ok(None);
        }
        let positions = self.positions.hold(entries.steps())?;
        entries.write_parts(database, positions.first(), now(), write)?;
        Ok(Some(positions))
    }
}

/// Returns true if the file has the identity of a log, or if there is no such file by design.
fn is_identity_of(file: Option<&Path>, id: u64) -> bool {
    file.is_none_or(|file| fs::read_to_string(file).is_ok_and(|text| text.trim_end() == format!("{id:x}")))
}

fn write_identity(file: &Path, id: u64) -> Result<()> {
    let write = || {
        let new = file.with_extension("new");
        let mut handle = fs::File::create(&new)?;
        writeln!(handle, "{id:x}")?;
        handle.sync_all()?;
        fs::rename(&new, file)
    };
    write().map_err(|error| Error::internal(format!("cannot write {}: {error}", file.display())))
}

/// Returns microseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the error for a log that has not begun.
pub(crate) fn not_yet() -> Error {
    let message = "the change log has not begun yet: a transaction that began before it is still open; ask \
                   again after its end";
    Error::new(ErrorCode::LockTimeout, message)
}

/// Reads the record of the log: its number and its first position, which is 0 before it begins.
///
/// Errors: 1102 for damage, 35 for a newer format, those of the engine.
pub(crate) fn read_start(snapshot: &dyn Snapshot) -> Result<Option<LogStart>> {
    let values = snapshot.get_many(&[&change_log_key()])?;
    let Some(bytes) = values.iter().next().flatten() else { return Ok(None) };
    let [id, first] = pack::read_numbers::<2>(bytes, "change log")?;
    Ok(Some(LogStart { id, first }))
}

/// Writes the record of the log, or removes it.
pub(crate) fn write_start(transaction: &mut dyn WriteTransaction, start: Option<LogStart>) -> Result<()> {
    match start {
        Some(start) => transaction.put(&change_log_key(), &pack::numbers(&[start.id, start.first]))?,
        None => transaction.delete(&change_log_key())?,
    }
    Ok(())
}

/// Returns the first position that a log may have a commit at, and the one after all commits that
/// are stored. Both are at least `least`.
fn range_of(snapshot: &dyn Snapshot, least: u64) -> Result<(u64, u64)> {
    let (mut first, mut next) = (u64::MAX, least);
    let mut range = all_logs();
    while let Some((database, end)) = last_of(snapshot, range.clone())? {
        next = next.max(end);
        range.end = whole_log(database).start;
        let values = snapshot.get_many(&[&start_key(database)])?;
        let trimmed_to = match values.iter().next().flatten() {
            Some(bytes) => pack::read_numbers::<1>(bytes, "start of a change log")?[0],
            None => least,
        };
        first = first.min(trimmed_to);
        next = next.max(trimmed_to).max(ThinnedTo::read(snapshot, database)?.last());
    }
    Ok((first.min(next), next))
}

/// Returns the database of the last key of a range, and the position after its commit.
fn last_of(snapshot: &dyn Snapshot, range: KeyRange) -> Result<Option<(DatabaseId, u64)>> {
    let mut scan = snapshot.scan(ScanSpec::backward(range))?;
    let Some(block) = scan.next_block(ONE_PAIR)? else { return Ok(None) };
    let Some((key, value)) = block.iter().next() else { return Ok(None) };
    let (database, first, _) = part_of_key(key).ok_or_else(|| Error::corrupt("a key of the change log"))?;
    let end = if first == 0 { 0 } else { ChangePart::read(first, value)?.end() };
    Ok(Some((database, end)))
}
