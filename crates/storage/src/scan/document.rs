//! Scans over the documents of a collection, in byte order of their keys.

use std::collections::VecDeque;
use std::sync::Arc;

use catalog::ObjectId;
use errors::{Error, Result};
use kv::{Block, BlockLimits, Scan, ScanSpec, Snapshot};
use velocypack::Slice;

use super::ahead::ReadAhead;
use crate::base::documents::Documents;
use crate::base::fork_join::ForkJoin;
use crate::base::restriction::Restriction;
use crate::base::usage::CollectionUsage;
use crate::encoding;

/// One end of a range of document keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBound {
    /// The key; it need not exist.
    pub key: String,
    /// True if the key itself belongs to the range.
    pub inclusive: bool,
}

/// The documents that a scan visits. The default is all documents, forward.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentScanSpec {
    /// The lower end of the range, also for a reverse scan; `None` for no bound.
    pub from_key: Option<KeyBound>,
    /// The upper end of the range; `None` for no bound.
    pub to_key: Option<KeyBound>,
    /// True to scan from the greatest key to the least.
    pub reverse: bool,
    /// True if the scan will read far: the engine may then bypass its cache, and another thread may
    /// read ahead.
    pub sequential: bool,
    /// True if the same documents are likely to be scanned again. The engine may then cache them if
    /// they are few.
    pub repeated: bool,
    /// True if the caller wants only keys, through [`DocumentScan::next_keys`].
    pub keys_only: bool,
    /// True if other threads scan the rest of the collection at the same time: then nothing reads
    /// ahead, and the engine decides about its cache for all of them.
    pub is_part: bool,
}

/// A scan in progress.
pub struct DocumentScan {
    source: Source,
    /// Documents that were read but not yet returned.
    ready: VecDeque<Documents>,
    /// Number of blocks until the scan is worth a thread of its own; `None` if it must not have
    /// one.
    blocks_until_ahead: Option<usize>,
    turns: Arc<ForkJoin>,
    object: ObjectId,
    collection: Arc<str>,
    keys_only: bool,
    /// `None` if nothing is counted.
    usage: Option<Arc<CollectionUsage>>,
    /// `None` if the reader sees all documents.
    restriction: Option<Arc<dyn Restriction>>,
}

/// The source of blocks.
enum Source {
    Scan(Box<dyn Scan>),
    Ahead(ReadAhead),
    /// No source: an error ended the scan.
    Ended,
}

/// A scan that has read this many blocks is likely to be a long one.
const BLOCKS_BEFORE_AHEAD: usize = 32;

impl DocumentScan {
    pub(crate) fn start(
        snapshot: &dyn Snapshot,
        object: ObjectId,
        collection: &Arc<str>,
        spec: &DocumentScanSpec,
        turns: &Arc<ForkJoin>,
        restriction: Option<Arc<dyn Restriction>>,
    ) -> Result<Self> {
        let bound = |bound: &Option<KeyBound>| bound.as_ref().map(|b| (b.key.clone(), b.inclusive));
        let (lower, upper) = (bound(&spec.from_key), bound(&spec.to_key));
        let range = encoding::document_range(
            object,
            lower.as_ref().map(|(key, inclusive)| (key.as_str(), *inclusive)),
            upper.as_ref().map(|(key, inclusive)| (key.as_str(), *inclusive)),
        );
        let scan = snapshot.scan(ScanSpec {
            range,
            reverse: spec.reverse,
            // Only a document tells whether it is shown.
            keys_only: spec.keys_only && restriction.is_none(),
            sequential: spec.sequential,
            repeated: spec.repeated,
            part_of: spec.is_part.then(|| encoding::object_range(object)),
        })?;
        let may_read_ahead = spec.sequential && !spec.keys_only && !spec.is_part;
        Ok(DocumentScan {
            source: Source::Scan(scan),
            ready: VecDeque::new(),
            blocks_until_ahead: may_read_ahead.then_some(BLOCKS_BEFORE_AHEAD),
            turns: Arc::clone(turns),
            object,
            collection: Arc::clone(collection),
            keys_only: spec.keys_only,
            usage: None,
            restriction,
        })
    }

    /// Returns the scan with counts of the bytes that it reads.
    pub(crate) fn counted(self, usage: Option<Arc<CollectionUsage>>) -> Self {
        DocumentScan { usage, ..self }
    }

    /// Returns the next documents, or `None` after the last.
    ///
    /// Errors: 4 for a scan of keys only, those of the restriction.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Documents>> {
        if self.keys_only {
            return Err(Error::internal("a scan of keys was asked for documents"));
        }
        let documents = match self.ready.pop_front() {
            Some(documents) => Some(documents),
            None => self.read_shown(limits)?,
        };
        let Some(mut documents) = documents else { return Ok(None) };
        if documents.len() > limits.rows.max(1) {
            // Read-ahead got more documents than the caller asked for.
            let offsets = documents.offsets.split_off(limits.rows.max(1));
            self.ready.push_front(Documents { block: Arc::clone(&documents.block), offsets });
        }
        Ok(Some(documents))
    }

    /// Reads the next documents that the reader sees.
    fn read_shown(&mut self, limits: BlockLimits) -> Result<Option<Documents>> {
        loop {
            let Some(block) = self.read_block(limits)? else { return Ok(None) };
            if let Some(usage) = &self.usage {
                usage.read_bytes.add(block.bytes().len() as u64);
            }
            let documents = self.shown(block)?;
            if !documents.is_empty() {
                return Ok(Some(documents));
            }
        }
    }

    /// Returns those of the documents that the reader sees.
    fn shown(&self, block: Block) -> Result<Documents> {
        let documents = Documents::of_block(block, &self.collection);
        let Some(restriction) = &self.restriction else { return Ok(documents) };
        let mut documents = restriction.shown(documents)?;
        documents.offsets.retain(Option::is_some);
        Ok(documents)
    }

    fn read_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        if self.blocks_until_ahead == Some(0) {
            self.begin_ahead();
        }
        match &mut self.source {
            Source::Scan(scan) => {
                self.blocks_until_ahead = self.blocks_until_ahead.map(|blocks| blocks.saturating_sub(1));
                Ok(scan.next_block(limits)?)
            }
            Source::Ahead(ahead) => ahead.next_block(),
            Source::Ended => Ok(None),
        }
    }

    /// Continues on another thread if there is a turn.
    fn begin_ahead(&mut self) {
        self.source = match std::mem::replace(&mut self.source, Source::Ended) {
            Source::Scan(scan) => match ReadAhead::start(scan, &self.turns) {
                Ok(ahead) => Source::Ahead(ahead),
                Err(scan) => Source::Scan(scan),
            },
            other => other,
        };
    }

    /// Returns the keys of the next documents, or `None` after the last.
    pub fn next_keys(&mut self, limits: BlockLimits) -> Result<Option<DocumentKeys>> {
        let Some(block) = self.read_block(limits)? else { return Ok(None) };
        if self.restriction.is_none() {
            return Ok(Some(DocumentKeys { block }));
        }
        let mut keys = Block::with_capacity(block.len(), 0);
        for document in self.shown(block)?.iter() {
            if let Some(key) = document.get("_key").and_then(Slice::as_str) {
                let is_added = keys.push(&encoding::document_key(self.object, key), &[]);
                debug_assert!(is_added, "the block of the documents was larger");
            }
        }
        Ok(Some(DocumentKeys { block: keys }))
    }

    /// Releases all that pins memory in the engine, and all that was read ahead. The next block
    /// continues after the last one.
    pub fn release(&mut self) {
        let (scan, ahead) = match std::mem::replace(&mut self.source, Source::Ended) {
            Source::Ahead(ahead) => ahead.stop(),
            Source::Scan(scan) => (Some(scan), Vec::new()),
            Source::Ended => (None, Vec::new()),
        };
        let Some(mut scan) = scan else { return };
        let first_ahead = ahead.first().and_then(|block| block.iter().next());
        match self.first_ready_key().or(first_ahead.map(|(key, _)| key.to_vec())) {
            Some(key) => scan.rewind(&key),
            None => scan.release(),
        }
        self.ready.clear();
        self.source = Source::Scan(scan);
    }

    /// Returns the engine's key of the first document that was read but not yet returned.
    fn first_ready_key(&self) -> Option<Vec<u8>> {
        let key = self.ready.front()?.get(0)?.get("_key")?.as_str()?;
        Some(encoding::document_key(self.object, key))
    }
}

/// Keys of documents.
#[derive(Clone, Debug)]
pub struct DocumentKeys {
    block: kv::Block,
}

impl DocumentKeys {
    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// Iterates over the keys in the scan's order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.block.iter().filter_map(|(key, _)| encoding::key_of_document(key))
    }
}
