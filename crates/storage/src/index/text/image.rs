//! Images of text indexes, where several servers share the store: segments as pairs of the store,
//! from which a server begins that opens it.
//!
//! The first server writes the segments of its folder into the store from time to time, and the
//! list that names them. Writers note every document in an outbox of the image too, until a later
//! image has it. So the image and its outbox have all documents.
//!
//! A segment is one text in parts: `u32le` files, then for each its name (`u16le` length, UTF-8)
//! and its length (`u64le`), then the contents in that order.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use errors::{Error, Result};
use kv::{Block, BlockLimits, Durability, Engine, KeyRange, Scan, ScanSpec, TransactionOptions};

use super::encoding::{
    image_outbox, mark_key, part_key, parts_range, parts_range_of, segment_key, segment_of_part,
};
use super::folder;
use super::list::{self, Listed, Opened};
use super::text_index::{StepCheck, TextIndex};
use super::work::Work;
use crate::encoding::pack::STORE_FORMAT;

/// Bytes of a part.
const PART_BYTES: usize = 512 << 10;
/// Bytes that one transaction writes.
const TRANSACTION_BYTES: usize = 4 << 20;
/// Keys that one transaction deletes.
const DELETED_AT_ONCE: usize = 5_000;
/// Threads that fetch segments.
const THREADS: usize = 4;
/// Maximum number of files of a segment.
const FILES_MAX: u32 = 1_000;

const READ_LIMITS: BlockLimits = BlockLimits { rows: 16, bytes: 8 << 20 };
const KEYS: BlockLimits = BlockLimits { rows: DELETED_AT_ONCE, bytes: 1 << 20 };

/// Opens the index from its image, if there is one.
///
/// Segments that are in the folder already are not fetched. Errors: those of the engine, 35 for a
/// later format.
pub(crate) fn open(index: &TextIndex, engine: &dyn kv::Snapshot, work: &mut Work) -> Result<Opened> {
    let Some(folder) = &index.folder else { return Ok(Opened::Lacking(None)) };
    let Listed { segments, is_marked } = list::read(index.object, engine)?;
    let known: HashSet<u64> = segments.iter().map(|(segment, _)| *segment).filter(|_| is_marked).collect();
    // Other segments of an earlier server lack what was written while it was gone.
    folder::keep_only(folder, &known);
    if !is_marked {
        return Ok(Opened::Lacking(None));
    }
    let missing: Vec<u64> =
        known.iter().copied().filter(|segment| !folder::of_segment(folder, *segment).is_dir()).collect();
    let fetched = fetch_all(index, engine, folder, &missing);
    let parts = fetched.and_then(|()| {
        segments.iter().map(|(segment, alive)| list::open_part(index, *segment, alive)).collect()
    });
    match parts {
        Ok(parts) => {
            work.parts = parts;
            Ok(Opened::Image)
        }
        Err(error) => {
            folder::keep_only(folder, &HashSet::new());
            Ok(Opened::Lacking(Some(error.message().to_owned())))
        }
    }
}

/// Fetches segments into the folder, several at once.
fn fetch_all(index: &TextIndex, engine: &dyn kv::Snapshot, folder: &Path, segments: &[u64]) -> Result<()> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some(segment) = segments.get(next.fetch_add(1, Ordering::Relaxed)) {
            fetch(index, engine, folder, *segment)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..THREADS.min(segments.len())).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(Error::internal("a thread that fetched a segment has panicked")))
        })?;
        own
    })
}

/// Writes a segment of the image into a folder. An incomplete one has another name.
fn fetch(index: &TextIndex, engine: &dyn kv::Snapshot, folder: &Path, segment: u64) -> Result<()> {
    let range = parts_range_of(index.object, segment);
    let scan = engine.scan(ScanSpec::forward(range).sequential())?;
    let mut reader = PartReader { scan, block: Block::new(), next: 0, offset: 0 };
    let (incomplete, whole) = (folder.join(format!("{segment}.new")), folder::of_segment(folder, segment));
    let failed = |error: io::Error| Error::internal(format!("segment {segment} of a text index: {error}"));
    folder::remove(&incomplete);
    fs::create_dir_all(&incomplete).map_err(failed)?;
    unpack(&mut reader, &incomplete).map_err(failed)?;
    fs::rename(&incomplete, &whole).map_err(failed)
}

/// The text of a segment, from its parts.
struct PartReader {
    scan: Box<dyn Scan>,
    block: Block,
    /// The part that is read, and the bytes of it that were.
    next: usize,
    offset: usize,
}

impl Read for PartReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.next < self.block.len() {
                let rest = self.block.value(self.next).get(self.offset..).unwrap_or_default();
                if !rest.is_empty() {
                    let count = rest.len().min(buffer.len());
                    let (from, to) = (rest.get(..count), buffer.get_mut(..count));
                    if let (Some(from), Some(to)) = (from, to) {
                        to.copy_from_slice(from);
                    }
                    self.offset += count;
                    return Ok(count);
                }
                (self.next, self.offset) = (self.next + 1, 0);
                continue;
            }
            match self.scan.next_block(READ_LIMITS).map_err(io::Error::other)? {
                Some(block) => (self.block, self.next, self.offset) = (block, 0, 0),
                None => return Ok(0),
            }
        }
    }
}

/// Writes the files of a segment.
fn unpack(reader: &mut impl Read, folder: &Path) -> io::Result<()> {
    let count = u32::from_le_bytes(bytes(reader)?);
    if count > FILES_MAX {
        return Err(io::Error::other("it has too many files"));
    }
    let mut files = Vec::new();
    for _ in 0..count {
        let mut name = vec![0; usize::from(u16::from_le_bytes(bytes(reader)?))];
        reader.read_exact(&mut name)?;
        let name = String::from_utf8(name).map_err(io::Error::other)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if ["", ".", ".."].contains(&name.as_str()) || !name.bytes().all(is_plain) {
            return Err(io::Error::other(format!("a file has the illegal name {name:?}")));
        }
        files.push((name, u64::from_le_bytes(bytes(reader)?)));
    }
    for (name, length) in files {
        let mut file = File::create(folder.join(name))?;
        let copied = io::copy(&mut reader.take(length), &mut file)?;
        if copied != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.sync_all()?;
    }
    Ok(())
}

fn bytes<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads the text of a segment from its folder, and passes its parts to `take`.
fn pack(folder: &Path, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| Error::internal(format!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(failed)?;
    files.sort();
    let mut part = Vec::with_capacity(PART_BYTES);
    part.extend((files.len() as u32).to_le_bytes());
    for file in &files {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let length = file.metadata().map_err(failed)?.len();
        part.extend((name.len() as u16).to_le_bytes());
        part.extend(name.as_bytes());
        part.extend(length.to_le_bytes());
    }
    for file in &files {
        let mut file = File::open(file).map_err(failed)?;
        loop {
            let room = PART_BYTES.saturating_sub(part.len());
            let read = (&mut file).take(room as u64).read_to_end(&mut part).map_err(failed)?;
            if part.len() < PART_BYTES {
                break;
            }
            take(&part)?;
            part.clear();
            if read == 0 && room > 0 {
                break;
            }
        }
    }
    take(&part)
}

/// The segments of an index, which are to become its image.
pub(crate) struct Image {
    /// A number that no other image has.
    number: u64,
    /// The segments with the bits of their living documents.
    segments: Vec<(u64, Vec<u8>)>,
}

impl Image {
    /// Returns the image of a state whose segments are all in the folder; `None` if they are not.
    pub(crate) fn of(work: &Work, number: u64) -> Option<Image> {
        let segments = work.parts.iter().map(|part| Some((part.folder()?, part.alive().to_bytes())));
        Some(Image { number, segments: segments.collect::<Option<_>>()? })
    }

    /// Writes the image in the place of the present one. It has all that the outbox of the image
    /// has in the state `before`.
    ///
    /// Returns false, and changes nothing that is read, if another server has written one in the
    /// meantime. Errors: those of the engine and of `check`; 4 if a segment cannot be read, for
    /// example because it was merged.
    pub(crate) fn write(
        &self,
        index: &TextIndex,
        engine: &dyn Engine,
        before: &dyn kv::Snapshot,
        check: StepCheck<'_>,
    ) -> Result<bool> {
        let Some(folder) = &index.folder else { return Ok(false) };
        let mark = mark_of(index, before)?;
        let present = list::read(index.object, before)?;
        let listed: HashSet<u64> = present.segments.iter().map(|(segment, _)| *segment).collect();
        for (segment, _) in self.segments.iter().filter(|(segment, _)| !listed.contains(segment)) {
            write_segment(index, engine, *segment, &folder::of_segment(folder, *segment), check)?;
        }
        index.check_owned()?;
        let mut transaction = engine.begin(TransactionOptions::default())?;
        let key = mark_key(index.object);
        transaction.lock(&key)?;
        if mark_of(index, transaction.view().as_ref())? != mark {
            return Ok(false);
        }
        let mut value = vec![STORE_FORMAT];
        value.extend(self.number.to_le_bytes());
        transaction.put(&key, &value)?;
        for (segment, alive) in &self.segments {
            let mut value = vec![STORE_FORMAT];
            value.extend_from_slice(alive);
            transaction.put(&segment_key(index.object, *segment), &value)?;
        }
        let kept: HashSet<u64> = self.segments.iter().map(|(segment, _)| *segment).collect();
        for segment in listed.difference(&kept) {
            transaction.delete(&segment_key(index.object, *segment))?;
        }
        transaction.commit(Durability::Synced)?;
        delete(engine, before, image_outbox(index.object), check)?;
        self.delete_other_parts(index, engine, &kept, check)?;
        Ok(true)
    }

    /// Deletes the parts of all segments that the image lacks, also of unfinished images.
    fn delete_other_parts(
        &self,
        index: &TextIndex,
        engine: &dyn Engine,
        kept: &HashSet<u64>,
        check: StepCheck<'_>,
    ) -> Result<()> {
        let snapshot = engine.snapshot()?;
        let mut range = parts_range(index.object);
        loop {
            let one = BlockLimits { rows: 1, bytes: 1 };
            let block = snapshot.scan(ScanSpec::forward(range.clone()).keys_only())?.next_block(one)?;
            let Some(segment) = block.as_ref().and_then(|block| segment_of_part(block.last_key()?)) else {
                return Ok(());
            };
            let parts = parts_range_of(index.object, segment);
            range.start = parts.end.clone();
            if !kept.contains(&segment) {
                delete(engine, snapshot.as_ref(), parts, check)?;
            }
        }
    }
}

/// Returns the mark of the present image; empty if there is none.
fn mark_of(index: &TextIndex, snapshot: &dyn kv::Snapshot) -> Result<Vec<u8>> {
    let values = snapshot.get_many(&[&mark_key(index.object)])?;
    Ok(values.get(0).unwrap_or_default().to_vec())
}

fn write_segment(
    index: &TextIndex,
    engine: &dyn Engine,
    segment: u64,
    folder: &Path,
    check: StepCheck<'_>,
) -> Result<()> {
    let mut number = 0;
    let mut transaction = engine.begin(TransactionOptions::default())?;
    pack(folder, &mut |part| {
        transaction.put_unguarded(&part_key(index.object, segment, number), part)?;
        number += 1;
        if transaction.size_bytes() >= TRANSACTION_BYTES {
            check()?;
            let full = std::mem::replace(&mut transaction, engine.begin(TransactionOptions::default())?);
            full.commit(Durability::Buffered)?;
        }
        Ok(())
    })?;
    Ok(transaction.commit(Durability::Buffered)?)
}

/// Deletes the keys that a range has in a snapshot.
fn delete(
    engine: &dyn Engine,
    snapshot: &dyn kv::Snapshot,
    range: KeyRange,
    check: StepCheck<'_>,
) -> Result<()> {
    let mut scan = snapshot.scan(ScanSpec::forward(range).keys_only().sequential())?;
    while let Some(block) = scan.next_block(KEYS)? {
        check()?;
        let mut transaction = engine.begin(TransactionOptions::default())?;
        block.iter().try_for_each(|(key, _)| transaction.delete_unguarded(key))?;
        transaction.commit(Durability::Buffered)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_segment_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        let files = [("a.term", PART_BYTES * 2), ("b", 0), ("c.store", 70_001), ("d", PART_BYTES - 200)];
        for (name, length) in files {
            let text: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            fs::write(from.join(name), text).unwrap();
        }
        let mut parts = Vec::new();
        let take = &mut |part: &[u8]| {
            parts.push(part.to_vec());
            Ok(())
        };
        pack(&from, take).unwrap();
        assert!(parts.len() >= 4 && parts.iter().all(|part| part.len() <= PART_BYTES));
        let text = parts.concat();
        unpack(&mut text.as_slice(), &to).unwrap();
        for (name, _) in files {
            assert!(fs::read(from.join(name)).unwrap() == fs::read(to.join(name)).unwrap(), "{name}");
        }
        assert!(unpack(&mut text.get(..text.len() - 1).unwrap(), &to).is_err());
        let mut hostile = 1u32.to_le_bytes().to_vec();
        hostile.extend(5u16.to_le_bytes());
        hostile.extend(b"../ab");
        hostile.extend(0u64.to_le_bytes());
        assert!(unpack(&mut hostile.as_slice(), &to).is_err());
    }
}
