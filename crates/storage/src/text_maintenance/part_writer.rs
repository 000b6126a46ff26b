//! Documents to segments of one index.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::Interrupt;
use errors::{Error, Result};
use search::{Place, Schema, Segment, SegmentWriter, SnapshotPart};
use velocypack::Slice;

use crate::base::revision::Revision;
use crate::ids::id_sequence::IdSequence;
use crate::index::text::folder;
use crate::index::text::text_index::TextIndex;
use crate::index::text::work::{Home, Part};

/// The time of a slow document.
const SLOW: Duration = Duration::from_millis(2);

/// A writer of documents, which ends a segment when it has used its memory.
pub(super) struct PartWriter<'a> {
    index: &'a TextIndex,
    schema: &'a Arc<Schema>,
    ids: &'a IdSequence,
    /// The memory of one segment while it is written.
    budget_bytes: usize,
    /// Segments are written into folders.
    in_folders: bool,
    open: Option<(SegmentWriter, Home)>,
    /// The keys of the open segment.
    keys: HashSet<Box<str>>,
    /// True if the last document took long.
    was_slow: bool,
    /// Nobody's: the step checks between documents, and each text has a bound of its own.
    interrupt: Interrupt,
}

impl<'a> PartWriter<'a> {
    pub(super) fn new(
        index: &'a TextIndex,
        ids: &'a IdSequence,
        budget_bytes: usize,
        in_folders: bool,
    ) -> Result<Self> {
        let in_folders = in_folders && index.folder.is_some();
        let schema = index.schema()?;
        let (keys, interrupt) = (HashSet::new(), Interrupt::new());
        Ok(PartWriter {
            index,
            schema,
            ids,
            budget_bytes,
            in_folders,
            open: None,
            keys,
            was_slow: false,
            interrupt,
        })
    }

    /// Writes all further segments into folders, if the index has one.
    pub(super) fn use_folders(&mut self) {
        self.in_folders = self.index.folder.is_some();
    }

    /// Returns true if the open segment has the document with this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Returns true if the last document took so long that the step must check whether to go on.
    pub(super) fn was_slow(&self) -> bool {
        self.was_slow
    }

    /// Adds a document. Returns the segment if it is full now.
    pub(super) fn add(&mut self, key: &str, document: Slice<'_>) -> Result<Option<Part>> {
        let revision = document.get("_rev").and_then(Slice::as_str).and_then(Revision::parse);
        let revision = revision.ok_or_else(|| Error::corrupt("a document without '_rev'"))?;
        let (writer, _) = match &mut self.open {
            Some(open) => open,
            None => {
                let (home, place) = self.next_place()?;
                let writer = SegmentWriter::new(Arc::clone(self.schema), &place, self.budget_bytes)?;
                self.open.insert((writer, home))
            }
        };
        let begin = Instant::now();
        writer.add(key, revision.0, document, &self.interrupt)?;
        self.was_slow = begin.elapsed() > SLOW;
        let is_full = writer.is_full();
        self.keys.insert(key.into());
        if is_full { self.finish() } else { Ok(None) }
    }

    /// Ends the open segment; `None` if there is none.
    pub(super) fn finish(&mut self) -> Result<Option<Part>> {
        self.keys.clear();
        let Some((writer, home)) = self.open.take() else { return Ok(None) };
        Ok(Some(part_of(self.index, writer.finish()?, home)))
    }

    fn next_place(&self) -> Result<(Home, Place)> {
        match self.index.folder.as_deref().filter(|_| self.in_folders) {
            None => Ok((Home::Memory, Place::Memory)),
            Some(folder) => {
                let segment = self.ids.next()?;
                Ok((Home::Folder(segment), Place::Folder(self.index.segment_folder(folder, segment))))
            }
        }
    }
}

/// Returns a new segment, all of whose documents live.
pub(super) fn part_of(index: &TextIndex, segment: Segment, home: Home) -> Part {
    let (bytes, files) = match (home, &index.folder) {
        (Home::Folder(number), Some(folder)) => folder::size(&folder::of_segment(folder, number)),
        _ => (segment.memory_bytes() as u64, 0),
    };
    let part = SnapshotPart::new(Arc::new(segment));
    Part { part, home, bytes, files, listed_dead: None }
}
