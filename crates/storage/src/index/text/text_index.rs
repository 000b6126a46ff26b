//! The state of one text index in memory.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, TryLockError};
use std::time::Duration;

use analyzers::built_in;
use aql_value::Waiting;
use catalog::index::TypeOptions;
use catalog::text_index::UsedAnalyzers;
use catalog::{IndexDefinition, ObjectId};
use encryption::MasterKey;
use errors::{Error, ErrorCode, Result};
use kv::{BlockLimits, KeyRange, ScanSpec};
use search::{Analysis, Schema, SearchSnapshot, SegmentFolder};

use super::encoding::{IMAGE, append_outbox_key, outbox_entry, outbox_range, outbox_range_of, shared_ticket};
use super::folder;
use super::pace::Pace;
use super::work::Work;
use crate::base::search_options::SearchOptions;
use crate::metrics::TextIndexStatistics;
use crate::sharing::Members;
use crate::visibility::read_cache::CommitNumber;

/// A check that long work calls from time to time. Its error ends the work.
pub(crate) type StepCheck<'a> = &'a dyn Fn() -> Result<()>;

/// The time between two checks of an index that another thread works on.
const POLL: Duration = Duration::from_millis(1);

/// A text index.
pub(crate) struct TextIndex {
    pub(crate) object: ObjectId,
    /// The fields; an error if an Analyzer cannot be opened.
    schema: Result<Arc<Schema>>,
    /// The folder of its segments; `None` if they are in memory.
    pub(crate) folder: Option<PathBuf>,
    /// The key of the files in the folder, if they are encrypted.
    encryption: Option<Arc<MasterKey>>,
    /// The next ticket of the outbox.
    next_ticket: AtomicU64,
    /// The servers that share the store, each of which has an outbox.
    members: OnceLock<Arc<Members>>,
    /// The state that queries see; `None` before the first step.
    published: RwLock<Option<Published>>,
    /// The state of the indexer, which one step or merge changes at a time.
    work: Mutex<Work>,
    /// True once nothing owns the index any more.
    is_retired: AtomicBool,
    counts: Counts,
    /// The progress of the indexer after the writers.
    pub(crate) pace: Pace,
}

/// A state that queries see.
#[derive(Clone, Default)]
pub(crate) struct Published {
    pub(crate) snapshot: Arc<SearchSnapshot>,
    /// The last commit which it is certain to have, with all commits before it; `None` if that is
    /// unknown.
    pub(crate) as_of: Option<CommitNumber>,
    /// The number of the state, which each later one increases; 0 if there is none yet.
    pub(crate) number: u64,
}

/// Numbers of [`Work`] that are read without its lock.
#[derive(Debug, Default)]
struct Counts {
    memory_bytes: AtomicU64,
    folder_bytes: AtomicU64,
    files: AtomicU64,
    /// Documents that the first step has indexed so far, and all that it has to index.
    built: AtomicU64,
    to_build: AtomicU64,
}

impl TextIndex {
    /// Opens an index of a definition; `None` if it is not a text index.
    pub(crate) fn new(definition: &IndexDefinition, options: &SearchOptions) -> Option<Arc<TextIndex>> {
        let object = definition.object_id;
        let schema = match &definition.properties.options {
            TypeOptions::Inverted(inverted) => inverted.to_definition().and_then(|definition| {
                let find = |name: &str| analysis(&inverted.analyzers, name, options);
                Schema::parse(definition.as_slice(), &find)
            }),
            TypeOptions::Link(link) => link.to_definition().and_then(|definition| {
                let find = |name: &str| analysis(&link.analyzers, name, options);
                Schema::parse_link(definition.as_slice(), &find)
            }),
            _ => return None,
        };
        Some(Arc::new(TextIndex {
            object,
            schema: schema.map(Arc::new),
            folder: options.folder.as_deref().map(|folder| folder::of_index(folder, object)),
            encryption: options.encryption.clone(),
            next_ticket: AtomicU64::new(1),
            members: OnceLock::new(),
            published: RwLock::default(),
            work: Mutex::default(),
            is_retired: AtomicBool::new(false),
            counts: Counts::default(),
            pace: Pace::default(),
        }))
    }

    /// Makes new tickets greater than all in the outbox.
    pub(crate) fn continue_outbox(&self, engine: &dyn kv::Snapshot) -> Result<()> {
        let spec = ScanSpec::backward(outbox_range(self.object)).keys_only();
        let block = engine.scan(spec)?.next_block(BlockLimits { rows: 1, bytes: 1 })?;
        let last = block.as_ref().and_then(|block| block.iter().next().map(|(key, _)| outbox_entry(key)));
        if let Some((ticket, _)) = last.flatten() {
            self.next_ticket.store(ticket.saturating_add(1), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Makes the index one of a store that several servers share, before anyone writes to it.
    ///
    /// Each server has an outbox of its own, in which all servers write. The first byte of a ticket
    /// is the number of the outbox's server, the last one that of the writer. Between them is a
    /// count that begins anywhere, so that a new server does not repeat the tickets of an earlier
    /// one.
    pub(crate) fn share(&self, members: &Arc<Members>) {
        if self.members.set(Arc::clone(members)).is_ok() {
            self.next_ticket.store(members.own().identity, Ordering::Relaxed);
        }
    }

    /// Returns true if several servers share the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.members.get().is_some()
    }

    /// Returns the range of this server's outbox.
    pub(crate) fn outbox(&self) -> KeyRange {
        match self.members.get() {
            Some(members) => outbox_range_of(self.object, members.own().number),
            None => outbox_range(self.object),
        }
    }

    /// Passes each new pair of the outboxes to `add`, as a function that appends its key.
    pub(crate) fn add_entries(&self, key: &str, mut add: impl FnMut(&dyn Fn(&mut Vec<u8>))) {
        self.pace.note_added();
        let count = self.next_ticket.fetch_add(1, Ordering::Relaxed);
        let Some(members) = self.members.get() else {
            return add(&|bytes| append_outbox_key(self.object, count, key, bytes));
        };
        let (living, writer) = (members.living(), members.own().number);
        for target in living.iter().chain([&IMAGE]) {
            let ticket = shared_ticket(*target, count, writer);
            add(&|bytes| append_outbox_key(self.object, ticket, key, bytes));
        }
    }

    /// Returns the fields.
    ///
    /// Errors: 9 and 10 if an Analyzer cannot be opened.
    pub(crate) fn schema(&self) -> Result<&Arc<Schema>> {
        self.schema.as_ref().map_err(Error::clone)
    }

    /// Returns the state that queries see; `None` before the first step.
    pub(crate) fn published(&self) -> Option<Published> {
        self.published.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of the state that queries see; 0 before the first step.
    pub(crate) fn state_number(&self) -> u64 {
        let published = self.published.read().unwrap_or_else(PoisonError::into_inner);
        published.as_ref().map_or(0, |published| published.number)
    }

    /// Shows the state of the indexer to queries.
    pub(crate) fn publish(&self, work: &Work) {
        let snapshot = Arc::new(SearchSnapshot::new(work.snapshot_parts()));
        let mut present = self.published.write().unwrap_or_else(PoisonError::into_inner);
        let number = present.as_ref().map_or(0, |present| present.number) + 1;
        let published = Published { snapshot, as_of: work.as_of, number };
        debug_assert!(
            present.as_ref().is_none_or(|present| present.as_of <= published.as_of),
            "a text index goes back to an earlier state"
        );
        *present = Some(published);
        drop(present);
        self.note_counts(work);
    }

    /// Shows the state of the indexer to queries, unless a step has failed midway.
    pub(crate) fn publish_whole(&self, work: &Work) {
        if work.is_open && !work.is_partial {
            self.publish(work);
        }
    }

    fn note_counts(&self, work: &Work) {
        let (folder_bytes, files) = work.folder_size();
        self.counts.memory_bytes.store(work.memory_bytes(), Ordering::Relaxed);
        self.counts.folder_bytes.store(folder_bytes, Ordering::Relaxed);
        self.counts.files.store(files, Ordering::Relaxed);
    }

    /// Sets the progress of the first step.
    pub(crate) fn note_progress(&self, more: u64, of: Option<u64>) {
        if let Some(all) = of {
            self.counts.built.store(0, Ordering::Relaxed);
            self.counts.to_build.store(all, Ordering::Relaxed);
        }
        self.counts.built.fetch_add(more, Ordering::Relaxed);
    }

    /// Returns the bytes of its segments in memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.counts.memory_bytes.load(Ordering::Relaxed)
    }

    /// Returns the size of the published state.
    pub(crate) fn statistics(&self) -> TextIndexStatistics {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let counts = &self.counts;
        let Some(Published { snapshot, .. }) = self.published() else {
            let progress = load(&counts.built).saturating_mul(100).checked_div(load(&counts.to_build));
            return TextIndexStatistics {
                progress_percent: Some(progress.unwrap_or(0).min(100)),
                ..TextIndexStatistics::default()
            };
        };
        let alive = || snapshot.parts().iter().map(|part| &part.alive);
        let documents = alive().map(|alive| u64::from(alive.documents())).sum();
        let dead: u64 = alive().map(|alive| u64::from(alive.dead())).sum();
        TextIndexStatistics {
            documents,
            living_documents: documents - dead,
            segments: snapshot.parts().len() as u64,
            files: load(&counts.files),
            bytes: load(&counts.memory_bytes) + load(&counts.folder_bytes),
            progress_percent: None,
            delay_ms: self.pace.delay_ms(),
        }
    }

    /// Locks the state of the indexer.
    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state of the indexer; `None` if another thread has locked it.
    pub(crate) fn try_work(&self) -> Option<MutexGuard<'_, Work>> {
        match self.work.try_lock() {
            Ok(work) => Some(work),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Locks the state of the indexer. While another thread has locked it, `check` is called from
    /// time to time; its error ends the wait.
    pub(crate) fn work_unless(&self, check: StepCheck<'_>) -> Result<MutexGuard<'_, Work>> {
        loop {
            check()?;
            match self.try_work() {
                Some(work) => return Ok(work),
                None => {
                    let _waiting = Waiting::begin();
                    std::thread::sleep(POLL);
                }
            }
        }
    }

    /// Returns the folder of a segment in that of its index.
    pub(crate) fn segment_folder(&self, folder: &Path, segment: u64) -> SegmentFolder {
        SegmentFolder { path: folder::of_segment(folder, segment), encryption: self.encryption.clone() }
    }

    /// Ends all work on an index that nothing owns any more, and removes its folder. Queries keep
    /// the states that they have.
    pub(crate) fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
        let mut work = self.work();
        *work = Work::default();
        if let Some(folder) = &self.folder {
            folder::remove(folder);
        }
    }

    /// Returns true if nothing owns the index any more.
    pub(crate) fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::Acquire)
    }

    /// Checks that something owns the index.
    ///
    /// Errors: 1212 otherwise.
    pub(crate) fn check_owned(&self) -> Result<()> {
        if self.is_retired() { Err(Error::of(ErrorCode::IndexNotFound)) } else { Ok(()) }
    }
}

fn analysis(analyzers: &UsedAnalyzers, name: &str, options: &SearchOptions) -> Result<Analysis> {
    if let Some(analyzer) = built_in(name) {
        return Ok(Analysis::of(analyzer));
    }
    let missing =
        || Error::bad_parameter(format!("the index does not have the definition of Analyzer '{name}'"));
    let definition = analyzers.get(name).ok_or_else(missing)?;
    Ok(Analysis::of(&definition.open(&*options.queries)?))
}
