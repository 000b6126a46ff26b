//! Scans over the documents of a collection, in byte order of their keys.

use std::sync::Arc;

use kv::{BlockLimits, Scan, ScanSpec, Snapshot};

use crate::documents::Documents;
use crate::encoding;
use crate::{Collection, Error, Result};

/// One end of a range of document keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBound {
    /// The key; it need not exist.
    pub key: String,
    /// Whether the key itself belongs to the range.
    pub inclusive: bool,
}

/// Which documents to visit. The default is all, forward.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentScanSpec {
    /// Where the range begins (its lower end, also for a reverse scan).
    pub from_key: Option<KeyBound>,
    /// Where the range ends.
    pub to_key: Option<KeyBound>,
    /// From the greatest key to the least.
    pub reverse: bool,
    /// The scan will read far: the engine may read ahead and spare its cache.
    pub sequential: bool,
    /// Only the keys are wanted: use [`DocumentScan::next_keys`].
    pub keys_only: bool,
}

/// A scan in progress.
pub struct DocumentScan {
    scan: Box<dyn Scan>,
    collection: Arc<str>,
    keys_only: bool,
}

impl DocumentScan {
    pub(crate) fn start(
        snapshot: &dyn Snapshot,
        collection: &Collection,
        spec: &DocumentScanSpec,
    ) -> Result<Self> {
        let bound = |bound: &Option<KeyBound>| bound.as_ref().map(|b| (b.key.clone(), b.inclusive));
        let (lower, upper) = (bound(&spec.from_key), bound(&spec.to_key));
        let range = encoding::document_range(
            collection.object_id(),
            lower.as_ref().map(|(key, inclusive)| (key.as_str(), *inclusive)),
            upper.as_ref().map(|(key, inclusive)| (key.as_str(), *inclusive)),
        );
        let scan = snapshot.scan(ScanSpec {
            range,
            reverse: spec.reverse,
            keys_only: spec.keys_only,
            sequential: spec.sequential,
        })?;
        Ok(DocumentScan { scan, collection: Arc::clone(collection.shared_name()), keys_only: spec.keys_only })
    }

    /// The next documents, or `None` after the last.
    ///
    /// Errors: 4 for a scan of keys only.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Documents>> {
        if self.keys_only {
            return Err(Error::internal("a scan of keys was asked for documents"));
        }
        let block = self.scan.next_block(limits)?;
        Ok(block.map(|block| Documents::of_block(block, &self.collection)))
    }

    /// The keys of the next documents, or `None` after the last.
    pub fn next_keys(&mut self, limits: BlockLimits) -> Result<Option<DocumentKeys>> {
        Ok(self.scan.next_block(limits)?.map(|block| DocumentKeys { block }))
    }

    /// Lets go of what pins memory in the engine. The next block goes on where the last one ended.
    pub fn release(&mut self) {
        self.scan.release();
    }
}

/// Keys of documents.
#[derive(Clone, Debug)]
pub struct DocumentKeys {
    block: kv::Block,
}

impl DocumentKeys {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// The keys in the scan's order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.block.iter().filter_map(|(key, _)| encoding::key_of_document(key))
    }
}
