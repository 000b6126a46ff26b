//! The state of the indexer of one text index.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use search::{Alive, Segment, SnapshotPart};

use crate::visibility::read_cache::CommitNumber;

/// The state of the indexer.
#[derive(Default)]
pub(crate) struct Work {
    /// True once the list of segments was read.
    pub(crate) is_open: bool,
    /// The segments.
    pub(crate) parts: Vec<Part>,
    /// Segments of the list in the store that are no longer among the parts.
    pub(crate) obsolete: Vec<u64>,
    /// True if the store has the mark of a complete list.
    pub(crate) is_marked: bool,
    /// Pairs of the outbox that are indexed and still in the store: the key by the ticket, with the
    /// number of the step.
    pub(crate) done: BTreeMap<u64, Done>,
    /// The number of the last step.
    pub(crate) steps: u64,
    /// The commits of the collection that the last step has seen; `None` if they are unknown.
    pub(crate) commits: Option<u64>,
    /// The last commit of the store which the last step is certain to have seen, with all commits
    /// before it; `None` if that is unknown.
    pub(crate) as_of: Option<CommitNumber>,
    /// The time of the last step.
    pub(crate) stepped: Option<Instant>,
    /// The time of the first step whose documents are in memory only.
    pub(crate) unsaved_since: Option<Instant>,
    /// The time of the last look at what to merge.
    pub(crate) consolidated: Option<Instant>,
    /// The time of the last image that this server has written or begun from; `None` if the image
    /// lacks what this server has built.
    pub(crate) imaged: Option<Instant>,
    /// Pairs of the outbox that were indexed since then.
    pub(crate) pairs_since_image: u64,
    /// True if the segments have a part of what the last step should have indexed.
    pub(crate) is_partial: bool,
    /// The last failure, until the next success.
    pub(crate) failure: Option<String>,
}

/// A pair of the outbox that is indexed.
pub(crate) struct Done {
    pub(crate) key: Box<str>,
    pub(crate) step: u64,
}

/// The place of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In memory.
    Memory,
    /// In the folder with this number.
    Folder(u64),
}

/// A segment with the bits of its living documents.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) part: SnapshotPart,
    pub(crate) home: Home,
    /// Bytes of the segment.
    pub(crate) bytes: u64,
    /// The number of its files.
    pub(crate) files: u64,
    /// The number of dead documents that the list in the store has; `None` if it lacks the segment.
    pub(crate) listed_dead: Option<u32>,
}

impl Work {
    /// Returns the segments as queries see them.
    pub(crate) fn snapshot_parts(&self) -> Vec<SnapshotPart> {
        self.parts.iter().map(|part| part.part.clone()).collect()
    }

    /// Returns the bytes of the segments in memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.parts.iter().filter(|part| part.home == Home::Memory).map(|part| part.bytes).sum()
    }

    /// Returns the bytes and the files of the segments in folders.
    pub(crate) fn folder_size(&self) -> (u64, u64) {
        let parts = self.parts.iter().filter(|part| part.home != Home::Memory);
        parts.fold((0, 0), |(bytes, files), part| (bytes + part.bytes, files + part.files))
    }

    /// Returns true if the list of segments in the store lacks something, or the outbox has pairs
    /// that are indexed.
    pub(crate) fn has_unsaved(&self) -> bool {
        let has_memory = self.parts.iter().any(|part| part.home == Home::Memory);
        has_memory || !self.done.is_empty() || !self.obsolete.is_empty()
    }

    /// Returns the position of a segment.
    pub(crate) fn position(&self, segment: &Arc<Segment>) -> Option<usize> {
        self.parts.iter().position(|part| Arc::ptr_eq(&part.part.segment, segment))
    }
}

impl Part {
    /// Returns the bits of the living documents.
    pub(crate) fn alive(&self) -> &Alive {
        &self.part.alive
    }

    /// Returns the number of the segment's folder.
    pub(crate) fn folder(&self) -> Option<u64> {
        match self.home {
            Home::Memory => None,
            Home::Folder(segment) => Some(segment),
        }
    }
}
