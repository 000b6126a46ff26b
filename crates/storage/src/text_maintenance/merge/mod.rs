//! Merges: segments in memory become one in a folder, and segments of a folder become larger ones.
//!
//! A merge reads immutable segments without a lock. Its outcome replaces them under the lock, with
//! the deletions that came in the meantime.

mod choice;

use std::time::Instant;

use aql_value::Interrupt;
use errors::{Error, Result};
use kv::Engine;
use search::{Alive, Place, Segment, SnapshotPart};

use crate::index::text::text_index::TextIndex;
use crate::index::text::work::{Home, Part, Work};
use crate::index::text::{folder, list};

pub(super) use choice::choose;

/// A merge of segments of one index.
pub(super) struct Merge {
    sources: Vec<Part>,
    home: Home,
    /// The step up to which all documents are in folders after the merge.
    covered: Option<u64>,
}

impl Merge {
    /// Returns the merge that saves all segments in memory; `None` if there is nothing to save.
    pub(super) fn of_memory(index: &TextIndex, work: &Work, segment: u64) -> Option<Merge> {
        index.folder.as_ref()?;
        let sources = work.parts.iter().filter(|part| part.home == Home::Memory).cloned();
        let covered = Some(work.steps);
        let merge = Merge { sources: sources.collect(), home: Home::Folder(segment), covered };
        work.has_unsaved().then_some(merge)
    }

    /// Returns a merge of the segments at these positions.
    pub(super) fn of_positions(index: &TextIndex, work: &Work, positions: &[usize], segment: u64) -> Merge {
        let sources = positions.iter().filter_map(|position| work.parts.get(*position)).cloned();
        let home = if index.folder.is_some() { Home::Folder(segment) } else { Home::Memory };
        Merge { sources: sources.collect(), home, covered: None }
    }

    /// Writes the merged segment; `None` if no document lives.
    pub(super) fn run(&self, index: &TextIndex) -> Result<Option<Segment>> {
        let place = match (self.home, &index.folder) {
            (Home::Folder(segment), Some(folder)) => Place::Folder(index.segment_folder(folder, segment)),
            _ => Place::Memory,
        };
        let sources: Vec<(&Segment, &Alive)> =
            self.sources.iter().map(|part| (&*part.part.segment, part.alive())).collect();
        let merged = search::merge(&sources, &place)?;
        if let Some(segment) = &merged {
            segment.prepare_maxima(&Interrupt::new())?;
        }
        Ok(merged)
    }

    /// Puts the merged segment in the place of its sources, and writes the list.
    ///
    /// Nothing changes if another merge has taken one of the sources. Errors: those of the engine.
    pub(super) fn install(
        self,
        index: &TextIndex,
        engine: &dyn Engine,
        work: &mut Work,
        merged: Option<Segment>,
    ) -> Result<()> {
        let now: Option<Vec<&Part>> =
            self.sources.iter().map(|source| work.parts.get(work.position(&source.part.segment)?)).collect();
        let Some(now) = now.filter(|_| !index.is_retired()) else {
            self.discard(index);
            return Ok(());
        };
        if let Some(segment) = merged {
            let bits = self.sources.iter().map(Part::alive).zip(now.into_iter().map(Part::alive));
            let alive = Alive::merged(bits);
            if alive.documents() != segment.documents() {
                self.discard(index);
                return Err(Error::internal("a merged search segment lacks documents"));
            }
            let mut part = super::part_writer::part_of(index, segment, self.home);
            part.part = SnapshotPart { segment: part.part.segment, alive };
            work.parts.push(part);
        }
        let sources = &self.sources;
        work.parts.retain(|part| {
            !sources.iter().any(|source| std::sync::Arc::ptr_eq(&source.part.segment, &part.part.segment))
        });
        work.obsolete.extend(self.sources.iter().filter_map(Part::folder));
        if self.covered.is_some() {
            let is_saved = !work.parts.iter().any(|part| part.home == Home::Memory);
            work.unsaved_since = if is_saved { None } else { Some(Instant::now()) };
        }
        if index.folder.is_some() {
            list::write(index, engine, work, self.covered)?;
        }
        Ok(())
    }

    fn discard(&self, index: &TextIndex) {
        if let (Home::Folder(segment), Some(folder)) = (self.home, &index.folder) {
            folder::remove(&folder::of_segment(folder, segment));
        }
    }
}

/// Saves all segments in memory in one step, while the caller has locked `work`.
pub(super) fn save(index: &TextIndex, engine: &dyn Engine, work: &mut Work, segment: u64) -> Result<()> {
    let Some(merge) = Merge::of_memory(index, work, segment) else { return Ok(()) };
    let merged = merge.run(index)?;
    merge.install(index, engine, work, merged)
}
