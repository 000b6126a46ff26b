//! Feeds: the change log of a database, as its user may see it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use aql_value::{Interrupt, Value};
use catalog::AccessLevel;
use errors::{Error, ErrorCode, Result};
use storage::{BlockLimits, Change, ChangeBlock, ChangeKind, ChangeScan, ChangeScope, SERVER_LOG};
use velocypack::{Builder, Slice};

use super::form::{self, ChangeForm, CommitTimes, Context};
use super::initial::Initial;
use super::names::{database_names, definition};
use super::restricted;
use super::rights::Rights;
use super::slot_filter::SlotFilter;
use super::{FeedRequest, Since, Token};
use crate::base::Owner;
use crate::embedded_aql::ChangeFilter;
use crate::session::Session;
use crate::state::feeds::{OpenFeed, Registration};

/// Parts of commits that one read takes at most.
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 256 << 10 };
/// The time that the first feed of a store waits for transactions that began before the log.
const BEGIN_WAIT: Duration = Duration::from_secs(5);

/// A feed of changes.
pub struct Feed {
    session: Session,
    scope: ChangeScope,
    log: u64,
    /// The position of the last entry that was read, or below which there is nothing else.
    after: u64,
    scan: Option<ChangeScan>,
    collections: Option<HashSet<String>>,
    filter: Option<Arc<ChangeFilter>>,
    slots: Option<SlotFilter>,
    form: ChangeForm,
    /// The changes that the feed may still show.
    left: Option<u64>,
    initial: Option<Initial>,
    /// The commits from `after` on that the initial documents show already.
    shown: HashSet<u64>,
    rights: Rights,
    interrupt: Interrupt,
    registration: Registration,
}

/// The outcome of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of changes that were written.
    pub changes: u64,
    /// There may be more at once.
    pub has_more: bool,
}

impl Session {
    /// Opens a feed. The log begins if it has not begun.
    ///
    /// Errors: 10 for a wrong filter, 11, 1203 for a collection that does not exist, unless the
    /// feed begins at a token. 32 for too many feeds. 1414 with status 410 for a token whose
    /// entries are gone. 9 if the log is turned off, 18 if it cannot begin yet.
    pub fn open_feed(&self, request: FeedRequest) -> Result<Feed> {
        self.open_feed_of(request, None)
    }

    /// Opens a feed of the changes of some slots, or of all.
    ///
    /// Errors: those of [`Session::open_feed`].
    pub(crate) fn open_feed_of(&self, request: FeedRequest, slots: Option<SlotFilter>) -> Result<Feed> {
        self.change_scope(request.global)?;
        // One that was dropped since the token still has changes to read.
        let may_be_gone = matches!(request.since, Since::Token(_));
        for name in request.collections.iter().flatten() {
            match self.collection(name, AccessLevel::ReadOnly) {
                Err(error) if may_be_gone && error.code() == ErrorCode::DataSourceNotFound => {
                    self.require_collection(name, AccessLevel::ReadOnly)?;
                }
                found => drop(found?),
            }
        }
        let filter = self.change_filter(request.filter.as_deref(), &request.bind_vars)?;
        self.begin_feed(request, filter, slots)
    }

    /// Compiles a filter. `bind_vars` has the values of its bind parameters, as VelocyPack.
    ///
    /// Errors: 10 for a wrong filter, those of bind parameters.
    pub(super) fn change_filter(
        &self,
        text: Option<&str>,
        bind_vars: &[u8],
    ) -> Result<Option<Arc<ChangeFilter>>> {
        let Some(text) = text else { return Ok(None) };
        let bind_vars = Value::from_slice(Slice::new(bind_vars));
        let filter = ChangeFilter::compile(text, &bind_vars, &self.instance().empty_store)?;
        Ok(Some(Arc::new(filter)))
    }

    /// Opens a feed with a compiled filter. Its collections need not exist.
    ///
    /// Errors: as [`Session::open_feed`].
    pub(super) fn begin_feed(
        &self,
        request: FeedRequest,
        filter: Option<Arc<ChangeFilter>>,
        slots: Option<SlotFilter>,
    ) -> Result<Feed> {
        let FeedRequest { since, collections: names, filter: text, limit, initial, global, form, .. } =
            request;
        let scope = self.change_scope(global)?;
        let store = self.instance().store();
        let start = store.begin_change_log(BEGIN_WAIT)?;
        let collections = names.as_ref().map(|names| names.iter().cloned().collect());
        let first = store.first_position_of(scope, collections.as_ref())?;
        let interrupt = self.part_interrupt();
        let registration = self.instance().feeds().register(
            self.instance().next_local_id()?,
            self.owner(),
            names.unwrap_or_default(),
            text,
            interrupt.clone(),
        )?;
        let mut feed = Feed {
            session: self.clone(),
            scope,
            log: start.id,
            after: 0,
            scan: None,
            collections,
            filter,
            slots,
            form,
            left: limit,
            initial: None,
            shown: HashSet::new(),
            rights: Rights::default(),
            interrupt,
            registration,
        };
        feed.after = match since {
            Since::Now => store.present_position()?.saturating_sub(1),
            Since::Earliest => first.saturating_sub(1),
            Since::Token(token) => {
                token.check(store, start, first)?;
                token.position
            }
        };
        if initial {
            feed.begin_initial()?;
        }
        Ok(feed)
    }

    /// Lists the open feeds of the user, or of all users for administrators.
    pub fn open_feeds(&self) -> Vec<OpenFeed> {
        self.instance().feeds().list(self.sees_feeds())
    }

    /// Returns the last position of the change log; 0 if it is not written.
    pub fn last_change(&self) -> u64 {
        let store = self.instance().store();
        store.change_log().map_or(0, |_| store.resolved_position().saturating_sub(1))
    }

    /// Ends a feed.
    ///
    /// Errors: 1600 if the user has no such feed.
    pub fn end_feed(&self, id: u64) -> Result<()> {
        match self.instance().feeds().end(id, self.sees_feeds()) {
            true => Ok(()),
            false => Err(Error::new(ErrorCode::CursorNotFound, format!("there is no feed {id}"))),
        }
    }

    fn sees_feeds(&self) -> impl Fn(&Owner) -> bool {
        let (is_administrator, own) = (self.require_administrator().is_ok(), self.owner());
        move |owner: &Owner| is_administrator || *owner == own
    }

    /// Returns the logs that a client may read.
    ///
    /// Errors: 11 if all are wanted by a user who is no administrator, 1228.
    pub(crate) fn change_scope(&self, global: bool) -> Result<ChangeScope> {
        if global {
            self.require_administrator()?;
            return Ok(ChangeScope::All);
        }
        let catalog = self.catalog();
        Ok(ChangeScope::Database(self.database_in(&catalog)?.definition().id))
    }
}

impl Feed {
    /// Returns the token behind everything that was read.
    pub fn token(&self) -> Token {
        Token { log: self.log, position: self.after }
    }

    /// Returns the interrupt that ends the feed.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns true if the feed has shown as many changes as it may.
    pub fn is_complete(&self) -> bool {
        self.left == Some(0)
    }

    /// Returns true if commits have ended that the feed has not read.
    pub fn has_news(&self) -> bool {
        let instance = self.session.instance();
        self.initial.is_some()
            || self.scan.is_some()
            || instance.store().resolved_position() > self.after.saturating_add(1)
            || self.is_complete()
            || instance.is_stopping()
            || self.interrupt.check().is_err()
    }

    /// Reads the next changes, and passes the token and the JSON of each to `frame`. It reads one
    /// block.
    ///
    /// Errors: 1414 with status 410 if entries were removed before they were read, 11 without
    /// rights on the database, 1228 if it was dropped, those of the filter.
    pub fn read(&mut self, frame: &mut dyn FnMut(Option<Token>, &[u8])) -> Result<Progress> {
        self.interrupt.check()?;
        self.rights.refresh(&self.session, self.scope)?;
        if let Some(mut initial) = self.initial.take() {
            let read = initial.read(&self.session, self.form, frame)?;
            if read > 0 {
                self.initial = Some(initial);
            } else {
                let mut line = Vec::new();
                form::write_ready(self.form, self.session.database_name(), self.token(), &mut line);
                frame(Some(self.token()), &line);
            }
            return Ok(Progress { changes: 0, has_more: true });
        }
        let mut scan = match self.scan.take() {
            Some(scan) => scan,
            None => self.begin_scan()?,
        };
        let Some(block) = scan.next_block(BLOCK)? else {
            // Everything below the end of the scan was seen.
            self.after = self.after.max(scan.end().saturating_sub(1));
            self.registration.note(self.after);
            return Ok(Progress { changes: 0, has_more: false });
        };
        let changes = self.write(&block, frame)?;
        self.registration.note(self.after);
        self.scan = Some(scan).filter(|_| !self.is_complete());
        Ok(Progress { changes, has_more: !self.is_complete() })
    }

    /// Releases what pins memory of the engine, because the client is slow.
    pub fn release(&mut self) {
        self.scan = None;
    }

    fn begin_initial(&mut self) -> Result<()> {
        let store = self.session.instance().store();
        let (snapshot, below, shown) = store.snapshot_with_changes(self.scope)?;
        let snapshot = snapshot.restricted(self.session.document_restrictions());
        self.after = below.saturating_sub(1);
        self.shown = shown.into_iter().collect();
        self.initial = Some(Initial::new(&self.session, snapshot, self.collections.as_ref())?);
        Ok(())
    }

    /// Begins to scan behind the last entry that was read, unless something was removed there.
    fn begin_scan(&self) -> Result<ChangeScan> {
        let store = self.session.instance().store();
        self.session.instance().log_readers().note_read();
        let scan = store.scan_changes(self.scope, self.after)?;
        let start = store.change_log().ok_or_else(|| Error::of(ErrorCode::ReplicationStartTickNotPresent))?;
        self.token().check(store, start, store.first_position_of(self.scope, self.collections.as_ref())?)?;
        Ok(scan)
    }

    fn write(&mut self, block: &ChangeBlock, frame: &mut dyn FnMut(Option<Token>, &[u8])) -> Result<u64> {
        let after = self.after;
        let passing = self.passing(block, after)?;
        let names = database_names(&self.session);
        let (mut written, mut line, mut times) = (0, Vec::new(), CommitTimes::default());
        block.for_each(after, |commit, changes| {
            let judged = restricted::judge(&self.session, changes)?;
            let changes = restricted::apply(changes, judged.as_deref());
            // A database that was dropped has no name any more. Its end is a change of its own.
            let is_known = commit.database == SERVER_LOG || names.contains_key(&commit.database);
            let is_shown = self.shown.contains(&commit.first) || !is_known;
            let mut wanted = Vec::with_capacity(changes.len());
            for change in changes.iter().filter(|_| !is_shown) {
                if self.is_wanted(change) && passing.as_ref().is_none_or(|set| set.contains(&change.position))
                {
                    wanted.push(change);
                }
            }
            let (last, time) = (wanted.len(), times.of(commit));
            for (i, change) in wanted.into_iter().enumerate() {
                if self.left == Some(0) {
                    return Ok(());
                }
                let definition = match change.kind.is_of_document() {
                    true => None,
                    false => definition(change, self.session.require_administrator().is_ok())?,
                };
                let context = Context {
                    database: names.get(&commit.database).map_or("", AsRef::as_ref),
                    is_global: self.scope == ChangeScope::All,
                    log: self.log,
                    commit,
                    time,
                    is_last: commit.is_last_part && i + 1 == last,
                    definition: definition.as_deref().map_or(Slice::NONE, Slice::new),
                };
                line.clear();
                form::write(self.form, change, &context, &mut line);
                frame(Some(Token { log: self.log, position: change.position }), &line);
                self.after = change.position;
                self.left = self.left.map(|left| left - 1);
                written += 1;
            }
            if self.left != Some(0) {
                self.after = self.after.max(commit.end.saturating_sub(1));
            }
            Ok(())
        })?;
        Ok(written)
    }

    /// Returns true if the feed is about the change, and the user may see it.
    fn is_wanted(&mut self, change: &Change<'_>) -> bool {
        if !self.form.has(change.kind) || self.slots.as_ref().is_some_and(|slots| !slots.includes(change)) {
            return false;
        }
        let Some(collection) = change.collection else {
            return self.collections.is_none();
        };
        if self.collections.as_ref().is_some_and(|names| !names.contains(collection.name)) {
            return false;
        }
        self.scope == ChangeScope::All || self.rights.may_read(&self.session, collection)
    }

    /// Returns the positions of the changes that pass the filter; `None` without one.
    ///
    /// The filter sees only changes that the user may see.
    fn passing(&mut self, block: &ChangeBlock, after: u64) -> Result<Option<HashSet<u64>>> {
        if self.filter.is_none() {
            return Ok(None);
        }
        let mut values = Builder::new();
        values.open_object()?;
        values.key("changes")?;
        values.open_array()?;
        block.for_each(after, |_, changes| {
            let judged = restricted::judge(&self.session, changes)?;
            for change in restricted::apply(changes, judged.as_deref()).iter() {
                if self.is_wanted(change) {
                    add_change(&mut values, change)?;
                }
            }
            Ok(())
        })?;
        values.close()?;
        values.close()?;
        match &self.filter {
            Some(filter) => filter.passing(Value::from_builder(values), &self.interrupt).map(Some),
            None => Ok(None),
        }
    }
}

/// Adds what a filter sees of a change.
fn add_change(values: &mut Builder, change: &Change<'_>) -> Result<()> {
    let name = change.collection.map(|collection| collection.name);
    values.open_object()?;
    values.key("position")?;
    values.add_u64(change.position)?;
    values.key("operation")?;
    values.add_str(form::operation(change.kind))?;
    values.key("collection")?;
    match name {
        Some(name) => values.add_str(name)?,
        None => values.add_null()?,
    }
    for (attribute, value) in [("document", Some(change.document)), ("before", change.old)] {
        values.key(attribute)?;
        match value.filter(|value| !value.is_none() && change.kind != ChangeKind::Truncated) {
            Some(value) => values.add_resolved(value, name)?,
            None => values.add_null()?,
        }
    }
    Ok(values.close()?)
}
