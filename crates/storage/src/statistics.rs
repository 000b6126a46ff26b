//! Statistics and checksums of collections.

use catalog::{IndexId, IndexType};
use kv::{BlockLimits, ScanSpec};
use velocypack::Slice;

use crate::encoding::object_range;
use crate::index::estimate::hash;
use crate::scan::DocumentScanSpec;
use crate::{Collection, Index, IndexBounds, Result, Snapshot, Store};

const READ_LIMITS: BlockLimits = BlockLimits { rows: 4096, bytes: 4 << 20 };
/// Attributes that do not count as data of a document.
const SYSTEM_ATTRIBUTES: [&str; 3] = ["_key", "_id", "_rev"];

/// What a collection takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionStatistics {
    /// Number of documents.
    pub documents: u64,
    /// Bytes that the documents take on disk, roughly.
    pub documents_bytes: u64,
    /// Each index.
    pub indexes: Vec<IndexStatistics>,
}

/// What an index takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatistics {
    /// Its number.
    pub id: IndexId,
    /// Its type.
    pub index_type: IndexType,
    /// Bytes that its entries take on disk, roughly; none for the primary index, which is the documents themselves.
    pub bytes: u64,
    /// Number of its entries, if they were to be counted.
    pub entries: Option<u64>,
}

impl CollectionStatistics {
    /// Bytes of all indexes.
    pub fn indexes_bytes(&self) -> u64 {
        self.indexes.iter().map(|index| index.bytes).sum()
    }
}

impl Store {
    /// The statistics of a collection. `count_entries` reads every index from end to end.
    pub fn statistics(
        &self,
        snapshot: &Snapshot,
        collection: &Collection,
        count_entries: bool,
    ) -> Result<CollectionStatistics> {
        let engine = self.engine();
        let documents = snapshot.count(collection)?;
        let documents_bytes = engine.approximate_size_bytes(&object_range(collection.object_id()))?;
        let mut indexes = Vec::with_capacity(collection.indexes().len());
        for index in collection.indexes() {
            let range = object_range(index.definition().object_id);
            let (bytes, entries) = if index.index_type() == IndexType::Primary {
                (0, count_entries.then_some(documents))
            } else {
                let entries = if count_entries { Some(count_pairs(snapshot, range.clone())?) } else { None };
                (engine.approximate_size_bytes(&range)?, entries)
            };
            indexes.push(IndexStatistics { id: index.id(), index_type: index.index_type(), bytes, entries });
        }
        Ok(CollectionStatistics { documents, documents_bytes, indexes })
    }
}

impl Store {
    /// Roughly which share of an index lies within bounds, from 0 to 1; `None` for an index without entries.
    pub fn index_share(&self, index: &Index, bounds: &IndexBounds) -> Result<Option<f64>> {
        let Some(range) = index.key_range(bounds) else { return Ok(None) };
        let whole = object_range(index.definition().object_id);
        Ok(self.engine().approximate_share(&range, &whole)?)
    }
}

fn count_pairs(snapshot: &Snapshot, range: kv::KeyRange) -> Result<u64> {
    let mut scan = snapshot.engine().scan(ScanSpec::forward(range).keys_only().sequential())?;
    let mut count = 0;
    while let Some(block) = scan.next_block(READ_LIMITS)? {
        count += block.len() as u64;
    }
    Ok(count)
}

impl Snapshot {
    /// A number that two collections with the same documents share, whatever their order: of the keys, and of
    /// revisions and data where asked for. Equal data have equal checksums whatever order their attributes are in.
    pub fn checksum(&self, collection: &Collection, with_revisions: bool, with_data: bool) -> Result<u64> {
        let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
        let mut scan = self.scan(collection, &spec)?;
        let mut checksum = 0u64;
        let mut bytes = Vec::new();
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            for document in documents.iter() {
                bytes.clear();
                append_checked(document, with_revisions, with_data, &mut bytes);
                // Addition, so that the order of documents does not matter.
                checksum = checksum.wrapping_add(hash(&bytes));
            }
        }
        Ok(checksum)
    }
}

/// The bytes that a document's part of the checksum is made from: sort keys, because equal values have equal ones.
fn append_checked(document: Slice<'_>, with_revisions: bool, with_data: bool, bytes: &mut Vec<u8>) {
    let mut append = |name: &str, value: Slice<'_>| {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        velocypack::order::sort_key(value, bytes);
    };
    append("_key", document.get("_key").unwrap_or(Slice::NULL));
    if with_revisions {
        append("_rev", document.get("_rev").unwrap_or(Slice::NULL));
    }
    if with_data {
        for (name, value) in document.entries_sorted().filter(|(name, _)| !SYSTEM_ATTRIBUTES.contains(name)) {
            append(name, value);
        }
    }
}
