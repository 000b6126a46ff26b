//! A consistent state to read from.

use std::sync::Arc;

use catalog::ObjectId;
use kv::KeyRange;

use crate::catalog_snapshot::Catalog;
use crate::documents::Documents;
use crate::edge_ends::LastLoss;
use crate::encoding;
use crate::error;
use crate::fork_join::ForkJoin;
use crate::index::bounds::{IndexBounds, IndexRange};
use crate::index::edge::{EdgeDirection, EdgeReader, EdgeScan};
use crate::index::found::IndexEntries;
use crate::index::persistent::{self, IndexScan, IndexWalk};
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::scan::{DocumentScan, DocumentScanSpec};
use crate::visibility::counters::{self, Totals};
use crate::visibility::read_cache::ReadCacheView;
use crate::{Collection, Error, ErrorCode, Index, Result};

/// All documents of one moment and the catalog of that moment. Cheap to clone, read by many threads at once.
///
/// Collections and indexes that are passed in must come from [`Snapshot::catalog`]: an index that was created later has
/// no entries here.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<dyn kv::Snapshot>,
    catalog: Arc<Catalog>,
    /// What an open transaction has added to the counts of collections.
    changes: Arc<[(ObjectId, i64)]>,
    /// `None` if there is none, or if it has writes of an open transaction.
    read_cache: Option<ReadCacheView>,
    fork_join: Arc<ForkJoin>,
}

/// Keys of documents as the engine has them.
struct DocumentKeys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl DocumentKeys {
    fn new(collection: &Collection, keys: &[&str]) -> Self {
        let object = collection.object_id();
        let mut bytes =
            Vec::with_capacity(keys.iter().map(|key| encoding::OBJECT_ID_BYTES + key.len()).sum());
        let mut ends = Vec::with_capacity(keys.len());
        for key in keys {
            encoding::append_document_key(object, key, &mut bytes);
            ends.push(bytes.len());
        }
        DocumentKeys { bytes, ends }
    }

    fn parts(&self) -> Vec<&[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.bytes.get(start..*end).unwrap_or_default()).collect()
    }
}

impl Snapshot {
    pub(crate) fn new(
        engine: Arc<dyn kv::Snapshot>,
        catalog: Arc<Catalog>,
        changes: Vec<(ObjectId, i64)>,
        read_cache: Option<ReadCacheView>,
        fork_join: Arc<ForkJoin>,
    ) -> Self {
        Snapshot { engine, catalog, changes: changes.into(), read_cache, fork_join }
    }

    /// The catalog of the moment.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Looks documents up by their keys, in one batch; one answer a key, in the order asked.
    pub fn get(&self, collection: &Collection, keys: &[&str]) -> Result<Documents> {
        let keys = DocumentKeys::new(collection, keys);
        let keys = keys.parts();
        let values = match &self.read_cache {
            Some(cache) => cache.get_many(&collection.commit_watch, &keys, |keys| self.look_up(keys))?,
            None => self.look_up(&keys)?,
        };
        Ok(Documents::of_values(values, collection.shared_name()))
    }

    /// The values of keys, by two threads if there are many.
    fn look_up(&self, keys: &[&[u8]]) -> kv::Result<kv::Values> {
        self.fork_join.look_up(keys, &|keys: &[&[u8]]| self.engine.get_many(keys))
    }

    /// Whether documents exist; one answer a key, in the order asked.
    pub fn contains(&self, collection: &Collection, keys: &[&str]) -> Result<Vec<bool>> {
        let keys = DocumentKeys::new(collection, keys);
        let keys = keys.parts();
        match &self.read_cache {
            Some(cache) => cache.contains_many(&collection.commit_watch, &keys, |keys| self.look_up(keys)),
            None => Ok(self.look_up(&keys)?.iter().map(|value| value.is_some()).collect()),
        }
    }

    /// Starts a scan over documents in byte order of their keys.
    pub fn scan(&self, collection: &Collection, spec: &DocumentScanSpec) -> Result<DocumentScan> {
        let (object, name) = (collection.object_id(), collection.shared_name());
        DocumentScan::start(self.engine.as_ref(), object, name, spec, &self.fork_join)
    }

    /// Starts a scan of the entries of an index, of whatever type, within some ranges, at least one.
    ///
    /// Errors: 4 for a search that the index does not know.
    pub fn open_index(
        &self,
        collection: &Collection,
        index: &Arc<Index>,
        ranges: Vec<IndexRange>,
        options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let source = ScanSource {
            engine: Arc::clone(&self.engine),
            collection: Arc::clone(collection.shared_name()),
            fork_join: Arc::clone(&self.fork_join),
        };
        index.open(source, ranges, options)
    }

    /// Starts a scan over a sorted index, in AQL's order of the indexed values, or over a time-to-live index, in order
    /// of the dates as seconds. Beside [`Snapshot::open_index`] for callers with bounds of their own and no query.
    ///
    /// Errors: 4 for an index of another type.
    pub fn index_scan(
        &self,
        collection: &Collection,
        index: &Index,
        bounds: &IndexBounds,
        reverse: bool,
    ) -> Result<IndexScan> {
        IndexScan::start(self.engine.as_ref(), collection.shared_name(), index, bounds, reverse)
    }

    /// Starts look-ups in a sorted index that follow each other in its order. Beside [`Snapshot::open_index`] because it
    /// keeps its place from one look-up to the next.
    ///
    /// Errors: 4 for an index of another type.
    pub fn index_walk(&self, collection: &Collection, index: &Arc<Index>) -> Result<IndexWalk> {
        if !index.capabilities().ordered {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' has no order to follow")));
        }
        Ok(IndexWalk::new(Arc::clone(&self.engine), collection.shared_name(), index))
    }

    /// Looks entries of a unique index up in one batch; each look-up compares all fields for equality. The entries found,
    /// in the order asked, and for each the position of its look-up. Beside [`Snapshot::open_index`] because one call
    /// serves many rows.
    ///
    /// Errors: 4 for an index that is not unique, or a look-up that does not give all fields; 1102 for a damaged entry.
    pub fn unique_entries(
        &self,
        collection: &Collection,
        index: &Index,
        lookups: &[IndexBounds],
    ) -> Result<(IndexEntries, Vec<usize>)> {
        persistent::look_up(|keys| self.look_up(keys), collection.shared_name(), index, lookups)
    }

    /// The edges at some vertices (document identifiers), through the edge index.
    ///
    /// Errors: 1218 unless the collection holds edges, 1200 if its edge index was not built at the snapshot's time.
    pub fn edges(
        &self,
        collection: &Collection,
        direction: EdgeDirection,
        vertices: &[&str],
    ) -> Result<EdgeScan> {
        let vertices = vertices.iter().map(|vertex| (*vertex).to_owned()).collect();
        Ok(EdgeScan::start(&self.engine, edge_index(collection)?, direction, vertices))
    }

    /// A reader of the edges of vertices in one direction, through the edge index. Beside [`Snapshot::open_index`] because
    /// traversals read it once a vertex, from memory where they can.
    ///
    /// Errors: 1218 unless the collection holds edges, 1200 if its edge index was not built at the snapshot's time.
    pub fn edge_reader(&self, collection: &Collection, direction: EdgeDirection) -> Result<EdgeReader> {
        let cache = self.read_cache.clone().map(|cache| (cache, Arc::clone(&collection.commit_watch)));
        Ok(EdgeReader::start(Arc::clone(&self.engine), cache, edge_index(collection)?, direction))
    }

    /// The last commit that may have taken documents of the collection away from this snapshot: see
    /// [`crate::VertexEdges::ends_exist`].
    pub fn last_loss(&self, collection: &Collection) -> LastLoss {
        collection.commits().last_loss()
    }

    /// The number of documents.
    pub fn count(&self, collection: &Collection) -> Result<u64> {
        let object = collection.object_id();
        let mut totals = counters::read(self.engine.as_ref(), object)?;
        for (changed, change) in self.changes.iter() {
            if *changed == object {
                totals.count = totals.count.saturating_add(*change);
            }
        }
        Ok(totals.documents())
    }

    /// The greatest revision that was committed to the collection.
    pub fn revision(&self, collection: &Collection) -> Result<crate::Revision> {
        let Totals { revision, .. } = counters::read(self.engine.as_ref(), collection.object_id())?;
        Ok(revision)
    }

    pub(crate) fn engine(&self) -> &Arc<dyn kv::Snapshot> {
        &self.engine
    }
}

fn edge_index(collection: &Collection) -> Result<&Arc<Index>> {
    collection.edge_index().ok_or_else(|| match collection.is_edge() {
        true => error::lacks_edge_index(collection.name()),
        false => {
            let message = format!("collection type invalid: '{}' is no edge collection", collection.name());
            Error::new(ErrorCode::CollectionTypeInvalid, message)
        }
    })
}

/// The keys, as text, of the engine keys that divide a collection; those inside of `range` of documents.
pub(crate) fn split_keys(points: Vec<Vec<u8>>, range: &KeyRange) -> Vec<String> {
    let inside = points.into_iter().filter(|point| range.contains(point));
    inside
        .filter_map(|point| encoding::key_of_document(&point).map(str::to_owned))
        .filter(|key| !key.is_empty())
        .collect()
}
