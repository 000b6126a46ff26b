//! The first step of an index: all documents of its collection.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use errors::{Error, ErrorCode, Result};
use kv::{Block, BlockLimits, ScanSpec};
use velocypack::Slice;

use super::merge;
use super::part_writer::PartWriter;
use super::running_step::{SMALL_BUDGET_BYTES, Step};
use crate::encoding::object_range;
use crate::index::text::encoding::outbox_entry;
use crate::index::text::list;
use crate::index::text::work::{Done, Home, Part, Work};
use crate::scan::{DocumentScanSpec, KeyBound};
use crate::snapshot::split::split_keys;

/// The size of a block of documents that are read.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 2 << 20 };
/// The size of a block of pairs of the outbox.
const PAIRS: BlockLimits = BlockLimits { rows: 10_000, bytes: 2 << 20 };
/// The number of documents from which several threads share the work.
const PARALLEL_MIN_DOCUMENTS: u64 = 20_000;
/// The number of indexed pairs of the outbox that are kept until they are removed.
const PAIRS_KEPT: usize = 10_000;
/// Parts of the documents for each thread.
const PARTS_PER_THREAD: usize = 8;

/// Indexes all documents of the snapshot, in bounded memory. The documents have all that the
/// outbox names in the snapshot, so its pairs are removed once the segments are saved.
///
/// A small number of documents stays in memory until the next save: a segment in a folder takes a
/// dozen syncs, and after a crash many indexes may have to be built. Until then the store has no
/// mark, so that another crash makes the next start build again.
///
/// Errors: as a step.
pub(super) fn build(step: &Step<'_>, work: &mut Work) -> Result<()> {
    let documents = step.snapshot.count(step.collection)?;
    step.text.note_progress(0, Some(documents));
    let is_large = documents >= PARALLEL_MIN_DOCUMENTS;
    let threads = if is_large { step.index.build_threads() } else { 1 };
    let ranges = Mutex::new(ranges(step, threads)?);
    let next = || ranges.lock().ok().and_then(|mut ranges| ranges.pop());
    let is_stopped = AtomicBool::new(false);
    let stopped = || match is_stopped.load(Ordering::Relaxed) {
        true => Err(Error::of(ErrorCode::QueryKilled)),
        false => Ok(()),
    };
    let budget_bytes = if is_large { step.budget_bytes(threads) } else { SMALL_BUDGET_BYTES };
    let (core, text, snapshot, collection) = (step.core, step.text, step.snapshot, step.collection);
    let write = |check: &dyn Fn() -> Result<()>| -> Result<Vec<Part>> {
        let mut writer = PartWriter::new(text, &core.ids, budget_bytes, is_large)?;
        let mut parts = Vec::new();
        while let Some(range) = next() {
            let mut scan = snapshot.scan(collection, &range)?;
            while let Some(documents) = scan.next_block(READ_LIMITS)? {
                check()?;
                for document in documents.iter() {
                    let key = document.get("_key").and_then(Slice::as_str);
                    let key = key.ok_or_else(|| Error::corrupt("a document without '_key'"))?;
                    if let Some(full) = writer.add(key, document)? {
                        parts.push(full);
                        // Few documents, but long ones.
                        writer.use_folders();
                    }
                    if writer.was_slow() {
                        check()?;
                    }
                }
                text.note_progress(documents.len() as u64, None);
            }
        }
        parts.extend(writer.finish()?);
        Ok(parts)
    };
    let parts: Result<Vec<Vec<Part>>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| write(&stopped))).collect();
        let own = write(step.check);
        is_stopped.store(own.is_err(), Ordering::Relaxed);
        let others = others.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(Error::internal("a thread that built an index has panicked")))
        });
        std::iter::once(own).chain(others).collect()
    });
    work.parts = parts?.into_iter().flatten().collect();
    take_pairs(step, work)
}

/// Divides all documents into ranges.
fn ranges(step: &Step<'_>, threads: usize) -> Result<Vec<DocumentScanSpec>> {
    let all = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
    if threads == 1 {
        return Ok(vec![all]);
    }
    let range = object_range(step.collection.object_id());
    let points = step.core.engine.split_points(&range, threads * PARTS_PER_THREAD)?;
    let points = split_keys(points, &range);
    let bound = |key: &String, inclusive| Some(KeyBound { key: key.clone(), inclusive });
    let starts = std::iter::once(None).chain(points.iter().map(|point| bound(point, true)));
    let ends = points.iter().map(|point| bound(point, false)).chain(std::iter::once(None));
    let part = |(from_key, to_key)| DocumentScanSpec { from_key, to_key, ..all.clone() };
    Ok(starts.zip(ends).map(part).collect())
}

/// Notes the pairs of the outbox in the snapshot as indexed, and removes them if the segments need
/// no save.
fn take_pairs(step: &Step<'_>, work: &mut Work) -> Result<()> {
    let engine = step.core.engine.as_ref();
    let range = step.text.outbox();
    let mut scan = step.snapshot.engine().scan(ScanSpec::forward(range).keys_only().sequential())?;
    loop {
        work.steps += 1;
        let block = scan.next_block(PAIRS)?;
        (step.check)()?;
        for (ticket, key) in block.iter().flat_map(Block::iter).filter_map(|(pair, _)| outbox_entry(pair)) {
            work.done.insert(ticket, Done { key: key.into(), step: work.steps });
        }
        let in_folders = work.parts.iter().any(|part| part.home != Home::Memory);
        let is_saved = step.text.folder.is_none() || in_folders && work.memory_bytes() == 0;
        if is_saved {
            let covered = Some(work.steps);
            list::write(step.text, engine, work, covered)?;
        } else if work.done.len() >= PAIRS_KEPT {
            merge::save(step.text, engine, work, step.core.ids.next()?)?;
        } else if work.has_unsaved() {
            // A search that makes this step must not fail because the store cannot be written.
            work.unsaved_since.get_or_insert_with(Instant::now);
        }
        if block.is_none() {
            return Ok(());
        }
    }
}
