//! The writes of a transaction before they are committed, over the snapshot that it reads.

use std::sync::Arc;

use crate::engine::PAIR_BYTES_MAX;
use crate::tree::{Entry, Tree};
use crate::{Error, Result, Savepoint, Snapshot, Values};

mod scan;
#[cfg(test)]
mod tests;
mod view;

use view::OverlaySnapshot;

/// What a buffered write takes in memory beside its key and value: the entry in its leaf (24 bytes, leaves a quarter
/// empty), the counters of its allocation (16) and what the allocator adds (16).
const ENTRY_OVERHEAD_BYTES: usize = 64;

/// The scratch buffer keeps no more than this between two writes.
const SCRATCH_BYTES_MAX: usize = 64 << 10;

/// An ordered buffer of writes. A later write of a key replaces the earlier one.
///
/// The buffer is a copy-on-write tree, so that a view of it is O(1) and stays as it is when writing goes on: only the
/// nodes that are written after it are copied.
#[derive(Debug)]
pub struct Overlay {
    writes: Tree,
    /// What to put back, newest last; written only once there is a savepoint.
    undo: Vec<Undo>,
    has_savepoint: bool,
    /// Bytes of the overwritten values in `undo`.
    kept_bytes: usize,
    size_bytes: usize,
    max_bytes: usize,
    scratch: Vec<u8>,
    view: Option<CachedView>,
}

/// From so many writes on, the buffer is freed on a thread of its own.
const MANY_WRITES: usize = 1 << 17;

/// Freeing millions of writes takes a good part of a second, which nobody who commits or gives up should wait for.
impl Drop for Overlay {
    fn drop(&mut self) {
        if self.writes.len() >= MANY_WRITES {
            let freed = (std::mem::take(&mut self.writes), std::mem::take(&mut self.undo));
            // Without another thread they are freed here.
            let _ = std::thread::Builder::new().name("free-writes".to_owned()).spawn(move || drop(freed));
        }
    }
}

/// A write that can be taken back.
#[derive(Debug)]
struct Undo {
    written: Entry,
    before: Option<Entry>,
}

/// The last view that was handed out, as long as nothing was written since.
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
    /// An empty buffer that takes at most `max_bytes` bytes of keys and values.
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
        }
    }

    /// Buffers that `key` is set to `value`. On [`Error::TooLarge`] the buffer is as before.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(key, Some(value))
    }

    /// Buffers that `key` is removed. On [`Error::TooLarge`] the buffer is as before.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.write(key, None)
    }

    /// What is buffered for `key`: `None` if nothing is.
    pub fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.writes.get(key)
    }

    /// Remembers the writes so far.
    pub fn savepoint(&mut self) -> Savepoint {
        self.has_savepoint = true;
        Savepoint(self.undo.len())
    }

    /// Takes back all writes since `savepoint`. Savepoints that were taken after it are void.
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

    /// Number of keys that are written.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Bytes of the buffered keys and values.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Bytes of memory that the buffer takes, roughly. What savepoints keep of overwritten values is counted, what
    /// views keep is not.
    pub fn memory_bytes(&self) -> usize {
        self.size_bytes
            + self.kept_bytes
            + self.writes.len() * ENTRY_OVERHEAD_BYTES
            + self.undo.capacity() * size_of::<Undo>()
    }

    /// All writes in ascending order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.writes.iter_from(&[])
    }

    /// Looks up keys in the buffer, and those that are not in it in `base`, all at once.
    pub fn get_many(&self, base: &dyn Snapshot, keys: &[&[u8]]) -> Result<Values> {
        view::get_many(&self.writes, base, keys)
    }

    /// `base` with the writes so far over it, unchanged by later writes. Where nothing is buffered it is `base` itself;
    /// where nothing was written since the last call it is the same as then.
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
        // Looked up only where it matters: replacing a longer value may still fit.
        if self.size_bytes + added_bytes > self.max_bytes {
            let replaced_bytes = self.writes.get(key).map_or(0, Entry::size_bytes);
            if self.size_bytes - replaced_bytes + added_bytes > self.max_bytes {
                return Err(Error::TooLarge { limit_bytes: self.max_bytes });
            }
        }
        let entry = Entry::new(key, value, &mut self.scratch);
        self.scratch.shrink_to(SCRATCH_BYTES_MAX);
        // The view shares the tree: given up here, the tree's nodes need not be copied if nobody else has the view.
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
