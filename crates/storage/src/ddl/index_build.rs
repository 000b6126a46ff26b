//! Index builds over existing documents, in bounded memory. An external sort orders the entries,
//! and a bulk load writes them without the log. Writers wait in the meantime, because the caller
//! holds the collection's lock exclusively; readers continue.
//!
//! Threads take parts of the documents and sort their entries. Then each of them merges and loads a
//! range of the keys.

use std::sync::Mutex;
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use catalog::{IndexDefinition, IndexType};
use encryption::TemporaryFolder;
use errors::{ConflictingDocument, Error, Result};
use kv::{BlockLimits, BulkLoad, Durability, Engine, LoadHint, LoadKind};
use velocypack::Slice;

use crate::base::error;
use crate::base::external_sort::{SortedPairs, Sorter};
use crate::base::options::StoreOptions;
use crate::encoding::entry::key_of_unique_value;
use crate::index::entries::Entries;
use crate::index::{Index, TrainingSource};
use crate::metrics::VectorBuilds;
use crate::scan::{DocumentScanSpec, KeyBound};
use crate::visibility::estimate::EstimateChange;
use crate::{Collection, Snapshot};

/// The size of a block of documents that are read.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 4096, bytes: 4 << 20 };
/// The number of documents from which several threads share the work.
const PARALLEL_MIN_DOCUMENTS: u64 = 20_000;
/// Parts of the documents for each thread. There are several because the keys that divide a
/// collection are estimates.
const PARTS_PER_THREAD: usize = 8;
/// Number of entries after which they are applied to the estimate, which has a lock.
const NOTED_MAX: usize = 1024;
/// Entries that are loaded between two checks.
const ENTRIES_PER_CHECK: usize = 4096;

/// A check that long work calls from time to time, from several threads. Its error ends the work.
pub type SharedCheck<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// A collector of the entries of one index.
struct Builder<'a> {
    index: &'a Index,
    collection: &'a str,
    sorter: Sorter,
    entries: Entries,
    /// The changes that are not yet applied to the index's estimate.
    estimate: EstimateChange,
    noted: usize,
}

impl<'a> Builder<'a> {
    /// Makes a builder that keeps at most about `budget_bytes` in memory, and the rest in temporary
    /// files in `folder`.
    fn new(index: &'a Index, collection: &'a str, folder: &TemporaryFolder, budget_bytes: usize) -> Self {
        let sorter = Sorter::new(folder.clone(), budget_bytes);
        let (entries, estimate) = (Entries::default(), EstimateChange::default());
        Builder { index, collection, sorter, entries, estimate, noted: 0 }
    }

    /// Adds the entries of a document.
    ///
    /// Errors: 1210 for a document that has the same unique value twice.
    fn add(&mut self, document: Slice<'_>, key: &str) -> Result<()> {
        self.entries.clear();
        self.index.entries(document, key, &mut self.entries)?;
        if self.entries.has_duplicates() {
            return Err(violation(self.index, self.collection, key));
        }
        for entry in self.entries.iter() {
            if let Some(estimate) = self.index.estimate() {
                estimate.note(entry.hash, true, &mut self.estimate);
            }
            self.sorter.add(entry.key, entry.value)?;
        }
        self.noted += self.entries.iter().len();
        if self.noted >= NOTED_MAX {
            self.apply_estimate();
        }
        Ok(())
    }

    /// Adds the entries that belong to no document.
    fn add_own(&mut self) -> Result<()> {
        self.entries.clear();
        self.index.own_entries(&mut self.entries);
        self.entries.iter().try_for_each(|entry| self.sorter.add(entry.key, entry.value))
    }

    fn apply_estimate(&mut self) {
        let change = std::mem::take(&mut self.estimate);
        self.noted = 0;
        if let Some(estimate) = self.index.estimate() {
            estimate.apply(&change);
        }
    }
}

/// Returns how many threads build an index of this many documents.
fn threads_for(index: &Index, documents: u64) -> usize {
    match documents {
        ..PARALLEL_MIN_DOCUMENTS => 1,
        _ => index.build_threads(),
    }
}

fn open_loads(count: usize, entries: u64, engine: &dyn Engine) -> Result<Vec<Box<dyn BulkLoad>>> {
    let hint = LoadHint::Sorted { pairs: usize::try_from(entries).unwrap_or(usize::MAX) / count };
    (0..count).map(|_| Ok(engine.load(LoadKind::Private, hint)?)).collect()
}

/// Loads the entries of the builders of one index. Each load takes a range of keys, on a thread of
/// its own. Nothing becomes visible if this fails.
///
/// Errors: 1210 if two documents have the same unique values.
fn load(builders: Vec<Builder<'_>>, loads: Vec<Box<dyn BulkLoad>>, check: SharedCheck<'_>) -> Result<()> {
    let Some((index, collection)) = builders.first().map(|builder| (builder.index, builder.collection))
    else {
        return Ok(());
    };
    let sorter = |mut builder: Builder<'_>| {
        builder.apply_estimate();
        builder.sorter
    };
    let ranges = Sorter::finish_in_ranges(builders.into_iter().map(sorter).collect(), loads.len())?;
    let load_range = |(sorted, load)| load_entries(index, collection, sorted, load, check);
    let mut parts: Vec<_> = ranges.into_iter().zip(loads).collect();
    let Some(last) = parts.pop() else { return Ok(()) };
    std::thread::scope(|scope| {
        let others: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| load_range(part))).collect();
        let own = load_range(last);
        others.into_iter().map(join).fold(own, Result::and)
    })
}

fn load_entries(
    index: &Index,
    collection: &str,
    mut sorted: SortedPairs,
    mut load: Box<dyn BulkLoad>,
    check: SharedCheck<'_>,
) -> Result<()> {
    let mut last: Option<Vec<u8>> = None;
    let mut loaded = 0_usize;
    while let Some((key, value)) = sorted.next_pair()? {
        if last.as_deref() == Some(key) {
            return Err(violation(index, collection, key_of_unique_value(value).unwrap_or_default()));
        }
        load.add(key, value)?;
        if index.is_unique() {
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(key);
        }
        loaded += 1;
        if loaded.is_multiple_of(ENTRIES_PER_CHECK) {
            check()?;
        }
    }
    // A later change of the catalog makes the index known, and that change is durable.
    Ok(load.finish(Durability::Buffered)?)
}

fn violation(index: &Index, collection: &str, key: &str) -> Error {
    let document =
        ConflictingDocument { collection: collection.to_owned(), key: key.to_owned(), revision: None };
    let index_type = index.definition().properties.type_name();
    error::unique_violation(index.name(), index_type, &index.fields_text(), document)
}

/// The documents over which an index is created.
pub(crate) struct IndexSource<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) collection: &'a Collection,
    pub(crate) options: &'a StoreOptions,
    pub(crate) check: SharedCheck<'a>,
}

impl IndexSource<'_> {
    /// Makes an index, which learns from the documents what its entries need.
    ///
    /// Errors: 9, 10 for a document that cannot be indexed, that of the check.
    pub(crate) fn train(&self, definition: IndexDefinition, builds: &VectorBuilds) -> Result<Index> {
        if definition.properties.index_type != IndexType::Vector {
            return Index::train(definition, self, &self.options.search);
        }
        let began = Instant::now();
        builds.ongoing_trainings.increment();
        let index = Index::train(definition, self, &self.options.search);
        builds.ongoing_trainings.decrement();
        if index.as_ref().is_ok_and(|index| index.trained().is_some()) {
            builds.trainings.add_time(began.elapsed());
        }
        index
    }
}

impl TrainingSource for IndexSource<'_> {
    fn count(&self) -> Result<u64> {
        self.snapshot.count(self.collection)
    }

    fn for_each(&self, visit: &mut dyn FnMut(Slice<'_>) -> Result<()>) -> Result<()> {
        let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
        let mut scan = self.snapshot.scan(self.collection, &spec)?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            self.check()?;
            documents.iter().try_for_each(&mut *visit)?;
        }
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        self.options.sort_budget_bytes
    }

    fn check(&self) -> Result<()> {
        (self.check)()
    }
}

/// The input of an index build.
pub(crate) struct Build<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) collection: &'a Collection,
    pub(crate) index: &'a Index,
    pub(crate) options: &'a StoreOptions,
    pub(crate) builds: &'a VectorBuilds,
    pub(crate) check: SharedCheck<'a>,
}

impl Build<'_> {
    /// Builds the index over all documents of the snapshot.
    pub(crate) fn run(&self) -> Result<()> {
        let began = Instant::now();
        self.build()?;
        if self.index.trained().is_some() {
            self.builds.ingestions.add_time(began.elapsed());
        }
        Ok(())
    }

    fn build(&self) -> Result<()> {
        let documents = self.snapshot.count(self.collection)?;
        let threads = threads_for(self.index, documents);
        // The loads stay open from now on, so that the engine leaves the machine to this build.
        let loads = open_loads(threads, documents, self.engine)?;
        let parts = Mutex::new(self.parts(threads)?);
        let next_part = || parts.lock().ok().and_then(|mut parts| parts.pop());
        let budget_bytes = self.options.sort_budget_bytes / threads;
        let collect = || {
            let folder = &self.options.temporary_folder;
            let mut builder = Builder::new(self.index, self.collection.name(), folder, budget_bytes);
            while let Some(part) = next_part() {
                self.collect_part(&part, &mut builder)?;
            }
            builder.sorter.sort();
            Ok(builder)
        };
        let builders: Result<Vec<Builder<'_>>> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(collect)).collect();
            let own = collect();
            std::iter::once(own).chain(others.into_iter().map(join)).collect()
        });
        let mut builders = builders?;
        if let Some(first) = builders.first_mut() {
            first.add_own()?;
        }
        load(builders, loads, self.check)
    }

    /// Divides all documents into ranges.
    fn parts(&self, threads: usize) -> Result<Vec<DocumentScanSpec>> {
        let all = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
        if threads == 1 {
            return Ok(vec![all]);
        }
        let range = crate::encoding::object_range(self.collection.object_id());
        let points = self.engine.split_points(&range, threads * PARTS_PER_THREAD)?;
        let points = crate::snapshot::split::split_keys(points, &range);
        let bound = |key: &String, inclusive| Some(KeyBound { key: key.clone(), inclusive });
        let starts = std::iter::once(None).chain(points.iter().map(|point| bound(point, true)));
        let ends = points.iter().map(|point| bound(point, false)).chain(std::iter::once(None));
        let part = |(from_key, to_key)| DocumentScanSpec { from_key, to_key, ..all.clone() };
        Ok(starts.zip(ends).map(part).collect())
    }

    fn collect_part(&self, part: &DocumentScanSpec, builder: &mut Builder<'_>) -> Result<()> {
        let mut scan = self.snapshot.scan(self.collection, part)?;
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            (self.check)()?;
            for document in documents.iter() {
                let key = document.get("_key").and_then(Slice::as_str);
                builder.add(document, key.ok_or_else(|| Error::corrupt("a document without '_key'"))?)?;
            }
        }
        Ok(())
    }
}

fn join<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(Error::internal("a thread that built an index has panicked")))
}
