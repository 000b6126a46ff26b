//! Statistics and checksums of collections.

use catalog::{IndexId, IndexType};
use errors::Result;
use kv::{BlockLimits, ScanSpec};
use velocypack::Slice;

use crate::encoding::object_range;
use crate::scan::DocumentScanSpec;
use crate::visibility::estimate::hash;
use crate::{Collection, Index, IndexBounds, Snapshot, Store};

const READ_LIMITS: BlockLimits = BlockLimits { rows: 4096, bytes: 4 << 20 };
/// Attributes that do not count as data of a document.
const SYSTEM_ATTRIBUTES: [&str; 3] = ["_key", "_id", "_rev"];

/// The size of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionStatistics {
    /// Number of documents.
    pub documents: u64,
    /// Approximate bytes that the documents take on disk.
    pub documents_bytes: u64,
    /// The size of each index.
    pub indexes: Vec<IndexStatistics>,
}

/// The size of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatistics {
    /// The id of the index.
    pub id: IndexId,
    /// The type of the index.
    pub index_type: IndexType,
    /// Approximate bytes that the entries take on disk. 0 for the primary index, which is the
    /// documents themselves.
    pub bytes: u64,
    /// Number of entries; `None` if the caller did not want them counted.
    pub entries: Option<u64>,
}

impl CollectionStatistics {
    /// Returns the bytes of all indexes together.
    pub fn indexes_bytes(&self) -> u64 {
        self.indexes.iter().map(|index| index.bytes).sum()
    }
}

impl Store {
    /// Returns the statistics of a collection. `count_entries` reads every index from end to end.
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
            } else if let Some(text) = index.text_statistics() {
                (text.bytes, count_entries.then_some(text.living_documents))
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
    /// Estimates the share of an index that lies within bounds, from 0 to 1; `None` for an index
    /// without entries.
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
    /// Computes a checksum of the documents' keys and, if the caller wants, of their revisions and
    /// data.
    ///
    /// Two collections with the same documents have the same checksum in whatever order they store
    /// them. Equal data have equal checksums in whatever order their attributes are.
    pub fn checksum(&self, collection: &Collection, with_revisions: bool, with_data: bool) -> Result<u64> {
        let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
        let mut scan = self.scan(collection, &spec)?;
        let mut checksum = 0u64;
        let mut bytes = Vec::new();
        while let Some(documents) = scan.next_block(READ_LIMITS)? {
            for document in documents.iter() {
                bytes.clear();
                append_checked(document, with_revisions, with_data, &mut bytes);
                // Addition makes the order of documents irrelevant.
                checksum = checksum.wrapping_add(hash(&bytes));
            }
        }
        Ok(checksum)
    }
}

/// Appends the bytes that a document contributes to the checksum: sort keys, because equal values
/// have equal sort keys.
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
