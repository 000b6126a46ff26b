//! Loading many documents into an empty collection beside the log, as a restore does.
//!
//! Documents may come in any order: they and the entries of every index are sorted outside of memory and loaded into
//! new objects, which then take the place of the collection's empty ones in one atomic change. Until then nobody sees
//! anything of them, and a crash leaves nothing behind. Writers wait meanwhile.

use std::sync::Arc;

use catalog::ObjectId;
use velocypack::Slice;

use crate::counters::{Counters, Totals};
use crate::external_sort::Sorter;
use crate::gate::GateGuard;
use crate::index::build::Builder;
use crate::store::Shared;
use crate::transaction::AssembledDocument;
use crate::{Collection, Error, ErrorCode, Index, Result, Store, WriteOptions, deletion, encoding};

/// A bulk load in progress. Dropping it without [`BulkLoad::finish`] leaves the collection empty.
pub struct BulkLoad {
    shared: Arc<Shared>,
    /// The collection with new objects.
    target: Collection,
    /// The collection as it is.
    present: Arc<Collection>,
    sorter: Sorter,
    totals: Totals,
    _guard: GateGuard,
}

/// What a bulk load did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkLoaded {
    /// Documents that are there now.
    pub documents: u64,
    /// Documents that were added but are not there, because a later one has the same key.
    pub superseded: u64,
}

impl Store {
    /// Starts loading into a collection that has no documents. Waits for its writers.
    ///
    /// Errors: 1000 unless the collection is empty, 1203, 18, 1004.
    pub fn bulk_load(&self, collection: &Collection) -> Result<BulkLoad> {
        let guard = self.shared.exclude_writers(collection)?;
        let snapshot = self.snapshot()?;
        let present = snapshot.catalog().same_collection(collection);
        let present = Arc::clone(present.ok_or_else(|| Error::collection_not_found(collection.name()))?);
        if snapshot.count(&present)? != 0 {
            let message = format!("illegal state: collection '{}' is not empty", present.name());
            return Err(Error::new(ErrorCode::IllegalState, message));
        }
        let mut target = Collection::clone(&present);
        target.renew_objects(|| Ok(ObjectId(self.shared.ticks.next()?)))?;
        let options = &self.shared.options;
        Ok(BulkLoad {
            shared: Arc::clone(&self.shared),
            target,
            present,
            sorter: Sorter::new(options.temporary_folder.clone(), options.sort_budget_bytes),
            totals: Totals { key_value: collection.keys.last_value(), ..Totals::default() },
            _guard: guard,
        })
    }
}

impl BulkLoad {
    /// Adds a document as it comes from a dump: `_key` and `_rev` are kept, a missing `_key` is generated, schema and
    /// computed values do not apply. Of documents with the same key the last one counts.
    ///
    /// Errors: 1216, 1221, 1227, 1233; the document is then left out and the load can go on.
    pub fn add(&mut self, body: Slice<'_>) -> Result<()> {
        let options = WriteOptions { is_restore: true, ..WriteOptions::default() };
        let mut document = AssembledDocument::default();
        document.assemble(&self.shared, &self.target, body, &options)?;
        self.totals.revision = self.totals.revision.max(document.revision);
        self.totals.key_value = self.totals.key_value.max(document.key.value);
        let key = encoding::document_key(self.target.object_id(), &document.key.key);
        self.sorter.add(&key, &document.bytes)
    }

    /// Makes all documents visible at once.
    ///
    /// Errors: 1210 if two documents break a unique index; nothing is visible then.
    pub fn finish(self) -> Result<BulkLoaded> {
        let BulkLoad { shared, mut target, present, sorter, mut totals, _guard } = self;
        let new: Vec<_> = target.objects().collect();
        shared.alter(|draft| new.iter().try_for_each(|object| draft.pend_deletion(*object)))?;
        let loaded = load(&shared, &target, sorter).and_then(|loaded| {
            totals.count = i64::try_from(loaded.documents).unwrap_or(i64::MAX);
            target.counters = Arc::new(Counters::starting_with(target.object_id(), totals));
            publish(&shared, &target, &present, totals).map(|()| loaded)
        });
        let old: Vec<_> = present.objects().collect();
        deletion::finish(shared.engine.as_ref(), if loaded.is_ok() { &old } else { &new })?;
        loaded
    }
}

/// Loads the documents, then the entries of each index.
fn load(shared: &Shared, target: &Collection, sorter: Sorter) -> Result<BulkLoaded> {
    let mut builders = IndexBuilders::new(shared, target);
    let mut sorted = sorter.finish()?;
    let mut load = shared.engine.private_load()?;
    let mut loaded = BulkLoaded { documents: 0, superseded: 0 };
    let mut last: Option<(Vec<u8>, Vec<u8>)> = None;
    loop {
        let next = sorted.next_pair()?;
        if let Some((key, bytes)) = &last {
            if next.is_some_and(|(next_key, _)| next_key == key) {
                loaded.superseded += 1;
            } else {
                load.add(key, bytes)?;
                builders.add(key, bytes)?;
                loaded.documents += 1;
            }
        }
        let Some((key, bytes)) = next else { break };
        let (last_key, last_bytes) = last.get_or_insert_default();
        last_key.clear();
        last_key.extend_from_slice(key);
        last_bytes.clear();
        last_bytes.extend_from_slice(bytes);
    }
    load.finish()?;
    builders.load(shared)?;
    Ok(loaded)
}

/// The indexes of a collection while it is loaded; together they take one sorting budget.
struct IndexBuilders<'a> {
    builders: Vec<Builder<'a>>,
}

impl<'a> IndexBuilders<'a> {
    fn new(shared: &Shared, target: &'a Collection) -> Self {
        let indexes: Vec<&Index> = target.indexes().iter().skip(1).map(Arc::as_ref).collect();
        let budget_bytes = shared.options.sort_budget_bytes / indexes.len().max(1);
        let folder = &shared.options.temporary_folder;
        let builder = |index| Builder::new(index, target.name(), folder, budget_bytes);
        IndexBuilders { builders: indexes.into_iter().map(builder).collect() }
    }

    fn add(&mut self, document_key: &[u8], bytes: &[u8]) -> Result<()> {
        let key = encoding::key_of_document(document_key).unwrap_or_default();
        self.builders.iter_mut().try_for_each(|builder| builder.add(Slice::new(bytes), key))
    }

    fn load(self, shared: &Shared) -> Result<()> {
        self.builders.into_iter().try_for_each(|builder| builder.load(shared.engine.as_ref()))
    }
}

fn publish(shared: &Shared, target: &Collection, present: &Collection, totals: Totals) -> Result<()> {
    shared.alter(|draft| {
        // Properties may have changed since; objects and indexes cannot have, the gate is held.
        let mut published = Collection::clone(draft.present(present)?.as_ref());
        published.definition.object_id = target.definition.object_id;
        published.definition.indexes.clone_from(&target.definition.indexes);
        published.indexes.clone_from(&target.indexes);
        published.counters = Arc::clone(&target.counters);
        draft.put_counters(target.object_id(), totals)?;
        target.objects().try_for_each(|object| draft.keep(object))?;
        present.objects().try_for_each(|object| draft.pend_deletion(object))?;
        draft.put_collection(published)?;
        Ok(())
    })
}
