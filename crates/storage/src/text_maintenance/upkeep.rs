//! The entry points for the threads that keep text indexes up to date.

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::text_index::Maintenance;
use errors::Result;

use super::image;
use super::merge::{Merge, choose, save};
use super::step::{Owner, owners, step};
use crate::index::Index;
use crate::index::text::folder;
use crate::index::text::work::Work;
use crate::store::Store;
use crate::store_core::StoreCore;

/// The time after which documents in memory are saved.
const SAVE_AFTER: Duration = Duration::from_secs(5);
/// Bytes of segments in memory of one index from which they are saved.
const SAVE_BYTES: u64 = 64 << 20;
/// Pairs of the outbox that are indexed and not removed, from which segments are saved.
const SAVE_PAIRS: usize = 100_000;

/// A message about a text index for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchNotice {
    /// True for a failure, which will be tried again.
    pub is_failure: bool,
    /// The text.
    pub message: String,
}

impl Store {
    /// Indexes what was committed to collections whose text indexes are due.
    ///
    /// Returns messages for the log. An error of `check` ends the work.
    pub fn index_due(&self, check: &dyn Fn() -> Result<()>) -> Vec<SearchNotice> {
        let mut notices = Vec::new();
        for owner in self.text_indexes() {
            if check().is_err() {
                break;
            }
            let interval = owner.maintenance.commit_interval_ms;
            let is_built = owner.text.published().is_some();
            owner.text.pace.set_interval((interval > 0 && is_built).then_some(interval));
            // Another thread that works on the index indexes what was committed before.
            let Some(mut work) = owner.text.try_work() else { continue };
            let is_due = |stepped: Instant| stepped.elapsed() >= Duration::from_millis(interval);
            if interval == 0 || !work.stepped.is_none_or(is_due) {
                continue;
            }
            let outcome = step(&self.core, &owner, &mut work, check).and_then(|stepped| {
                notices.extend(stepped.rebuilt.map(|reason| rebuilt(&owner, &reason)));
                self.save_under_pressure(&owner, &mut work)
            });
            note_failure(&owner, &mut work, outcome, &mut notices);
        }
        notices
    }

    /// Saves segments in memory into folders, and merges segments.
    ///
    /// Returns messages for the log. An error of `check` ends the work.
    pub fn merge_due(&self, check: &dyn Fn() -> Result<()>) -> Vec<SearchNotice> {
        let mut notices = Vec::new();
        for owner in self.text_indexes() {
            if check().is_err() {
                break;
            }
            let outcome = self.core.save_if_due(&owner).and_then(|()| self.core.merge_if_due(&owner));
            let outcome = outcome.and_then(|()| image::write_if_due(&self.core, &owner, check));
            if let Err(error) = outcome {
                note_failure(&owner, &mut owner.text.work(), Err(error), &mut notices);
            }
        }
        notices
    }

    /// Indexes everything that is committed now, so that later snapshots see it.
    ///
    /// Calls `check` from time to time; its error ends the wait. Errors: that of `check`, those of
    /// the engine, those of an Analyzer that cannot be opened.
    pub fn index_now(&self, indexes: &[Arc<Index>], check: &dyn Fn() -> Result<()>) -> Result<()> {
        let catalog = self.catalog();
        let wanted = |owner: &Owner| {
            let object = owner.index.definition().object_id;
            indexes.iter().any(|index| index.definition().object_id == object)
        };
        for owner in owners(&catalog).filter(wanted) {
            owner.text.schema()?;
            let mut work = owner.text.work_unless(check)?;
            step(&self.core, &owner, &mut work, check)?;
        }
        Ok(())
    }

    /// Writes segments in memory into folders, so that the next start need not index their
    /// documents again.
    pub fn save_text_indexes(&self) -> Result<()> {
        for owner in self.text_indexes() {
            let mut work = owner.text.work();
            self.core.save_now(&owner, &mut work)?;
        }
        Ok(())
    }

    fn text_indexes(&self) -> Vec<Owner> {
        let catalog = self.catalog();
        if !catalog.has_text_indexes() {
            return Vec::new();
        }
        owners(&catalog).filter(|owner| owner.text.schema().is_ok()).collect()
    }

    /// Saves the segments of an index while all indexes together have too much in memory.
    fn save_under_pressure(&self, owner: &Owner, work: &mut Work) -> Result<()> {
        let all: u64 = self.text_indexes().iter().map(|owner| owner.text.memory_bytes()).sum();
        if all > self.core.options.search.memory_bytes as u64 / 2 && work.memory_bytes() > 0 {
            self.core.save_now(owner, work)?;
        }
        Ok(())
    }
}

impl StoreCore {
    /// Removes the folders of text indexes that are no longer in the catalog.
    pub(crate) fn remove_unowned_folders(&self) {
        if let Some(folder) = &self.options.search.folder {
            let catalog = self.catalog();
            folder::keep_only(folder, &owners(&catalog).map(|owner| owner.text.object.0).collect());
        }
    }

    pub(super) fn save_now(&self, owner: &Owner, work: &mut Work) -> Result<()> {
        if !work.is_open {
            return Ok(());
        }
        save(&owner.text, self.engine.as_ref(), work, self.ids.next()?)?;
        owner.text.publish_whole(work);
        Ok(())
    }

    fn save_if_due(&self, owner: &Owner) -> Result<()> {
        let merge = {
            let Some(work) = owner.text.try_work() else { return Ok(()) };
            let is_old = work.unsaved_since.is_some_and(|since| since.elapsed() >= SAVE_AFTER);
            let is_due = is_old || work.memory_bytes() >= SAVE_BYTES || work.done.len() >= SAVE_PAIRS;
            if !is_due {
                return Ok(());
            }
            Merge::of_memory(&owner.text, &work, self.ids.next()?)
        };
        merge.map_or(Ok(()), |merge| self.run_merge(owner, merge))
    }

    fn merge_if_due(&self, owner: &Owner) -> Result<()> {
        let Maintenance { consolidation_interval_ms: interval, consolidation, .. } = owner.maintenance;
        let merge = {
            let Some(mut work) = owner.text.try_work() else { return Ok(()) };
            let is_due = |at: Instant| at.elapsed() >= Duration::from_millis(interval);
            if interval == 0 || !work.consolidated.is_none_or(is_due) {
                return Ok(());
            }
            work.consolidated = Some(Instant::now());
            let positions = choose(&work.parts, owner.text.folder.is_some(), &consolidation);
            if positions.is_empty() {
                return Ok(());
            }
            Merge::of_positions(&owner.text, &work, &positions, self.ids.next()?)
        };
        self.run_merge(owner, merge)
    }

    fn run_merge(&self, owner: &Owner, merge: Merge) -> Result<()> {
        let merged = merge.run(&owner.text)?;
        let mut work = owner.text.work();
        merge.install(&owner.text, self.engine.as_ref(), &mut work, merged)?;
        owner.text.publish_whole(&work);
        Ok(())
    }
}

fn name_of(owner: &Owner) -> String {
    let (index, collection) = (owner.index.name(), &owner.collection);
    format!("index '{index}' of collection '{}' of database '{}'", collection.name(), collection.database())
}

fn rebuilt(owner: &Owner, reason: &str) -> SearchNotice {
    let message = format!("{} was rebuilt from all documents: {reason}", name_of(owner));
    SearchNotice { is_failure: false, message }
}

/// Notes a failure unless it is the same as the last one.
fn note_failure(owner: &Owner, work: &mut Work, outcome: Result<()>, notices: &mut Vec<SearchNotice>) {
    let failure = outcome.err().filter(|_| !owner.text.is_retired()).map(|error| error.to_string());
    if let Some(error) = failure.as_ref().filter(|_| failure != work.failure) {
        let message = format!("{} could not be brought up to date: {error}", name_of(owner));
        notices.push(SearchNotice { is_failure: true, message });
    }
    work.failure = failure;
}
