//! The change log as ArangoDB's replication reads it.
//!
//! Source: ArangoDB 3.12 documentation, "HTTP interface for replication", "Write-ahead log". A
//! position is a tick. A transaction has ticks for its begin, its operations and its commit.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aql_value::Interrupt;
use catalog::{DatabaseId, Record, SYSTEM_DATABASE, UserDefinition};
use errors::Result;
use storage::{BlockLimits, Change, ChangeKind, Commit, SERVER_LOG};
use velocypack::Slice;

use super::names::{database_names, definition};
use super::tail_entries::TailEntries;
use crate::base::user_documents as users;
use crate::session::Session;
use crate::state::log_readers::LogReader;

const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 256 << 10 };
/// The time that a reader waits for transactions that began before the log.
const BEGIN_WAIT: Duration = Duration::from_secs(2);

const TRANSACTION_BEGIN: u64 = 2200;
const TRANSACTION_COMMIT: u64 = 2201;
const DOCUMENT_PUT: u64 = 2300;
const DOCUMENT_REMOVED: u64 = 2302;

/// A client's request for the tail of the log.
#[derive(Clone, Copy, Debug)]
pub struct TailRequest {
    /// The tick after which to begin.
    pub from: u64,
    /// The last tick.
    pub to: u64,
    /// The changes of all databases. Only administrators may read them.
    pub global: bool,
    /// Bytes after which the reply ends.
    pub chunk_bytes: usize,
    /// Name the collection by `cid` and `cname`, and the database by its number, as ArangoDB did
    /// before 3.3.
    pub is_old_form: bool,
    /// Include system collections.
    pub include_system: bool,
    /// Answer VelocyPack objects, not lines of JSON.
    pub velocypack: bool,
}

/// A part of the log.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    /// One entry a line, or VelocyPack objects one after another.
    pub entries: Vec<u8>,
    /// The tick of the last entry; 0 without one.
    pub last_included: u64,
    /// The last tick that was looked at.
    pub last_scanned: u64,
    /// The last tick of the log.
    pub last_tick: u64,
    /// The log has everything behind the tick at which the reply begins.
    pub from_present: bool,
    /// There are more entries.
    pub check_more: bool,
}

/// The first and the last tick of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickRange {
    /// The first tick that the log has.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl Session {
    /// Notes that a reader has the log up to a position, so that it is kept for some minutes.
    ///
    /// Errors: 32 if there are too many readers.
    pub fn register_log_reader(&self, name: &str, client: &str, position: u64) -> Result<()> {
        self.instance().log_readers().register(name, client, position)
    }

    /// Forgets a reader of the log.
    pub fn forget_log_reader(&self, name: &str) {
        self.instance().log_readers().forget(name);
    }

    /// Returns the readers for whom the log is kept.
    pub fn log_readers(&self) -> Vec<LogReader> {
        self.instance().log_readers().list()
    }

    /// Returns the ticks that the log has. The log begins if it has not begun.
    ///
    /// Errors: 9 if the log is turned off, 18 if it cannot begin yet.
    pub fn tick_range(&self) -> Result<TickRange> {
        let store = self.instance().store();
        self.instance().log_readers().note_read();
        let start = store.begin_change_log(BEGIN_WAIT)?;
        let first = store.first_position(self.change_scope(false)?)?.max(start.first);
        let check = || self.interrupt().map_or(Ok(()), Interrupt::check);
        let last = store.settled_position(&check)?.saturating_sub(1);
        Ok(TickRange { first, last: last.max(first.saturating_sub(1)) })
    }

    /// Returns true if the log is at its end behind a position: a reader that has everything up to
    /// there may wait.
    pub fn ends_log_at(&self, position: u64) -> bool {
        let store = self.instance().store();
        let resolved = store.resolved_position();
        let is_at_end = resolved == position.saturating_add(1);
        // A reader that asked another server before may be ahead of this one.
        let is_ahead = || store.sharing().is_some() && resolved <= position;
        store.change_log().is_some() && (is_at_end || is_ahead())
    }

    /// Waits on the calling thread while the log ends behind a position, at most for `timeout`.
    ///
    /// Errors: 1500 if the session's interrupt was set.
    pub fn wait_for_log(&self, position: u64, timeout: Duration) -> Result<()> {
        self.instance().store().wait_for_changes(position.saturating_add(1), timeout);
        self.interrupt().map_or(Ok(()), Interrupt::check)
    }

    /// Returns a part of the log.
    ///
    /// Errors: 11 for all databases without the rights of an administrator, 9 if the log is turned
    /// off, 18 if it cannot begin yet.
    pub fn tail(&self, request: &TailRequest) -> Result<Tail> {
        let scope = self.change_scope(request.global)?;
        self.require_unrestricted_database("the log")?;
        let store = self.instance().store();
        self.instance().log_readers().note_read();
        store.begin_change_log(BEGIN_WAIT)?;
        let mut scan = store.scan_changes(scope, request.from)?;
        // It comes after the scan, so that it includes what was removed before.
        let first = store.first_position(scope)?;
        let last_tick = scan.end().saturating_sub(1);
        // A tick beyond the last one is of another log, unless another server has answered it.
        let is_ahead = request.from > last_tick && store.may_be_read(request.from)?;
        let last_tick = if is_ahead { request.from } else { last_tick };
        let is_known = request.from <= last_tick && !store.has_lost_changes(request.from);
        let mut writer = Writer {
            tail: Tail {
                last_tick,
                from_present: request.from.saturating_add(1) >= first && is_known,
                ..Tail::default()
            },
            entries: TailEntries::new(request.velocypack),
            names: database_names(self),
            request: *request,
            is_administrator: self.require_administrator().is_ok(),
            users: users_collection(self),
        };
        'blocks: while let Some(block) = scan.next_block(BLOCK)? {
            let mut is_full = false;
            block.for_each(request.from, |commit, changes| {
                if !is_full {
                    writer.commit(commit, changes)?;
                    is_full = writer.is_full();
                }
                Ok(())
            })?;
            if is_full {
                writer.tail.check_more = writer.tail.last_scanned < writer.tail.last_tick.min(request.to);
                break 'blocks;
            }
        }
        let mut tail = writer.tail;
        tail.entries = writer.entries.into_bytes();
        if !tail.check_more {
            tail.last_scanned = tail.last_scanned.max(tail.last_tick.min(request.to));
        }
        Ok(tail)
    }
}

/// Writes commits as entries of a tail.
pub(super) struct Writer {
    tail: Tail,
    entries: TailEntries,
    names: HashMap<DatabaseId, Arc<str>>,
    request: TailRequest,
    /// The reader may see the rules of collections.
    is_administrator: bool,
    /// The globally unique identifier of the collection `_users`.
    users: Option<Arc<str>>,
}

impl Writer {
    /// Returns a writer of all entries behind `from`, in VelocyPack, with the names of databases.
    pub(super) fn of_all(session: &Session, names: HashMap<DatabaseId, Arc<str>>, from: u64) -> Self {
        let request = TailRequest {
            from,
            to: u64::MAX,
            global: true,
            chunk_bytes: usize::MAX,
            is_old_form: false,
            include_system: true,
            velocypack: true,
        };
        let (tail, entries) = (Tail::default(), TailEntries::new(true));
        let is_administrator = session.require_administrator().is_ok();
        Writer { tail, entries, names, request, is_administrator, users: users_collection(session) }
    }

    /// Returns true if the name of a database is known.
    pub(super) fn knows(&self, database: DatabaseId) -> bool {
        self.names.contains_key(&database)
    }

    /// Takes the entries so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::replace(&mut self.entries, TailEntries::new(true)).into_bytes()
    }

    fn is_full(&self) -> bool {
        self.entries.len() >= self.request.chunk_bytes || self.tail.last_scanned >= self.request.to
    }

    pub(super) fn commit(&mut self, commit: &Commit, changes: &[Change<'_>]) -> Result<()> {
        let request = self.request;
        // A database that was dropped has no name any more. Its end is an entry of its own.
        if commit.database != SERVER_LOG && !self.names.contains_key(&commit.database) {
            self.tail.last_scanned = self.tail.last_scanned.max(commit.end.saturating_sub(1).min(request.to));
            return Ok(());
        }
        if commit.is_transaction && commit.is_first_part {
            self.marker(TRANSACTION_BEGIN, commit.first, commit)?;
        }
        for change in changes {
            if change.position > request.to {
                return Ok(());
            }
            self.change(change, commit)?;
            self.tail.last_scanned = change.position;
        }
        let end = commit.end.saturating_sub(1);
        if commit.is_transaction && commit.is_last_part {
            self.marker(TRANSACTION_COMMIT, end, commit)?;
        }
        self.tail.last_scanned = self.tail.last_scanned.max(end.min(request.to));
        Ok(())
    }

    /// Writes the begin or the end of a transaction.
    fn marker(&mut self, kind: u64, tick: u64, commit: &Commit) -> Result<()> {
        if tick <= self.request.from || tick > self.request.to {
            return Ok(());
        }
        self.entries.begin(tick, kind)?;
        self.entries.text("tid", &commit.first.to_string())?;
        self.database(commit.database)?;
        self.entries.end()?;
        self.tail.last_included = tick;
        Ok(())
    }

    fn change(&mut self, change: &Change<'_>, commit: &Commit) -> Result<()> {
        if matches!(change.kind, ChangeKind::UserChanged | ChangeKind::UserRemoved) {
            return self.user(change);
        }
        let is_system = change.collection.is_some_and(|collection| collection.name.starts_with('_'));
        let Some(kind) = entry_type(change.kind).filter(|_| self.request.include_system || !is_system) else {
            return Ok(());
        };
        let definition = match change.kind.is_of_document() {
            true => None,
            false => definition(change, self.is_administrator)?,
        };
        self.entries.begin(change.position, kind)?;
        if change.kind.is_of_document() {
            let tid = if commit.is_transaction { commit.first } else { 0 };
            self.entries.text("tid", &tid.to_string())?;
        }
        match definition.as_deref().map(Slice::new) {
            Some(definition) if commit.database == SERVER_LOG => {
                let name = definition.get("name").and_then(Slice::as_str).unwrap_or_default();
                self.entries.text("db", name)?;
            }
            _ => self.database(commit.database)?,
        }
        if let Some(collection) = change.collection {
            if self.request.is_old_form {
                self.entries.text("cid", &collection.id.to_string())?;
                self.entries.text("cname", collection.name)?;
            } else {
                self.entries.text("cuid", collection.globally_unique_id)?;
            }
        }
        let data = definition.as_deref().map_or(change.document, Slice::new);
        if !data.is_none() {
            self.entries.data(data, change.collection.map(|collection| collection.name))?;
        }
        self.entries.end()?;
        self.tail.last_included = change.position;
        Ok(())
    }

    /// Writes a change of a user as that of a document of `_users`, as ArangoDB keeps users.
    fn user(&mut self, change: &Change<'_>) -> Result<()> {
        let Some(users) = self.users.clone().filter(|_| self.request.global && self.request.include_system)
        else {
            return Ok(());
        };
        let user = UserDefinition::from_record(change.definition)?;
        let (kind, document) = match change.kind {
            ChangeKind::UserRemoved => (DOCUMENT_REMOVED, users::removal(&user)?),
            _ => (DOCUMENT_PUT, users::document(&user)?),
        };
        self.entries.begin(change.position, kind)?;
        self.entries.text("tid", "0")?;
        self.entries.text("db", SYSTEM_DATABASE)?;
        self.entries.text("cuid", &users)?;
        self.entries.data(Slice::new(&document), None)?;
        self.entries.end()?;
        self.tail.last_included = change.position;
        Ok(())
    }

    fn database(&mut self, database: DatabaseId) -> Result<()> {
        if self.request.is_old_form {
            return self.entries.text("database", &database.to_string());
        }
        self.entries.text("db", self.names.get(&database).map_or("", AsRef::as_ref))
    }
}

fn users_collection(session: &Session) -> Option<Arc<str>> {
    let catalog = session.catalog();
    let users = catalog.database(SYSTEM_DATABASE)?.collection(users::USERS_COLLECTION)?;
    Some(Arc::from(users.definition().globally_unique_id.as_str()))
}

/// Returns ArangoDB's number of an entry; `None` for one that ArangoDB does not have.
fn entry_type(kind: ChangeKind) -> Option<u64> {
    Some(match kind {
        ChangeKind::Inserted | ChangeKind::Updated | ChangeKind::Replaced => DOCUMENT_PUT,
        ChangeKind::Removed => DOCUMENT_REMOVED,
        ChangeKind::DatabaseCreated => 1100,
        ChangeKind::DatabaseDropped => 1101,
        ChangeKind::CollectionCreated => 2000,
        ChangeKind::CollectionDropped => 2001,
        ChangeKind::CollectionRenamed => 2002,
        ChangeKind::CollectionChanged => 2003,
        ChangeKind::Truncated => 2004,
        ChangeKind::IndexCreated => 2100,
        ChangeKind::IndexDropped => 2101,
        ChangeKind::ViewCreated => 2110,
        ChangeKind::ViewDropped => 2111,
        ChangeKind::ViewChanged => 2112,
        ChangeKind::UserChanged | ChangeKind::UserRemoved => return None,
    })
}
