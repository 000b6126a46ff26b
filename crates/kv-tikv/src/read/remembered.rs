//! Reads that a caller has made early, to repeat them one by one later.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::fetch::{Found, Page, PageSpec, bytes};

/// The maximum bytes of keys and values that are remembered. Further reads are not.
const BYTES_MAX: usize = 8 << 20;

/// The bytes that an entry takes in addition to its key and value.
const ENTRY_BYTES: usize = 64;

/// The bounds of a page, and its manner: backward, without values.
type PageKey = (Vec<u8>, Vec<u8>, bool, bool);

/// The results of reads at one timestamp. They stay right as long as they are kept.
#[derive(Default)]
pub(crate) struct Remembered {
    /// True if there may be something; most snapshots never have anything.
    is_used: AtomicBool,
    reads: Mutex<Reads>,
}

#[derive(Default)]
struct Reads {
    /// The values of keys that were looked up; `None` for those that are absent.
    values: HashMap<Vec<u8>, Option<Vec<u8>>>,
    /// The first pages of ranges.
    pages: HashMap<PageKey, Page>,
    bytes: usize,
}

impl Reads {
    /// Returns false if there is no room for more bytes, and counts them otherwise.
    fn take_room(&mut self, bytes: usize) -> bool {
        let has_room = self.bytes + bytes <= BYTES_MAX;
        if has_room {
            self.bytes += bytes;
        }
        has_room
    }
}

fn key_of(spec: &PageSpec) -> PageKey {
    (spec.range.start.clone(), spec.range.end.clone(), spec.reverse, spec.keys_only)
}

impl Remembered {
    /// Forgets everything.
    pub(crate) fn begin(&self) {
        self.is_used.store(true, Ordering::Relaxed);
        *self.reads.lock().unwrap_or_else(PoisonError::into_inner) = Reads::default();
    }

    fn is_unused(&self) -> bool {
        !self.is_used.load(Ordering::Relaxed)
    }

    /// Remembers the values of keys that were looked up, present or not.
    pub(crate) fn add_values(&self, names: &[Vec<u8>], found: &Found) {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            let value = found.get(name);
            if !reads.take_room(name.len() + value.map_or(0, Vec::len) + ENTRY_BYTES) {
                return;
            }
            reads.values.insert(name.clone(), value.cloned());
        }
    }

    /// Removes the names that are remembered, and adds their values to `found`.
    pub(crate) fn take_values(&self, names: &mut Vec<Vec<u8>>, found: &mut Found) {
        if self.is_unused() {
            return;
        }
        let reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        names.retain(|name| match reads.values.get(name) {
            None => true,
            Some(value) => {
                found.extend(value.iter().map(|value| (name.clone(), value.clone())));
                false
            }
        });
    }

    /// Remembers the first page of a range.
    pub(crate) fn add_page(&self, spec: &PageSpec, page: &Page) {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if reads.take_room(bytes(&page.pairs) + (page.pairs.len() + 1) * ENTRY_BYTES) {
            reads.pages.insert(key_of(spec), page.clone());
        }
    }

    /// Returns the first page of a range, if it is remembered.
    pub(crate) fn page(&self, spec: &PageSpec) -> Option<Page> {
        if self.is_unused() {
            return None;
        }
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).pages.get(&key_of(spec)).cloned()
    }
}
