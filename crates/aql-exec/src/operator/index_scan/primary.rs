//! Documents by their `_key` or `_id`: look-ups of single keys, and ranges of keys.

use super::entries::EntrySink;
use super::range::{Bound, Range};
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Kind, Result, Value};
use std::sync::Arc;
use storage::{BlockLimits, Collection, DocumentScan, DocumentScanSpec, KeyBound, Snapshot};

/// Opens the source for some ranges: only single keys, which are looked up with those of other rows in one step, or
/// ranges of keys.
pub(super) fn open(ranges: &[Range], lookup: &Lookup<'_>) -> Box<dyn EntrySource> {
    if ranges.iter().all(|range| !range.equal.is_empty()) {
        let mut keys: Vec<String> = ranges.iter().flat_map(|range| keys(range, lookup.collection)).collect();
        keys.sort_unstable();
        keys.dedup();
        if lookup.ascending {
            keys.reverse();
        }
        return Box::new(KeySource { keys });
    }
    let mut specs: Vec<DocumentScanSpec> = ranges.iter().flat_map(|range| specs(range, lookup)).collect();
    // What is visited first comes last.
    specs.sort_by(|left, right| from(right).cmp(from(left)));
    if !lookup.ascending {
        specs.reverse();
    }
    Box::new(RangeSource {
        snapshot: lookup.snapshot.clone(),
        collection: Arc::clone(lookup.collection),
        specs,
        scan: None,
        keys_only: !lookup.wants_documents,
    })
}

fn from(spec: &DocumentScanSpec) -> &str {
    spec.from_key.as_ref().map_or("", |bound| &bound.key)
}

/// The keys that a range of equalities names. A value that is no string, or an identifier of another collection, names
/// none.
fn keys(range: &Range, collection: &Collection) -> Vec<String> {
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

/// The scans that a range needs: one for each single key, or one for a range of keys; none if no key can be in it.
fn specs(range: &Range, lookup: &Lookup<'_>) -> Vec<DocumentScanSpec> {
    let spec = |from_key: Option<KeyBound>, to_key: Option<KeyBound>| DocumentScanSpec {
        from_key,
        to_key,
        reverse: !lookup.ascending,
        sequential: false,
        keys_only: !lookup.wants_documents,
    };
    if !range.equal.is_empty() {
        let bound = |key: String| Some(KeyBound { key, inclusive: true });
        return keys(range, lookup.collection)
            .into_iter()
            .map(|key| spec(bound(key.clone()), bound(key)))
            .collect();
    }
    let (Ok(lower), Ok(upper)) = (
        key_bound(range.lower.as_ref(), range.first_field, lookup.collection, true),
        key_bound(range.upper.as_ref(), range.first_field, lookup.collection, false),
    ) else {
        return Vec::new();
    };
    vec![spec(lower, upper)]
}

/// A bound among keys for a bound among values: `None` if all keys are within, an error if none is.
fn key_bound(
    bound: Option<&Bound>,
    field: usize,
    collection: &Collection,
    is_lower: bool,
) -> std::result::Result<Option<KeyBound>, NoKey> {
    let Some(Bound { value, inclusive }) = bound else { return Ok(None) };
    let Some(text) = value.as_str() else {
        // Keys are strings: greater than numbers, less than arrays.
        let is_below_keys = value.kind() < Kind::String;
        return if is_below_keys == is_lower { Ok(None) } else { Err(NoKey) };
    };
    if field == 0 {
        return Ok(Some(KeyBound { key: text.to_owned(), inclusive: *inclusive }));
    }
    let prefix = format!("{}/", collection.name());
    match text.strip_prefix(&prefix) {
        Some(key) => Ok(Some(KeyBound { key: key.to_owned(), inclusive: *inclusive })),
        // All identifiers of the collection lie on one side of the bound.
        None if (text < prefix.as_str()) == is_lower => Ok(None),
        None => Err(NoKey),
    }
}

/// No key can satisfy the bound.
struct NoKey;

/// Single keys. Whether they exist is found out when their documents are fetched.
struct KeySource {
    /// In reverse order: the next one is at the end.
    keys: Vec<String>,
}

impl EntrySource for KeySource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        _bytes: usize,
    ) -> Result<bool> {
        while sink.room() > 0 {
            let Some(key) = self.keys.pop() else { return Ok(false) };
            context.statistics.seeks += 1;
            sink.push(&key, || Value::Null, Value::Null);
        }
        Ok(true)
    }

    fn release(&mut self) {}
}

/// Ranges of keys. Reads documents along with their keys, because they lie together.
struct RangeSource {
    snapshot: Snapshot,
    collection: Arc<Collection>,
    /// In reverse order: the next one is at the end.
    specs: Vec<DocumentScanSpec>,
    scan: Option<DocumentScan>,
    keys_only: bool,
}

impl RangeSource {
    fn scan(&mut self, context: &mut ExecutionContext) -> Result<Option<&mut DocumentScan>> {
        if self.scan.is_none() {
            let Some(spec) = self.specs.pop() else { return Ok(None) };
            context.statistics.seeks += 1;
            let scan = self.snapshot.scan(&self.collection, &spec).map_err(|error| storage_error(&error))?;
            self.scan = Some(scan);
        }
        Ok(self.scan.as_mut())
    }
}

impl EntrySource for RangeSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        let keys_only = self.keys_only;
        while sink.room() > 0 {
            context.interrupt.check()?;
            let limits = BlockLimits { rows: sink.room(), bytes };
            let Some(scan) = self.scan(context)? else { return Ok(false) };
            let found = if keys_only {
                let keys = scan.next_keys(limits).map_err(|error| storage_error(&error))?;
                keys.map(|keys| {
                    keys.iter().for_each(|key| sink.push(key, || Value::Null, Value::Null));
                    keys.len()
                })
            } else {
                let documents = scan.next_block(limits).map_err(|error| storage_error(&error))?;
                documents.map(|documents| {
                    for offset in documents.offsets.iter().flatten() {
                        let document = Value::in_block(&documents.block, *offset);
                        let key = document.get("_key");
                        sink.push(key.as_str().unwrap_or_default(), || Value::Null, document);
                    }
                    documents.len()
                })
            };
            match found {
                Some(count) => context.statistics.scanned_index += count as u64,
                None => self.scan = None,
            }
            if !keys_only && found.is_some() {
                // One block of documents a batch, whose bytes are bounded.
                return Ok(true);
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
