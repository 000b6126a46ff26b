//! A consistent state to read from.

use std::sync::Arc;

use catalog::ObjectId;
use geometry::CellRange;
use kv::KeyRange;

use crate::counters::{self, Totals};
use crate::documents::Documents;
use crate::encoding;
use crate::fork_join::ForkJoin;
use crate::picture::Catalog;
use crate::read_cache::{LastLoss, ReadCacheView};
use crate::scan::{
    self, BoxBounds, BoxScan, DocumentScan, DocumentScanSpec, EdgeDirection, EdgeReader, EdgeScan,
    GeoEntryKind, GeoScan, IndexBounds, IndexEntries, IndexScan, IndexWalk, WordScan,
};
use crate::{Collection, Error, Index, Result};

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
        DocumentScan::start(self.engine.as_ref(), collection, spec, &self.fork_join)
    }

    /// Starts a scan over a persistent index, in AQL's order of the indexed values, or over a time-to-live index, in
    /// order of the dates as seconds.
    ///
    /// Errors: 4 for an index of another type.
    pub fn index_scan(
        &self,
        collection: &Collection,
        index: &Index,
        bounds: &IndexBounds,
        reverse: bool,
    ) -> Result<IndexScan> {
        if !matches!(index.index_type(), catalog::IndexType::Persistent | catalog::IndexType::Ttl) {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' cannot be scanned by bounds")));
        }
        IndexScan::start(self.engine.as_ref(), collection, index, bounds, reverse)
    }

    /// Starts look-ups in a persistent index that follow each other in its order.
    ///
    /// Errors: 4 for an index of another type.
    pub fn index_walk(&self, collection: &Collection, index: &Arc<Index>) -> Result<IndexWalk> {
        if index.index_type() != catalog::IndexType::Persistent {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' has no order to follow")));
        }
        Ok(IndexWalk::new(Arc::clone(&self.engine), collection, index))
    }

    /// Looks entries of a unique persistent index up in one batch; each look-up compares all fields for equality. The
    /// entries found, in the order asked, and for each the position of its look-up.
    ///
    /// Errors: 4 for an index that is not unique, or a look-up that does not give all fields; 1102 for a damaged entry.
    pub fn unique_entries(
        &self,
        collection: &Collection,
        index: &Index,
        lookups: &[IndexBounds],
    ) -> Result<(IndexEntries, Vec<usize>)> {
        let is_whole = |lookup: &IndexBounds| lookup.equal_fields() == index.fields().len();
        let is_unique = index.is_unique() && index.index_type() == catalog::IndexType::Persistent;
        if !is_unique || !lookups.iter().all(is_whole) {
            let message = format!("index '{}' cannot be looked up by whole values", index.name());
            return Err(Error::internal(message));
        }
        scan::look_up(|keys| self.look_up(keys), collection, index, lookups)
    }

    /// Starts a scan over a fulltext index for the documents that have a word in normal form, or one that begins so.
    ///
    /// Errors: 4 for an index of another type.
    pub fn word_scan(&self, index: &Index, word: &str, is_prefix: bool) -> Result<WordScan> {
        if index.index_type() != catalog::IndexType::Fulltext {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' has no words")));
        }
        WordScan::start(self.engine.as_ref(), index, word, is_prefix)
    }

    /// Starts a scan over a multi-dimensional index for the documents within a box. It reads over as many entries
    /// outside of the box in a row as `lookahead` says before it seeks the next one inside.
    ///
    /// Errors: 4 for an index of another type.
    pub fn box_scan(
        &self,
        collection: &Collection,
        index: &Index,
        bounds: &BoxBounds,
        lookahead: u64,
    ) -> Result<BoxScan> {
        if !matches!(index.index_type(), catalog::IndexType::Mdi | catalog::IndexType::MdiPrefixed) {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' has no dimensions")));
        }
        BoxScan::start(&self.engine, collection, index, bounds, lookahead)
    }

    /// Starts a scan over the entries of a geo-spatial index in some ranges of cells.
    ///
    /// Errors: 4 for an index of another type.
    pub fn geo_scan(&self, index: &Index, kind: GeoEntryKind, ranges: &[CellRange]) -> Result<GeoScan> {
        if index.index_type() != catalog::IndexType::Geo {
            let name = index.definition().properties.type_name();
            return Err(Error::internal(format!("an index of type '{name}' has no cells")));
        }
        Ok(GeoScan::start(&self.engine, index, kind, ranges))
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
        Ok(EdgeScan::start(&self.engine, edge_index(collection)?, direction, vertices))
    }

    /// A reader of the edges of vertices in one direction, through the edge index.
    ///
    /// Errors: 1218 unless the collection holds edges, 1200 if its edge index was not built at the snapshot's time.
    pub fn edge_reader(&self, collection: &Collection, direction: EdgeDirection) -> Result<EdgeReader> {
        let cache = self.read_cache.clone().map(|cache| (cache, Arc::clone(&collection.commit_watch)));
        Ok(EdgeReader::start(Arc::clone(&self.engine), cache, edge_index(collection)?, direction))
    }

    /// The last commit that may have taken documents of the collection away from this snapshot: see
    /// [`crate::VertexEdges::ends_exist`].
    pub fn last_loss(&self, collection: &Collection) -> LastLoss {
        LastLoss::of(collection)
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
        true => Error::lacks_edge_index(collection.name()),
        false => {
            let message = format!("collection type invalid: '{}' is no edge collection", collection.name());
            Error::new(catalog::error_number::COLLECTION_TYPE_INVALID, message)
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
