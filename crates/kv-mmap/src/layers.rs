//! The committed writes that are not in the mapped file yet, over a version of it.

use std::sync::Arc;

use kv::{Entry, KeyRange, Overlay, Result, Snapshot, Tree, layered};

use crate::version::VersionHandle;

/// The number of writes from which a commit is put into a copy of the layer first, so that readers
/// do not wait for it.
const MANY_WRITES: usize = 64;

/// Writes in order. A copy is O(1).
#[derive(Clone, Default)]
pub(crate) struct Layer {
    pub(crate) writes: Tree,
    pub(crate) bytes: usize,
}

impl Layer {
    /// Returns a layer with these writes.
    pub(crate) fn of(writes: Tree, size_bytes: usize) -> Self {
        let bytes = size_bytes + writes.len() * Tree::ENTRY_OVERHEAD_BYTES;
        Layer { writes, bytes }
    }

    pub(crate) fn insert(&mut self, entry: Entry) {
        self.bytes += entry.size_bytes() + Tree::ENTRY_OVERHEAD_BYTES;
        if let Some(old) = self.writes.insert(entry) {
            self.bytes -= old.size_bytes() + Tree::ENTRY_OVERHEAD_BYTES;
        }
    }

    /// Returns the bytes of the entries' allocations.
    pub(crate) fn entry_bytes(&self) -> usize {
        self.bytes - self.writes.len() * (Tree::ENTRY_OVERHEAD_BYTES - Entry::COUNTER_BYTES)
    }

    /// Adds the writes of a commit over those of earlier ones. Returns the bytes of the commit's
    /// nodes that the layer has taken over.
    pub(crate) fn add(&mut self, commit: &Layer) -> usize {
        if self.writes.is_empty() {
            *self = commit.clone();
            return commit.writes.len() * Tree::NODE_BYTES;
        }
        commit.writes.iter_from(&[]).for_each(|entry| self.insert(entry.clone()));
        0
    }
}

impl From<&Overlay> for Layer {
    fn from(overlay: &Overlay) -> Self {
        Layer::of(overlay.writes(), overlay.size_bytes())
    }
}

/// A layer that is being merged into the mapped file.
#[derive(Clone)]
pub(crate) struct FrozenLayer {
    pub(crate) layer: Layer,
    /// A range that is dropped after the layer's writes.
    pub(crate) dropped: Option<KeyRange>,
    /// The last record of the log that is in the layer.
    pub(crate) last_sequence: u64,
}

/// The state of a store at one moment. A copy is O(1).
#[derive(Clone)]
pub(crate) struct Layers {
    /// The newest writes.
    pub(crate) active: Layer,
    pub(crate) frozen: Option<Arc<FrozenLayer>>,
    pub(crate) base: VersionHandle,
}

impl Layers {
    /// Returns true if a commit of this many writes should be added to a copy.
    pub(crate) fn is_long(commit: &Layer) -> bool {
        commit.writes.len() >= MANY_WRITES
    }

    /// Returns this state as a snapshot.
    pub(crate) fn snapshot(self) -> Arc<dyn Snapshot> {
        let base: Arc<dyn Snapshot> = Arc::new(self.base);
        let below = match &self.frozen {
            Some(frozen) => layered(base, frozen.layer.writes.clone()),
            None => base,
        };
        layered(below, self.active.writes)
    }

    /// Looks up one key and passes its value, if it is present, to `read`.
    pub(crate) fn read(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        if let Some(entry) = self.written(key) {
            entry.value().into_iter().for_each(read);
            return Ok(());
        }
        self.base.version.read(|reader| reader.get(key, |value| value.into_iter().for_each(read)))
    }

    fn written(&self, key: &[u8]) -> Option<&Entry> {
        let frozen = || self.frozen.as_ref()?.layer.writes.get(key);
        self.active.writes.get(key).or_else(frozen)
    }

    /// Returns the bytes of all layers.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.active.bytes + self.frozen.as_ref().map_or(0, |frozen| frozen.layer.bytes)
    }
}
