//! The list of an index's segments in the store.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::ObjectId;
use errors::{Error, Result};
use kv::{BlockLimits, Durability, Engine, ScanSpec, TransactionOptions};
use search::{Segment, SnapshotPart};

use super::encoding::{append_outbox_key, list_range, mark_key, segment_key, segment_of};
use super::folder;
use super::text_index::TextIndex;
use super::work::{Home, Part, Work};
use crate::encoding::pack::{STORE_FORMAT, check_format};

const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 4 << 20 };

/// The outcome of opening an index.
pub(crate) enum Opened {
    /// The segments and the outbox have all documents.
    Whole,
    /// The image and its outbox have all documents, where several servers share the store.
    Image,
    /// All documents must be indexed. If the index was built before, there is a reason why its
    /// segments cannot be used.
    Lacking(Option<String>),
}

/// The list as the store has it.
pub(crate) struct Listed {
    /// The segments with the bits of their living documents.
    pub(crate) segments: Vec<(u64, Vec<u8>)>,
    /// True if the list and the outbox have all documents.
    pub(crate) is_marked: bool,
}

/// Reads the list of an index.
///
/// Errors: those of the engine, 35 for a later format.
pub(crate) fn read(object: ObjectId, engine: &dyn kv::Snapshot) -> Result<Listed> {
    let mut listed = Listed { segments: Vec::new(), is_marked: false };
    let mut scan = engine.scan(ScanSpec::forward(list_range(object)))?;
    while let Some(block) = scan.next_block(READ_LIMITS)? {
        for (key, value) in block.iter() {
            let (format, rest) =
                value.split_first().ok_or_else(|| Error::corrupt("an empty segment list"))?;
            check_format(*format)?;
            match segment_of(key) {
                Some(segment) => listed.segments.push((segment, rest.to_vec())),
                None => listed.is_marked = true,
            }
        }
    }
    Ok(listed)
}

/// Opens the segments of the list.
///
/// Errors: those of the engine, 35 for a later format.
pub(crate) fn open(index: &TextIndex, engine: &dyn kv::Snapshot, work: &mut Work) -> Result<Opened> {
    let Listed { segments: listed, is_marked } = read(index.object, engine)?;
    let Some(folder) = &index.folder else {
        work.obsolete = listed.into_iter().map(|(segment, _)| segment).collect();
        return Ok(Opened::Lacking(None));
    };
    let known: HashSet<u64> = listed.iter().map(|(segment, _)| *segment).collect();
    folder::keep_only(folder, &known);
    let parts: Result<Vec<Part>> =
        listed.iter().map(|(segment, alive)| open_part(index, *segment, alive)).collect();
    match parts {
        Ok(parts) if is_marked => {
            work.parts = parts;
            work.is_marked = true;
            Ok(Opened::Whole)
        }
        parts => {
            work.obsolete = known.into_iter().collect();
            Ok(Opened::Lacking(parts.err().map(|error| error.message().to_owned())))
        }
    }
}

/// Opens a segment in the folder of its index.
///
/// Errors: 1102 if it is missing or damaged.
pub(crate) fn open_part(index: &TextIndex, number: u64, alive: &[u8]) -> Result<Part> {
    let place = index.folder.as_deref().map(|folder| index.segment_folder(folder, number));
    let place = place.ok_or_else(|| Error::internal("a segment without a folder"))?;
    let folder = &place.path;
    if !folder.is_dir() {
        return Err(Error::corrupt(format!("the folder {} is missing", folder.display())));
    }
    let segment = Arc::new(Segment::open(&place)?);
    let damaged = || Error::corrupt(format!("the segment in {} is another one", folder.display()));
    let part = SnapshotPart::restored(segment, alive).ok_or_else(damaged)?;
    let (bytes, files) = folder::size(folder);
    let listed_dead = Some(part.alive.dead());
    Ok(Part { part, home: Home::Folder(number), bytes, files, listed_dead })
}

/// Writes the segments in folders into the list, and removes the pairs of the outbox that steps up
/// to `covered` have indexed. The folders of segments that are no longer listed are then removed.
///
/// The segments of those steps must be in folders, if the index has one.
///
/// Errors: those of the engine, 1212 for an index that nothing owns any more.
pub(crate) fn write(
    index: &TextIndex,
    engine: &dyn Engine,
    work: &mut Work,
    covered: Option<u64>,
) -> Result<()> {
    index.check_owned()?;
    let mut transaction = engine.begin(TransactionOptions::default())?;
    let in_folders = index.folder.is_some();
    let is_listed = !index.is_shared();
    if in_folders && is_listed && !work.is_marked {
        transaction.put(&mark_key(index.object), &[STORE_FORMAT])?;
    }
    for part in &work.parts {
        let Some(segment) = part.folder() else { continue };
        if is_listed && part.listed_dead != Some(part.alive().dead()) {
            let mut value = vec![STORE_FORMAT];
            value.extend(part.alive().to_bytes());
            transaction.put(&segment_key(index.object, segment), &value)?;
        }
    }
    for segment in work.obsolete.iter().filter(|_| is_listed) {
        transaction.delete(&segment_key(index.object, *segment))?;
    }
    let mut pair = Vec::new();
    let is_covered = |step: u64| covered.is_some_and(|covered| step <= covered);
    for (ticket, done) in work.done.iter().filter(|(_, done)| is_covered(done.step)) {
        pair.clear();
        append_outbox_key(index.object, *ticket, &done.key, &mut pair);
        transaction.delete_unguarded(&pair)?;
    }
    // Folders are removed next, so the list must not return to an older one after a crash.
    let durability = if in_folders { Durability::Synced } else { Durability::Buffered };
    transaction.commit(durability)?;
    work.done.retain(|_, done| !is_covered(done.step));
    work.is_marked = in_folders;
    for part in work.parts.iter_mut().filter(|part| part.home != Home::Memory) {
        part.listed_dead = Some(part.part.alive.dead());
    }
    let obsolete = std::mem::take(&mut work.obsolete);
    if let Some(folder) = &index.folder {
        obsolete.iter().for_each(|segment| folder::remove(&folder::of_segment(folder, *segment)));
    }
    Ok(())
}
