//! Documents whose `_key` or `_id` lies between bounds, in AQL's order if the caller wants it.
//!
//! Storage orders documents by the bytes of their keys, but AQL compares texts by collation. Keys
//! consist of ASCII characters that each sort on their own, and case decides only between keys that
//! are otherwise equal. So the keys that begin with the same characters, whatever their case, are
//! adjacent in AQL's order. In storage they occupy one range for each spelling of these characters.
//!
//! Such a stretch of keys is sorted in memory if it is small; otherwise it is split by the next
//! character. A stretch that lies within the bounds as a whole, and needs no order, is read with
//! one scan.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use catalog::ObjectId;
use catalog::index::Bound;
use errors::{Error, Result};
use kv::BlockLimits;
use velocypack::Slice;

use super::keys::keys;
use super::stretch::{BEHIND_KEYS, Interval, Place, Stretch, group_of, sort_key};
use crate::base::documents::StoredDocument;
use crate::index::bounds::IndexRange;
use crate::index::found::{EntryCollector, IndexEntries};
use crate::index::scan::{EntryScan, ScanHost, ScanOptions, ScanSource};
use crate::index::value::IndexValue;
use crate::scan::{DocumentScan, DocumentScanSpec, KeyBound};

/// Maximum number of keys that are sorted in memory.
const STRETCH_KEYS: usize = 256;

/// A scan of keys between bounds.
pub(super) struct KeyRangeScan {
    source: ScanSource,
    /// The collection's documents.
    object: ObjectId,
    /// The part of an identifier before the key: the bounds apply to identifiers.
    prefix: String,
    ascending: bool,
    ordered: bool,
    wants_documents: bool,
    /// The remaining parts, the next one last.
    parts: Vec<Part>,
    /// Keys that were found and not yet returned, perhaps with their documents; the next one last.
    found: Vec<FoundKey>,
    scan: Option<DocumentScan>,
}

type FoundKey = (String, Option<StoredDocument>);

enum Part {
    /// A key, which may or may not exist.
    Key(String),
    Stretch(Stretch),
    /// All keys with this prefix.
    Scan(String),
}

impl KeyRangeScan {
    pub(super) fn new(
        source: ScanSource,
        object: ObjectId,
        ranges: &[IndexRange],
        options: &ScanOptions,
    ) -> Result<Self> {
        let mut scan = KeyRangeScan {
            object,
            prefix: format!("{}/", source.collection),
            source,
            ascending: options.ascending,
            ordered: options.ordered,
            wants_documents: options.wants_documents,
            parts: Vec::new(),
            found: Vec::new(),
            scan: None,
        };
        let mut parts: Vec<(Option<IndexValue>, Part)> = Vec::new();
        for range in ranges {
            parts.extend(scan.parts_of(range)?);
        }
        if options.ordered {
            parts.sort_by(|(left, _), (right, _)| scan.compare_ends(left.as_ref(), right.as_ref()));
        }
        // The next part is the last in the list. Overlapping ranges find some keys twice, and the
        // scan drops the duplicates. That works because a key that an earlier range lacks lies
        // after that range.
        scan.parts = parts.into_iter().map(|(_, part)| part).rev().collect();
        Ok(scan)
    }

    /// Returns the parts of a range, each with the identifier at which a scan meets it; `None` for
    /// the very first.
    fn parts_of(&self, range: &IndexRange) -> Result<Vec<(Option<IndexValue>, Part)>> {
        if !range.equal.is_empty() {
            let part = |key: String| Ok((Some(self.identifier(&key)?), Part::Key(key)));
            return keys(range, &self.source.collection).into_iter().map(part).collect();
        }
        let mut identifier = |value: &IndexValue| match value.as_str() {
            Some(key) if range.first_field == 0 => self.identifier(key),
            _ => Ok(value.clone()),
        };
        let interval = Interval {
            lower: Bound::try_map(&range.lower, &mut identifier)?,
            upper: Bound::try_map(&range.upper, &mut identifier)?,
        };
        let first = if self.ascending { &interval.lower } else { &interval.upper };
        let first = first.as_ref().map(|bound| bound.value.clone());
        let stretch = Stretch::whole(interval);
        Ok(vec![(first, Part::Stretch(stretch))])
    }

    fn compare_ends(&self, left: Option<&IndexValue>, right: Option<&IndexValue>) -> Ordering {
        match (left, right) {
            (Some(left), Some(right)) if self.ascending => left.compare(right),
            (Some(left), Some(right)) => right.compare(left),
            _ => left.is_some().cmp(&right.is_some()),
        }
    }

    fn identifier(&self, key: &str) -> Result<IndexValue> {
        IndexValue::text(&format!("{}{key}", self.prefix))
    }

    /// Keeps only keys within the interval.
    fn retain_within(&self, found: &mut Vec<FoundKey>, interval: &Interval) -> Result<()> {
        let mut within = Vec::with_capacity(found.len());
        for (key, document) in found.drain(..) {
            if interval.contains(&self.identifier(&key)?) {
                within.push((key, document));
            }
        }
        *found = within;
        Ok(())
    }

    /// Finds the keys of a stretch, or splits it. Returns the bytes of documents that it has read.
    fn visit(&mut self, stretch: Stretch, host: &mut dyn ScanHost, limits: BlockLimits) -> Result<usize> {
        let place = stretch.place(&self.prefix)?;
        if place == Place::Outside {
            return Ok(0);
        }
        if place == Place::Within && !self.ordered {
            self.parts.extend(stretch.starts.into_iter().map(Part::Scan));
            return Ok(0);
        }
        let Some(mut found) = self.read_few(&stretch.starts, host)? else {
            self.split(&stretch, host)?;
            return Ok(0);
        };
        if place == Place::AtBound {
            self.retain_within(&mut found, &stretch.interval)?;
        }
        host.statistics().entries += found.len() as u64;
        let read = if self.wants_documents && found.len() <= limits.rows {
            self.add_documents(&mut found, &stretch.starts, host, limits)?
        } else {
            0
        };
        // The next key is the last in the list.
        found.sort_by_cached_key(|(key, _)| sort_key(key));
        if self.ascending {
            found.reverse();
        }
        self.found = found;
        Ok(read)
    }

    /// Returns the keys with these prefixes; `None` if there are many.
    fn read_few(&self, starts: &[String], host: &mut dyn ScanHost) -> Result<Option<Vec<FoundKey>>> {
        let mut found = Vec::new();
        for start in starts {
            let keys_only = DocumentScanSpec { keys_only: true, ..DocumentScanSpec::default() };
            let mut scan = self.start_scan(start, keys_only, host)?;
            while found.len() <= STRETCH_KEYS {
                let limits = BlockLimits { rows: STRETCH_KEYS + 1 - found.len(), bytes: usize::MAX };
                let Some(keys) = scan.next_keys(limits)? else { break };
                found.extend(keys.iter().map(|key| (key.to_owned(), None)));
            }
            if found.len() > STRETCH_KEYS {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Reads the documents of keys, which are adjacent. Leaves them for later if they are too
    /// large.
    fn add_documents(
        &self,
        found: &mut [FoundKey],
        starts: &[String],
        host: &mut dyn ScanHost,
        limits: BlockLimits,
    ) -> Result<usize> {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        places.extend(found.iter().enumerate().map(|(place, (key, _))| (key.clone(), place)));
        let mut read = 0;
        for start in starts {
            let mut scan = self.start_scan(start, DocumentScanSpec::default(), host)?;
            let limits = BlockLimits { rows: STRETCH_KEYS, bytes: limits.bytes };
            let Some(documents) = scan.next_block(limits)? else { continue };
            read += documents.block.bytes.len();
            for position in 0..documents.len() {
                let place = documents.get(position).and_then(key_of).and_then(|key| places.get(key));
                if let Some((_, slot)) = place.and_then(|place| found.get_mut(*place)) {
                    *slot = documents.document(position);
                }
            }
        }
        Ok(read)
    }

    /// Replaces a stretch with its parts: the keys that end with it, and a stretch for each next
    /// character.
    fn split(&mut self, stretch: &Stretch, host: &mut dyn ScanHost) -> Result<()> {
        let mut ending = Vec::new();
        let mut children: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for start in &stretch.starts {
            let mut from = KeyBound { key: start.clone(), inclusive: true };
            while let Some(key) = self.first_key(&from, start, host)? {
                let Some(byte) = key.as_bytes().get(start.len()) else {
                    from.inclusive = false;
                    ending.push((key, None));
                    continue;
                };
                let group = group_of(*byte)
                    .ok_or_else(|| Error::internal(format!("a document has the invalid key '{key}'")))?;
                let child = format!("{start}{}", char::from(*byte));
                from = KeyBound { key: format!("{child}{BEHIND_KEYS}"), inclusive: false };
                children.entry(group).or_default().push(child);
            }
        }
        ending.sort_by_cached_key(|(key, _)| sort_key(key));
        self.retain_within(&mut ending, &stretch.interval)?;
        host.statistics().entries += ending.len() as u64;
        let mut parts: Vec<Part> = ending.into_iter().map(|(key, _)| Part::Key(key)).collect();
        let children = children.into_iter().map(|(group, starts)| stretch.child(group, starts));
        parts.extend(children.map(Part::Stretch));
        if self.ascending {
            parts.reverse();
        }
        self.parts.extend(parts);
        Ok(())
    }

    /// Returns the first key with a prefix, from a bound on.
    fn first_key(&self, from: &KeyBound, start: &str, host: &mut dyn ScanHost) -> Result<Option<String>> {
        let spec =
            DocumentScanSpec { from_key: Some(from.clone()), keys_only: true, ..beginning_with(start) };
        let mut scan = self.open_scan(&spec, host)?;
        let keys = scan.next_keys(BlockLimits { rows: 1, bytes: usize::MAX })?;
        Ok(keys.and_then(|keys| keys.iter().next().map(str::to_owned)))
    }

    /// Starts a scan of a prefix, in the direction of this scan; `spec` holds the other options.
    fn start_scan(
        &self,
        start: &str,
        mut spec: DocumentScanSpec,
        host: &mut dyn ScanHost,
    ) -> Result<DocumentScan> {
        DocumentScanSpec { from_key: spec.from_key, to_key: spec.to_key, .. } = beginning_with(start);
        spec.reverse = !self.ascending;
        self.open_scan(&spec, host)
    }

    fn open_scan(&self, spec: &DocumentScanSpec, host: &mut dyn ScanHost) -> Result<DocumentScan> {
        host.check()?;
        let ScanSource { engine, collection, fork_join, .. } = &self.source;
        DocumentScan::start(engine.as_ref(), self.object, collection, spec, fork_join, None)
    }

    /// Reads further entries from the scan.
    fn read_scan(
        &mut self,
        entries: &mut EntryCollector,
        host: &mut dyn ScanHost,
        limits: BlockLimits,
    ) -> Result<()> {
        let limits = BlockLimits { rows: limits.rows.saturating_sub(entries.len()), bytes: limits.bytes };
        let Some(scan) = &mut self.scan else { return Ok(()) };
        let before = entries.len();
        let is_over = if self.wants_documents {
            let documents = scan.next_block(limits)?;
            if let Some(documents) = &documents {
                entries.add_document_bytes(documents.block.bytes.len());
                for position in 0..documents.len() {
                    let key = documents.get(position).and_then(key_of);
                    entries.push_document(key.unwrap_or_default(), documents.document(position))?;
                }
            }
            documents.is_none()
        } else {
            let keys = scan.next_keys(limits)?;
            if let Some(keys) = &keys {
                keys.iter().try_for_each(|key| entries.push_document(key, None))?;
            }
            keys.is_none()
        };
        host.statistics().entries += (entries.len() - before) as u64;
        if is_over {
            self.scan = None;
        }
        Ok(())
    }
}

/// Returns the `_key` of a document.
fn key_of(document: Slice<'_>) -> Option<&str> {
    document.get("_key").and_then(Slice::as_str)
}

/// Returns the specification of a scan over all keys with a prefix.
fn beginning_with(start: &str) -> DocumentScanSpec {
    DocumentScanSpec {
        from_key: Some(KeyBound { key: start.to_owned(), inclusive: true }),
        to_key: Some(KeyBound { key: format!("{start}{BEHIND_KEYS}"), inclusive: false }),
        ..DocumentScanSpec::default()
    }
}

impl EntryScan for KeyRangeScan {
    /// Returns the next keys. Documents count by their bytes rather than by their number.
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        let mut entries = EntryCollector::default();
        while entries.len() < limits.rows {
            host.check()?;
            if let Some((key, document)) = self.found.pop() {
                entries.push_document(&key, document)?;
                continue;
            }
            if entries.document_bytes() > 0 && entries.document_bytes() >= limits.bytes {
                break;
            }
            if self.scan.is_some() {
                self.read_scan(&mut entries, host, limits)?;
                continue;
            }
            match self.parts.pop() {
                None => break,
                Some(Part::Key(key)) => {
                    entries.push_document(&key, None)?;
                }
                Some(Part::Scan(start)) => {
                    // All keys of the collection: a long scan, which others are likely to repeat.
                    let is_whole = start.is_empty();
                    let spec = DocumentScanSpec {
                        keys_only: !self.wants_documents,
                        sequential: is_whole,
                        repeated: is_whole,
                        ..DocumentScanSpec::default()
                    };
                    self.scan = Some(self.start_scan(&start, spec, host)?);
                }
                Some(Part::Stretch(stretch)) => {
                    let rows = limits.rows - entries.len();
                    let read = self.visit(stretch, host, BlockLimits { rows, bytes: limits.bytes })?;
                    entries.add_document_bytes(read);
                }
            }
        }
        Ok((entries.len() > 0).then(|| entries.finish()))
    }

    fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}
