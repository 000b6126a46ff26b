//! Changes as rows of a query: `CHANGES()`.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use aql_exec::ReadAuthorization;
use aql_value::{BlockBuilder, ChangesQuery, Interrupt, Rows, Value};
use errors::{Error, ErrorCode, Result};
use storage::{BlockLimits, Change, ChangeBlock, ChangeScan, ChangeScope, LogStart};
use velocypack::Slice;

use super::form::{self, CommitTimes, Context};
use super::names::definition;
use super::request::COLLECTIONS_MAX;
use super::restricted;
use super::rights::Rights;
use super::{Since, Token};
use crate::session::Session;

/// Parts of commits that one read takes at most.
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 256 << 10 };
/// The time that the first reader of a store waits for transactions that began before the log.
const BEGIN_WAIT: Duration = Duration::from_secs(5);
/// The time between two checks of the interrupt while it waits.
const BEGIN_STEP: Duration = Duration::from_millis(20);

/// The query that reads changes.
#[derive(Clone)]
pub(crate) struct ChangeReader {
    /// The user and the database.
    pub(crate) session: Session,
    /// A check besides the user's rights.
    pub(crate) authorize: Option<ReadAuthorization>,
    /// Collections that may not be read have no changes, instead of an error.
    pub(crate) inaccessible_are_empty: bool,
    /// The query itself has a transaction that the log would wait for.
    pub(crate) writes: bool,
    /// The query's interrupt.
    pub(crate) interrupt: Interrupt,
}

/// The changes between two positions.
pub(crate) struct ChangeRows {
    reader: ChangeReader,
    scope: ChangeScope,
    log: LogStart,
    after: u64,
    /// The position of the first commit that the query does not see.
    below: u64,
    scan: Option<ChangeScan>,
    collections: Option<HashSet<String>>,
    left: u64,
    rights: Rights,
    ready: VecDeque<Value>,
}

impl ChangeRows {
    /// Opens the changes of commits below a position. The log begins if it has not begun.
    ///
    /// Errors: 10 for a wrong token or too many collections, 11, 1203. 1414 for a token whose
    /// entries are gone. 9 if the log is turned off, 18 if it cannot begin yet.
    pub(crate) fn open(reader: ChangeReader, query: ChangesQuery<'_>, below: u64) -> Result<Self> {
        let since = Since::parse(query.since)?;
        let scope = reader.session.change_scope(false)?;
        let collections = query.collections.map(|names| reader.wanted(names)).transpose()?;
        let log = reader.begin_log()?;
        let store = reader.session.instance().store();
        let first = store.first_position_of(scope, collections.as_ref())?;
        let after = match since {
            Since::Now => below.saturating_sub(1),
            Since::Earliest => first.saturating_sub(1),
            Since::Token(token) => {
                token.check(store, log, first)?;
                token.position
            }
        };
        Ok(ChangeRows {
            reader,
            scope,
            log,
            after,
            below,
            scan: None,
            collections,
            left: query.limit.unwrap_or(u64::MAX),
            rights: Rights::default(),
            ready: VecDeque::new(),
        })
    }

    /// Begins to scan behind the last change that was read, unless something was removed there.
    fn begin_scan(&self) -> Result<ChangeScan> {
        let instance = self.reader.session.instance();
        let store = instance.store();
        instance.log_readers().note_read();
        let scan = store.scan_changes(self.scope, self.after)?.below(self.below);
        let start = store.change_log().ok_or_else(|| Error::of(ErrorCode::ReplicationStartTickNotPresent))?;
        let token = Token { log: self.log.id, position: self.after };
        token.check(store, start, store.first_position_of(self.scope, self.collections.as_ref())?)?;
        Ok(scan)
    }

    /// Reads the next changes. Returns false if there are no more.
    fn read(&mut self) -> Result<bool> {
        self.reader.interrupt.check()?;
        self.rights.refresh(&self.reader.session, self.scope)?;
        let mut scan = match self.scan.take() {
            Some(scan) => scan,
            None => self.begin_scan()?,
        };
        let Some(block) = scan.next_block(BLOCK)? else { return Ok(false) };
        self.take(&block)?;
        self.scan = Some(scan).filter(|_| self.left > 0);
        Ok(true)
    }

    fn take(&mut self, block: &ChangeBlock) -> Result<()> {
        let (mut values, mut times) = (BlockBuilder::new(0), CommitTimes::default());
        block.for_each(self.after, |commit, changes| {
            let shown = restricted::judge(&self.reader.session, changes)?;
            let changes = restricted::apply(changes, shown.as_deref());
            let wanted: Vec<_> = changes.iter().filter(|change| self.is_wanted(change)).collect();
            let (last, time) = (wanted.len(), times.of(commit));
            for (i, change) in wanted.into_iter().enumerate() {
                if self.left == 0 {
                    return Ok(());
                }
                let definition = match change.kind.is_of_document() {
                    true => None,
                    false => definition(change, self.reader.session.require_administrator().is_ok())?,
                };
                let context = Context {
                    database: "",
                    is_global: false,
                    log: self.log.id,
                    commit,
                    time,
                    is_last: commit.is_last_part && i + 1 == last,
                    definition: definition.as_deref().map_or(Slice::NONE, Slice::new),
                };
                form::build(change, &context, values.builder())?;
                values.end_value();
                self.left -= 1;
            }
            self.after = commit.end.saturating_sub(1);
            Ok(())
        })?;
        self.ready.extend(values.finish());
        Ok(())
    }

    /// Returns true if the query asks for the change, and its user may see it.
    fn is_wanted(&mut self, change: &Change<'_>) -> bool {
        let Some(collection) = change.collection else { return self.collections.is_none() };
        if self.collections.as_ref().is_some_and(|names| !names.contains(collection.name)) {
            return false;
        }
        self.rights.may_read(&self.reader.session, collection)
            && self.reader.authorize.as_ref().is_none_or(|authorize| authorize(collection.name).is_ok())
    }
}

impl Rows for ChangeRows {
    fn next_rows(&mut self, max: usize, out: &mut Vec<Value>) -> Result<()> {
        while self.ready.is_empty() && self.left > 0 {
            if !self.read()? {
                return Ok(());
            }
        }
        out.extend(self.ready.drain(..max.min(self.ready.len())));
        Ok(())
    }

    fn release(&mut self) {
        self.scan = None;
    }
}

impl ChangeReader {
    /// Returns the collections to read of those that the query names.
    ///
    /// Errors: 10 for too many, 1203 and 11.
    fn wanted(&self, names: &[String]) -> Result<HashSet<String>> {
        if names.len() > COLLECTIONS_MAX {
            return Err(Error::bad_parameter(format!("at most {COLLECTIONS_MAX} collections are accepted")));
        }
        let catalog = self.session.catalog();
        let database = self.session.database_in(&catalog)?;
        let mut wanted = HashSet::new();
        for name in names {
            if database.collection(name).is_none() {
                return Err(Error::collection_not_found(name));
            }
            match self.authorize.as_ref().map_or(Ok(()), |authorize| authorize(name)) {
                Err(_) if self.inaccessible_are_empty => continue,
                allowed => allowed?,
            }
            wanted.insert(name.clone());
        }
        Ok(wanted)
    }

    /// Makes the log begin, if it has not begun.
    fn begin_log(&self) -> Result<LogStart> {
        let store = self.session.instance().store();
        // A wait for the query's own transaction would not end.
        let deadline = Instant::now() + if self.writes { Duration::ZERO } else { BEGIN_WAIT };
        loop {
            match store.begin_change_log(BEGIN_STEP) {
                Err(error) if error.code() == ErrorCode::LockTimeout && Instant::now() < deadline => {
                    self.interrupt.check()?;
                }
                begun => return begun,
            }
        }
    }
}
