//! The uncommitted writes of a transaction, over the snapshot that it reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::PAIR_BYTES_MAX;
use crate::tree::{Entry, Tree};
use crate::{Error, Result, Savepoint, Snapshot, Values};

mod scan;
#[cfg(test)]
mod tests;
mod view;

use view::OverlaySnapshot;

/// Returns `base` overlaid with `writes`: an entry without a value hides the base's pair.
pub fn layered(base: Arc<dyn Snapshot>, writes: Tree) -> Arc<dyn Snapshot> {
    if writes.is_empty() { base } else { Arc::new(OverlaySnapshot::new(base, writes)) }
}

/// The maximum capacity in bytes that the scratch buffer keeps between two writes.
const SCRATCH_BYTES_MAX: usize = 64 << 10;

/// An ordered buffer of writes. A later write of a key replaces the earlier one.
///
/// The buffer is a copy-on-write tree. So a view of it is O(1) and does not change with later
/// writes: they copy only the nodes that they change.
#[derive(Debug)]
pub struct Overlay {
    writes: Tree,
    /// The entries to restore on a rollback, newest last. It is filled only once there is a
    /// savepoint.
    undo: Vec<Undo>,
    has_savepoint: bool,
    /// Bytes of the overwritten values in `undo`.
    kept_bytes: usize,
    size_bytes: usize,
    max_bytes: usize,
    scratch: Vec<u8>,
    view: Option<CachedView>,
    /// True once the memory of the entries counts for another owner.
    is_handed_over: AtomicBool,
}

/// A buffer with at least this many writes is freed on a thread of its own.
const MANY_WRITES: usize = 1 << 17;

/// Frees a large buffer in the background. Millions of writes take a good part of a second, and
/// neither a commit nor a rollback should wait for that.
impl Drop for Overlay {
    fn drop(&mut self) {
        if self.writes.len() >= MANY_WRITES {
            self.hand_over_entries();
            let nodes = if self.writes.is_shared() { 0 } else { self.writes.len() * Tree::NODE_BYTES };
            allocation_meter::hand_over(nodes + self.kept_bytes);
            let freed = (std::mem::take(&mut self.writes), std::mem::take(&mut self.undo));
            // If no thread can be started, they are freed here.
            let _ = std::thread::Builder::new().name("free-writes".to_owned()).spawn(move || drop(freed));
        }
    }
}

/// A write that can be undone.
#[derive(Debug)]
struct Undo {
    written: Entry,
    before: Option<Entry>,
}

/// The last view that was handed out, until the next write.
struct CachedView {
    view: Arc<dyn Snapshot>,
    base: Arc<dyn Snapshot>,
}

impl std::fmt::Debug for CachedView {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("CachedView")
    }
}

impl Overlay {
    /// Creates an empty buffer that takes at most `max_bytes` bytes of keys and values.
    pub fn new(max_bytes: usize) -> Self {
        Overlay {
            writes: Tree::default(),
            undo: Vec::new(),
            has_savepoint: false,
            kept_bytes: 0,
            size_bytes: 0,
            max_bytes,
            scratch: Vec::new(),
            view: None,
            is_handed_over: AtomicBool::new(false),
        }
    }

    /// Buffers the write of `value` to `key`. On [`Error::TooLarge`] the buffer is unchanged.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(key, Some(value))
    }

    /// Buffers the removal of `key`. On [`Error::TooLarge`] the buffer is unchanged.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.write(key, None)
    }

    /// Returns the buffered write of `key`, or `None` if there is none.
    pub fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.writes.get(key)
    }

    /// Sets a savepoint after the writes so far.
    pub fn savepoint(&mut self) -> Savepoint {
        self.has_savepoint = true;
        Savepoint(self.undo.len())
    }

    /// Undoes all writes since `savepoint`. Savepoints that were set after it become invalid.
    pub fn rollback_to(&mut self, savepoint: Savepoint) {
        self.view = None;
        while self.undo.len() > savepoint.0 {
            let Some(undo) = self.undo.pop() else { return };
            self.size_bytes -= undo.written.size_bytes();
            match undo.before {
                Some(before) => {
                    self.kept_bytes -= before.size_bytes();
                    self.size_bytes += before.size_bytes();
                    self.writes.insert(before);
                }
                None => {
                    self.writes.remove(undo.written.key());
                }
            }
        }
    }

    /// Returns the number of keys with a write.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Returns true if there are no writes.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Returns the bytes of the buffered keys and values.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Estimates the bytes of memory that the buffer takes. The values that savepoints keep are
    /// counted; those that views keep are not.
    pub fn memory_bytes(&self) -> usize {
        self.size_bytes
            + self.kept_bytes
            + self.writes.len() * Tree::ENTRY_OVERHEAD_BYTES
            + self.undo.capacity() * size_of::<Undo>()
    }

    /// Takes the memory of the entries off the calling thread's number: a store keeps them, or
    /// another thread frees them.
    pub fn hand_over_entries(&self) {
        if !self.is_handed_over.swap(true, Ordering::Relaxed) {
            allocation_meter::hand_over(self.size_bytes + self.writes.len() * Entry::COUNTER_BYTES);
        }
    }

    /// Returns all writes as a map. The copy is O(1).
    pub fn writes(&self) -> Tree {
        self.writes.clone()
    }

    /// Returns all writes in ascending order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.writes.iter_from(&[])
    }

    /// Looks up keys in the buffer, and in one call those that are not in it in `base`.
    pub fn get_many(&self, base: &dyn Snapshot, keys: &[&[u8]]) -> Result<Values> {
        view::get_many(&self.writes, base, keys)
    }

    /// Returns `base` overlaid with the writes so far. Later writes do not change it.
    ///
    /// If nothing is buffered, the result is `base` itself. If nothing was written since the last
    /// call, it is the same view again.
    pub fn view(&mut self, base: &Arc<dyn Snapshot>) -> Arc<dyn Snapshot> {
        if self.writes.is_empty() {
            return Arc::clone(base);
        }
        if let Some(cached) = self.view.as_ref().filter(|cached| Arc::ptr_eq(&cached.base, base)) {
            return Arc::clone(&cached.view);
        }
        let view: Arc<dyn Snapshot> = Arc::new(OverlaySnapshot::new(Arc::clone(base), self.writes.clone()));
        self.view = Some(CachedView { view: Arc::clone(&view), base: Arc::clone(base) });
        view
    }

    fn write(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        let added_bytes = key.len() + value.map_or(0, <[u8]>::len);
        if added_bytes > PAIR_BYTES_MAX {
            return Err(Error::TooLarge { limit_bytes: PAIR_BYTES_MAX });
        }
        // Look up only when the limit is near: replacing a longer value may still fit.
        if self.size_bytes + added_bytes > self.max_bytes {
            let replaced_bytes = self.writes.get(key).map_or(0, Entry::size_bytes);
            if self.size_bytes - replaced_bytes + added_bytes > self.max_bytes {
                return Err(Error::TooLarge { limit_bytes: self.max_bytes });
            }
        }
        let entry = Entry::new(key, value, &mut self.scratch);
        self.scratch.shrink_to(SCRATCH_BYTES_MAX);
        // The cached view shares the tree. If nobody else has the view, dropping it here saves a
        // copy of the nodes.
        self.view = None;
        let written = self.has_savepoint.then(|| entry.clone());
        let before = self.writes.insert(entry);
        self.size_bytes += added_bytes;
        self.size_bytes -= before.as_ref().map_or(0, Entry::size_bytes);
        if let Some(written) = written {
            self.kept_bytes += before.as_ref().map_or(0, Entry::size_bytes);
            self.undo.push(Undo { written, before });
        }
        Ok(())
    }
}
