//! Steps of the indexer: what the outbox names is indexed and becomes visible.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_meter::Uncounted;
use catalog::text_index::Maintenance;
use errors::{Error, Result};
use kv::{BlockLimits, ScanSpec, WaitPolicy};

use super::build;
use super::merge;
use super::part_writer::PartWriter;
use super::running_step::{SMALL_BUDGET_BYTES, Step};
use crate::base::error;
use crate::catalog_snapshot::{Catalog, Collection, Database};
use crate::index::Index;
use crate::index::text::encoding::{image_outbox, outbox_entry};
use crate::index::text::image;
use crate::index::text::list::{self, Opened};
use crate::index::text::pins::OpenTextIndex;
use crate::index::text::text_index::{StepCheck, TextIndex};
use crate::index::text::work::{Done, Part, Work};
use crate::snapshot::Snapshot;
use crate::store_core::StoreCore;

/// Number of pairs of the outbox in one read.
const BLOCK: BlockLimits = BlockLimits { rows: 4096, bytes: 1 << 20 };
/// Pairs of the outbox after which the segments are saved in the middle of a step, so that the
/// pairs need not stay in memory.
const PAIRS_PER_SAVE: usize = 500_000;
/// The wait of an index's first step for writers, where several servers share the store.
const FIRST_STEP_WAIT: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(10));
/// The number of pairs from which a step has many documents.
const MANY_PAIRS: usize = 1000;

/// A text index with its collection.
pub(crate) struct Owner {
    pub(crate) collection: Arc<Collection>,
    pub(crate) index: Arc<Index>,
    pub(crate) text: Arc<TextIndex>,
    /// The options of its upkeep. A link has those of its view.
    pub(crate) maintenance: Maintenance,
}

/// The outcome of a step.
#[derive(Debug, Default)]
pub(super) struct Stepped {
    /// The reason why all documents had to be indexed again.
    pub(super) rebuilt: Option<String>,
}

/// Returns all text indexes of a catalog.
pub(crate) fn owners(catalog: &Catalog) -> impl Iterator<Item = Owner> {
    catalog.databases().flat_map(|database| {
        database.collections().flat_map(move |collection| {
            collection.indexes().iter().filter_map(move |index| {
                let text = Arc::clone(index.text()?);
                let (collection, maintenance) = (Arc::clone(collection), maintenance(database, index));
                Some(Owner { collection, index: Arc::clone(index), text, maintenance })
            })
        })
    })
}

fn maintenance(database: &Database, index: &Index) -> Maintenance {
    let own = index.definition().properties.as_inverted().map(|options| options.maintenance);
    let of_view = || Some(database.view_by_id(index.view()?)?.arangosearch()?.maintenance);
    own.or_else(of_view).unwrap_or_default()
}

/// Indexes all that is committed now, and publishes it. The caller has locked `work`.
///
/// Errors: those of the engine, of the check, and of a schema that cannot be opened. The published
/// state stays as it is then.
pub(super) fn step(
    core: &Arc<StoreCore>,
    owner: &Owner,
    work: &mut Work,
    check: StepCheck<'_>,
) -> Result<Stepped> {
    owner.text.check_owned()?;
    work.stepped = Some(Instant::now());
    let moment = core.read_cache.view().map(|view| view.as_of());
    // This precedes the snapshot, which then has at least these commits.
    let commits = owner.collection.counters.commits();
    if work.is_open && commits.is_some() && commits == work.commits {
        let is_known =
            work.as_of.is_some_and(|known| owner.collection.commit_watch.is_unchanged_since(known));
        if !is_known && !work.is_partial && moment > work.as_of {
            // Commits to other collections were open then.
            work.as_of = moment;
            owner.text.publish(work);
        }
        return Ok(Stepped::default());
    }
    // Writers that do not know this server yet do not write into its outbox, so the first step
    // waits for their end.
    let is_first = owner.text.is_shared() && !work.is_open;
    let alone =
        if is_first { core.lock_everywhere(&owner.collection, FIRST_STEP_WAIT, check)? } else { None };
    if is_first && alone.is_none() {
        return Err(error::lock_timeout(owner.collection.name()));
    }
    let pace = owner.text.pace.begin_step();
    let snapshot = core.snapshot()?;
    drop(alone);
    let Some(collection) = present(&snapshot, owner) else { return Ok(Stepped::default()) };
    let check = || {
        owner.text.check_owned()?;
        check()
    };
    let step = Step {
        core,
        index: &owner.index,
        text: &owner.text,
        snapshot: &snapshot,
        collection: &collection,
        check: &check,
    };
    let mut stepped = Stepped::default();
    let opened = match work.is_open {
        true => Opened::Whole,
        false if owner.text.is_shared() => image::open(&owner.text, snapshot.engine().as_ref(), work)?,
        false => list::open(&owner.text, snapshot.engine().as_ref(), work)?,
    };
    work.is_partial = true;
    match opened {
        Opened::Whole => step.index_outbox(work)?,
        Opened::Image => {
            step.index_image_outbox(work)?;
            step.index_outbox(work)?;
            work.imaged = Some(Instant::now());
        }
        Opened::Lacking(reason) => {
            stepped.rebuilt = reason;
            build::build(&step, work)?;
        }
    }
    work.is_open = true;
    work.is_partial = false;
    work.as_of = snapshot.as_of();
    owner.text.publish(work);
    owner.text.pace.end_step(&pace);
    work.commits = commits;
    Ok(stepped)
}

/// Returns the collection in a snapshot, if it still has the index.
fn present(snapshot: &Snapshot, owner: &Owner) -> Option<Arc<Collection>> {
    let collection = snapshot.catalog().same_collection(&owner.collection)?;
    let index = collection.index(owner.index.id())?;
    (index.definition().object_id == owner.index.definition().object_id).then(|| Arc::clone(collection))
}

impl Step<'_> {
    /// Indexes the documents that the outbox names, as the snapshot has them.
    fn index_outbox(&self, work: &mut Work) -> Result<()> {
        let mut after = None;
        loop {
            after = self.index_pairs(Outbox::Own, after.as_deref(), work)?;
            if after.is_none() {
                break;
            }
            merge::save(self.text, self.core.engine.as_ref(), work, self.core.ids.next()?)?;
        }
        if self.text.folder.is_none() && !work.done.is_empty() {
            let covered = Some(work.steps);
            list::write(self.text, self.core.engine.as_ref(), work, covered)?;
        }
        Ok(())
    }

    /// Indexes the documents that the image may lack. Their pairs stay for other servers.
    fn index_image_outbox(&self, work: &mut Work) -> Result<()> {
        let mut after = None;
        loop {
            after = self.index_pairs(Outbox::OfImage, after.as_deref(), work)?;
            if after.is_none() {
                return Ok(());
            }
            merge::save(self.text, self.core.engine.as_ref(), work, self.core.ids.next()?)?;
        }
    }

    /// Indexes the documents of at most [`PAIRS_PER_SAVE`] pairs. Returns the last of them if there
    /// may be more.
    fn index_pairs(&self, outbox: Outbox, after: Option<&[u8]>, work: &mut Work) -> Result<Option<Vec<u8>>> {
        let mut range = match outbox {
            Outbox::Own => self.text.outbox(),
            Outbox::OfImage => image_outbox(self.text.object),
        };
        if let Some(after) = after {
            range.start = crate::encoding::successor(after.to_vec());
        }
        let mut scan = self.snapshot.engine().scan(ScanSpec::forward(range).keys_only().sequential())?;
        let mut batch: Option<Batch<'_>> = None;
        let mut last = None;
        while let Some(block) = scan.next_block(BLOCK)? {
            (self.check)()?;
            let mut taken = Vec::new();
            for (pair, _) in block.iter() {
                let (ticket, key) =
                    outbox_entry(pair).ok_or_else(|| Error::corrupt("a damaged pair of an outbox"))?;
                if !work.done.contains_key(&ticket) {
                    taken.push((ticket, Box::<str>::from(key)));
                }
            }
            if taken.is_empty() {
                continue;
            }
            let batch = match &mut batch {
                Some(batch) => batch,
                None => batch.insert(Batch::new(self, work, taken.len())?),
            };
            batch.index(taken)?;
            if batch.pairs.len() >= PAIRS_PER_SAVE {
                last = block.iter().last().map(|(pair, _)| pair.to_vec());
                break;
            }
        }
        if let Some(batch) = batch {
            batch.finish(outbox, work)?;
        }
        Ok(last)
    }
}

/// The outbox whose pairs are indexed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outbox {
    /// This server's, which removes the pairs when their documents are saved.
    Own,
    /// That of the image, whose writer removes them.
    OfImage,
}

/// Pairs of the outbox that are being indexed. They change nothing until they are finished.
struct Batch<'a> {
    step: &'a Step<'a>,
    /// The segments with what was deleted and added.
    parts: Vec<Part>,
    writer: PartWriter<'a>,
    pairs: Vec<(u64, Box<str>)>,
}

impl<'a> Batch<'a> {
    fn new(step: &'a Step<'a>, work: &Work, pairs: usize) -> Result<Self> {
        let budget_bytes = if pairs < MANY_PAIRS { SMALL_BUDGET_BYTES } else { step.budget_bytes(1) };
        let writer = PartWriter::new(step.text, &step.core.ids, budget_bytes, false)?;
        Ok(Batch { step, parts: work.parts.clone(), writer, pairs: Vec::new() })
    }

    fn index(&mut self, pairs: Vec<(u64, Box<str>)>) -> Result<()> {
        let mut keys: Vec<&str> = pairs.iter().map(|(_, key)| &**key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| !self.writer.has(key));
        self.parts.iter_mut().try_for_each(|part| part.part.delete(&keys))?;
        let (parts, writer, check) = (&mut self.parts, &mut self.writer, self.step.check);
        let mut rest = keys.iter();
        self.step.snapshot.get_all(self.step.collection, &keys, |documents| {
            for position in 0..documents.len() {
                let Some(key) = rest.next() else { break };
                let Some(document) = documents.get(position) else { continue };
                if let Some(full) = writer.add(key, document)? {
                    parts.push(full);
                    // Many documents: do not collect them in memory.
                    writer.use_folders();
                }
                if writer.was_slow() {
                    check()?;
                }
            }
            Ok(())
        })?;
        self.pairs.extend(pairs);
        Ok(())
    }

    fn finish(mut self, outbox: Outbox, work: &mut Work) -> Result<()> {
        self.parts.extend(self.writer.finish()?);
        work.parts = self.parts;
        work.steps += 1;
        let step = work.steps;
        work.pairs_since_image += self.pairs.len() as u64;
        if outbox == Outbox::OfImage {
            self.pairs.clear();
        }
        work.done.extend(self.pairs.into_iter().map(|(ticket, key)| (ticket, Done { key, step })));
        work.unsaved_since.get_or_insert_with(Instant::now);
        Ok(())
    }
}

impl OpenTextIndex for StoreCore {
    fn open_text_index(self: Arc<Self>, index: &Index, check: StepCheck<'_>) -> Result<()> {
        let _shared = Uncounted::begin();
        let object = index.definition().object_id;
        let catalog = self.catalog();
        // A truncated index has no documents any more.
        let Some(owner) = owners(&catalog).find(|owner| owner.text.object == object) else { return Ok(()) };
        let mut work = owner.text.work_unless(check)?;
        if owner.text.published().is_none() {
            step(&self, &owner, &mut work, check)?;
        }
        Ok(())
    }
}
