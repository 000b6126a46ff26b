//! A merge of sorted runs. The run of the current pair advances when the caller asks for the next
//! pair.

use std::cmp::Ordering;

use errors::Result;

use super::pairs::{Head, PairsReader, head_of};
use super::run::RunReader;

/// A sorted run.
pub(super) enum Source {
    File(RunReader),
    Memory(PairsReader),
}

impl Source {
    pub(super) fn advance(&mut self) -> Result<bool> {
        match self {
            Source::File(run) => run.advance(),
            Source::Memory(run) => Ok(run.advance()),
        }
    }

    pub(super) fn key(&self) -> &[u8] {
        match self {
            Source::File(run) => run.key(),
            Source::Memory(run) => run.key(),
        }
    }

    fn value(&self) -> &[u8] {
        match self {
            Source::File(run) => run.value(),
            Source::Memory(run) => run.value(),
        }
    }

    /// Reads a long value into `out`. Returns true if it is there.
    fn load_value(&self, out: &mut Vec<u8>) -> Result<bool> {
        match self {
            Source::File(run) => run.load_value(out),
            Source::Memory(_) => Ok(false),
        }
    }
}

/// Runs with a current pair, as a binary heap: the least key first; among equal keys, that of the
/// earlier run.
pub(super) struct Merge {
    sources: Vec<Source>,
    heap: Vec<Entry>,
    /// Number of bytes that all keys have in common at their start.
    common: usize,
    is_started: bool,
    /// The value of the current pair if `has_long_value`.
    long_value: Vec<u8>,
    has_long_value: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    head: Head,
    source: usize,
}

impl Merge {
    /// Starts a merge of runs whose keys begin with `common` equal bytes.
    pub(super) fn start(mut sources: Vec<Source>, common: usize) -> Result<Self> {
        let mut heap = Vec::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            if source.advance()? {
                heap.push(Entry { head: 0, source: number });
            }
        }
        let (long_value, has_long_value) = (Vec::new(), false);
        let mut merge = Merge { sources, heap, common, is_started: false, long_value, has_long_value };
        for place in 0..merge.heap.len() {
            merge.set_head(place);
        }
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sink(place);
        }
        Ok(merge)
    }

    /// Advances to the next pair. Returns false after the last one.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if std::mem::replace(&mut self.is_started, true) {
            self.pass_first()?;
        }
        let Some(source) = self.heap.first().and_then(|entry| self.sources.get(entry.source)) else {
            return Ok(false);
        };
        self.has_long_value = source.load_value(&mut self.long_value)?;
        Ok(true)
    }

    /// Advances past the current pair, if there is one.
    fn pass_first(&mut self) -> Result<()> {
        let Some(source) = self.heap.first().and_then(|entry| self.sources.get_mut(entry.source)) else {
            return Ok(());
        };
        if source.advance()? {
            self.set_head(0);
        } else {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        Ok(())
    }

    pub(super) fn key(&self) -> &[u8] {
        self.first().map_or(&[], Source::key)
    }

    pub(super) fn value(&self) -> &[u8] {
        if self.has_long_value { &self.long_value } else { self.first().map_or(&[], Source::value) }
    }

    fn first(&self) -> Option<&Source> {
        self.sources.get(self.heap.first()?.source)
    }

    fn set_head(&mut self, place: usize) {
        // A single run needs no comparison.
        if self.heap.len() < 2 {
            return;
        }
        if let Some(entry) = self.heap.get_mut(place)
            && let Some(source) = self.sources.get(entry.source)
        {
            entry.head = head_of(source.key().get(self.common..).unwrap_or_default());
        }
    }

    /// Restores the heap's order from one entry downwards, if all entries below it are in order.
    fn sink(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let mut least = place;
            for below in [left, right] {
                if below < self.heap.len() && self.order(below, least) == Ordering::Less {
                    least = below;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }

    fn order(&self, a: usize, b: usize) -> Ordering {
        let (Some(a), Some(b)) = (self.heap.get(a), self.heap.get(b)) else { return Ordering::Equal };
        let key = |entry: &Entry| self.sources.get(entry.source).map(Source::key);
        a.head.cmp(&b.head).then_with(|| key(a).cmp(&key(b))).then(a.source.cmp(&b.source))
    }
}
