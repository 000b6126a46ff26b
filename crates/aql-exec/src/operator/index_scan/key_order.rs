//! Documents whose `_key` or `_id` lies between bounds; on request in AQL's order.
//!
//! Storage has documents in byte order of their keys, AQL compares texts by collation. Keys consist of ASCII
//! characters, of which each sorts by itself, and case decides only between keys that are equal without it. So the
//! keys that begin with the same characters, whatever their case, lie together in AQL's order, and in one place of
//! storage for each way to write these characters. Such a stretch of keys is sorted in memory if it is small;
//! otherwise it is taken apart by the next character. What lies within the bounds as a whole, and needs no order, is
//! read in one go.

use super::entries::EntrySink;
use super::key_stretch::{BEHIND_KEYS, Interval, Place, SortedKey, Stretch, group_of};
use super::range::{Bound, Range};
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Error, Result, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::{BlockLimits, Collection, DocumentScan, DocumentScanSpec, KeyBound, Snapshot};

/// Most keys that are sorted in memory.
const STRETCH_KEYS: usize = 256;

pub(super) struct KeyRangeSource {
    snapshot: Snapshot,
    collection: Arc<Collection>,
    /// What identifiers have before the key: bounds are compared with identifiers.
    prefix: String,
    ascending: bool,
    ordered: bool,
    wants_documents: bool,
    /// What is still to be visited, the next at the end.
    parts: Vec<Part>,
    /// Keys that were found and are still to be handed over, perhaps with their documents; the next at the end.
    found: Vec<(String, Value)>,
    scan: Option<DocumentScan>,
}

enum Part {
    /// A key, which may or may not exist.
    Key(String),
    Stretch(Stretch),
    /// Everything that begins so.
    Scan(String),
}

/// The keys that a range of equalities names. A value that is no string, or an identifier of another collection, names
/// none.
pub(super) fn keys(range: &Range, collection: &Collection) -> Vec<String> {
    let values = range.equal.first().map(Vec::as_slice).unwrap_or_default();
    let texts = values.iter().filter_map(Value::as_str);
    if range.first_field == 0 {
        return texts.map(str::to_owned).collect();
    }
    let of_collection = |id: &str| {
        let (name, key) = id.split_once('/')?;
        (name == collection.name()).then(|| key.to_owned())
    };
    texts.filter_map(of_collection).collect()
}

impl KeyRangeSource {
    pub(super) fn new(ranges: &[Range], lookup: &Lookup<'_>) -> Self {
        let mut source = Self {
            snapshot: lookup.snapshot.clone(),
            collection: Arc::clone(lookup.collection),
            prefix: format!("{}/", lookup.collection.name()),
            ascending: lookup.ascending,
            ordered: lookup.ordered,
            wants_documents: lookup.wants_documents,
            parts: Vec::new(),
            found: Vec::new(),
            scan: None,
        };
        let mut parts: Vec<(Option<Value>, Part)> =
            ranges.iter().flat_map(|range| source.parts_of(range)).collect();
        if lookup.ordered {
            parts.sort_by(|(left, _), (right, _)| source.compare_ends(left.as_ref(), right.as_ref()));
        }
        // What is visited first comes last. Ranges that overlap find keys twice, which the scan leaves out; a key
        // that an earlier range does not have lies behind that range.
        source.parts = parts.into_iter().map(|(_, part)| part).rev().collect();
        source
    }

    /// The parts of a range, each with the identifier at which a scan meets it; `None` for the very first.
    fn parts_of(&self, range: &Range) -> Vec<(Option<Value>, Part)> {
        if !range.equal.is_empty() {
            let part = |key: String| (Some(self.identifier(&key)), Part::Key(key));
            return keys(range, &self.collection).into_iter().map(part).collect();
        }
        let bound = |bound: &Option<Bound>| {
            let mut bound = bound.clone()?;
            if let (0, Some(key)) = (range.first_field, bound.value.as_str()) {
                bound.value = self.identifier(key);
            }
            Some(bound)
        };
        let interval = Interval { lower: bound(&range.lower), upper: bound(&range.upper) };
        let first = if self.ascending { &interval.lower } else { &interval.upper };
        let first = first.as_ref().map(|bound| bound.value.clone());
        let stretch = Stretch::whole(interval);
        vec![(first, Part::Stretch(stretch))]
    }

    fn compare_ends(&self, left: Option<&Value>, right: Option<&Value>) -> Ordering {
        match (left, right) {
            (Some(left), Some(right)) if self.ascending => left.compare(right),
            (Some(left), Some(right)) => right.compare(left),
            _ => left.is_some().cmp(&right.is_some()),
        }
    }

    fn identifier(&self, key: &str) -> Value {
        Value::from_str(&format!("{}{key}", self.prefix))
    }

    /// Finds the keys of a stretch, or takes it apart; how many bytes of documents were read. At most `room` keys can
    /// be handed over at once.
    fn visit(
        &mut self,
        stretch: Stretch,
        context: &mut ExecutionContext,
        limits: BlockLimits,
    ) -> Result<usize> {
        let place = stretch.place(&self.prefix);
        if place == Place::Outside {
            return Ok(0);
        }
        if place == Place::Within && !self.ordered {
            self.parts.extend(stretch.starts.into_iter().map(Part::Scan));
            return Ok(0);
        }
        let Some(mut found) = self.read_few(&stretch.starts, context)? else {
            self.split(&stretch, context)?;
            return Ok(0);
        };
        if place == Place::AtBound {
            found.retain(|(key, _)| stretch.interval.contains(&self.identifier(key)));
        }
        context.statistics.scanned_index += found.len() as u64;
        let read = if self.wants_documents && found.len() <= limits.rows {
            self.add_documents(&mut found, &stretch.starts, context, limits)?
        } else {
            0
        };
        // What is handed over first comes last.
        found.sort_by_cached_key(|(key, _)| SortedKey::new(key));
        if self.ascending {
            found.reverse();
        }
        self.found = found;
        Ok(read)
    }

    /// The keys that begin so; `None` if they are many.
    fn read_few(
        &self,
        starts: &[String],
        context: &mut ExecutionContext,
    ) -> Result<Option<Vec<(String, Value)>>> {
        let mut found = Vec::new();
        for start in starts {
            let keys_only = DocumentScanSpec { keys_only: true, ..DocumentScanSpec::default() };
            let mut scan = self.start_scan(start, keys_only, context)?;
            while found.len() <= STRETCH_KEYS {
                let limits = BlockLimits { rows: STRETCH_KEYS + 1 - found.len(), bytes: usize::MAX };
                let Some(keys) = scan.next_keys(limits).map_err(|error| storage_error(&error))? else {
                    break;
                };
                found.extend(keys.iter().map(|key| (key.to_owned(), Value::Null)));
            }
            if found.len() > STRETCH_KEYS {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Reads the documents of keys, which lie together. Where they are too large they are left for later.
    fn add_documents(
        &self,
        found: &mut [(String, Value)],
        starts: &[String],
        context: &mut ExecutionContext,
        limits: BlockLimits,
    ) -> Result<usize> {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        places.extend(found.iter().enumerate().map(|(place, (key, _))| (key.clone(), place)));
        let mut read = 0;
        for start in starts {
            let mut scan = self.start_scan(start, DocumentScanSpec::default(), context)?;
            let limits = BlockLimits { rows: STRETCH_KEYS, bytes: limits.bytes };
            let documents = scan.next_block(limits).map_err(|error| storage_error(&error))?;
            let Some(documents) = documents else { continue };
            read += documents.block.bytes.len();
            for offset in documents.offsets.iter().flatten() {
                let document = Value::in_block(&documents.block, *offset);
                let key = document.get("_key");
                let place = key.as_str().and_then(|key| places.get(key));
                if let Some((_, slot)) = place.and_then(|place| found.get_mut(*place)) {
                    *slot = document;
                }
            }
        }
        Ok(read)
    }

    /// Puts the parts of a stretch in its place: the keys that end with it, and a stretch for each next character.
    fn split(&mut self, stretch: &Stretch, context: &mut ExecutionContext) -> Result<()> {
        let mut ending = Vec::new();
        let mut children: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for start in &stretch.starts {
            let mut from = KeyBound { key: start.clone(), inclusive: true };
            while let Some(key) = self.first_key(&from, start, context)? {
                let Some(byte) = key.as_bytes().get(start.len()) else {
                    from.inclusive = false;
                    ending.push(key);
                    continue;
                };
                let group = group_of(*byte).ok_or_else(|| {
                    Error::internal(format!("a document has the key '{key}', which no key can be"))
                })?;
                let child = format!("{start}{}", char::from(*byte));
                from = KeyBound { key: format!("{child}{BEHIND_KEYS}"), inclusive: false };
                children.entry(group).or_default().push(child);
            }
        }
        ending.sort_by_cached_key(|key| SortedKey::new(key));
        ending.retain(|key| stretch.interval.contains(&self.identifier(key)));
        context.statistics.scanned_index += ending.len() as u64;
        let mut parts: Vec<Part> = ending.into_iter().map(Part::Key).collect();
        let children = children.into_iter().map(|(group, starts)| stretch.child(group, starts));
        parts.extend(children.map(Part::Stretch));
        if self.ascending {
            parts.reverse();
        }
        self.parts.extend(parts);
        Ok(())
    }

    /// The first key from a place on that begins so.
    fn first_key(
        &self,
        from: &KeyBound,
        start: &str,
        context: &mut ExecutionContext,
    ) -> Result<Option<String>> {
        context.interrupt.check()?;
        context.statistics.cursors_created += 1;
        let spec =
            DocumentScanSpec { from_key: Some(from.clone()), keys_only: true, ..beginning_with(start) };
        let mut scan = self.snapshot.scan(&self.collection, &spec).map_err(|error| storage_error(&error))?;
        let limits = BlockLimits { rows: 1, bytes: usize::MAX };
        let keys = scan.next_keys(limits).map_err(|error| storage_error(&error))?;
        Ok(keys.and_then(|keys| keys.iter().next().map(str::to_owned)))
    }

    /// A scan of what begins so, in the direction of the source; `spec` says the rest.
    fn start_scan(
        &self,
        start: &str,
        mut spec: DocumentScanSpec,
        context: &mut ExecutionContext,
    ) -> Result<DocumentScan> {
        context.interrupt.check()?;
        context.statistics.cursors_created += 1;
        DocumentScanSpec { from_key: spec.from_key, to_key: spec.to_key, .. } = beginning_with(start);
        spec.reverse = !self.ascending;
        self.snapshot.scan(&self.collection, &spec).map_err(|error| storage_error(&error))
    }

    /// Reads on in the scan; how many bytes of documents were read.
    fn read_scan(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<usize> {
        let limits = BlockLimits { rows: sink.room(), bytes };
        let Some(scan) = &mut self.scan else { return Ok(0) };
        let mut read = 0;
        let count = if self.wants_documents {
            let documents = scan.next_block(limits).map_err(|error| storage_error(&error))?;
            documents.map(|documents| {
                read = documents.block.bytes.len();
                for offset in documents.offsets.iter().flatten() {
                    let document = Value::in_block(&documents.block, *offset);
                    let key = document.get("_key");
                    sink.push(key.as_str().unwrap_or_default(), || Value::Null, document);
                }
                documents.len()
            })
        } else {
            let keys = scan.next_keys(limits).map_err(|error| storage_error(&error))?;
            keys.map(|keys| {
                keys.iter().for_each(|key| sink.push(key, || Value::Null, Value::Null));
                keys.len()
            })
        };
        match count {
            Some(count) => context.statistics.scanned_index += count as u64,
            None => self.scan = None,
        }
        Ok(read)
    }
}

/// The keys that begin with a text.
fn beginning_with(start: &str) -> DocumentScanSpec {
    DocumentScanSpec {
        from_key: Some(KeyBound { key: start.to_owned(), inclusive: true }),
        to_key: Some(KeyBound { key: format!("{start}{BEHIND_KEYS}"), inclusive: false }),
        ..DocumentScanSpec::default()
    }
}

impl EntrySource for KeyRangeSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        // Of documents, which are bounded by their bytes rather than by their number.
        let mut read = 0;
        while sink.room() > 0 {
            context.interrupt.check()?;
            if let Some((key, document)) = self.found.pop() {
                sink.push(&key, || Value::Null, document);
                continue;
            }
            if read > 0 && read >= bytes {
                return Ok(true);
            }
            if self.scan.is_some() {
                read += self.read_scan(sink, context, bytes)?;
                continue;
            }
            match self.parts.pop() {
                None => return Ok(false),
                Some(Part::Key(key)) => {
                    context.statistics.cursors_created += 1;
                    sink.push(&key, || Value::Null, Value::Null);
                }
                Some(Part::Scan(start)) => {
                    // All keys there are: a long scan, which others are likely to repeat.
                    let is_whole = start.is_empty();
                    let spec = DocumentScanSpec {
                        keys_only: !self.wants_documents,
                        sequential: is_whole,
                        repeated: is_whole,
                        ..DocumentScanSpec::default()
                    };
                    self.scan = Some(self.start_scan(&start, spec, context)?);
                }
                Some(Part::Stretch(stretch)) => {
                    let limits = BlockLimits { rows: sink.room(), bytes };
                    read += self.visit(stretch, context, limits)?;
                }
            }
        }
        Ok(true)
    }

    fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}
