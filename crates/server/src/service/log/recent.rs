//! The entries that `/_admin/log` shows.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Entry, Level};

/// Maximum number of entries that are kept.
const MAX_ENTRIES: usize = 4_096;
/// Maximum size in bytes of the text that is kept.
const MAX_BYTES: usize = 4 << 20;

/// The selection of entries.
#[derive(Clone, Debug)]
pub struct Query {
    /// Only entries at least as important as this level.
    pub least: Option<Level>,
    /// Only entries of this level.
    pub only: Option<Level>,
    /// Only entries with this id or a higher one.
    pub start: u64,
    /// Only entries whose text contains this, in any case.
    pub search: String,
    /// Return the newest entry first.
    pub descending: bool,
    /// Entries to skip at the beginning.
    pub offset: usize,
    /// Maximum number of entries to return.
    pub size: usize,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            least: None,
            only: None,
            start: 0,
            search: String::new(),
            descending: false,
            offset: 0,
            size: usize::MAX,
        }
    }
}

impl Query {
    fn wants(&self, entry: &Entry) -> bool {
        self.only.is_none_or(|only| entry.level == only)
            && self.least.is_none_or(|least| entry.level <= least)
            && entry.id >= self.start
            && (self.search.is_empty() || entry.text.to_lowercase().contains(&self.search.to_lowercase()))
    }
}

/// The last entries, limited in number and bytes.
pub(super) struct Recent {
    state: Mutex<State>,
    next: AtomicU64,
    level: Level,
    is_off: bool,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
}

impl Recent {
    pub(super) fn new(level: Level, is_off: bool) -> Self {
        Recent { state: Mutex::default(), next: AtomicU64::new(0), level, is_off }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn keep(&self, entry: Entry) {
        if self.is_off || entry.level > self.level {
            return;
        }
        let mut state = self.lock();
        state.bytes += entry.text.len();
        state.entries.push_back(Arc::new(entry));
        while state.entries.len() > MAX_ENTRIES || (state.bytes > MAX_BYTES && state.entries.len() > 1) {
            let gone = state.entries.pop_front().map_or(0, |entry| entry.text.len());
            state.bytes -= gone;
        }
    }

    /// Forgets all entries. The numbers of later ones continue.
    pub(super) fn clear(&self) {
        *self.lock() = State::default();
    }

    pub(super) fn entries(&self, query: &Query) -> (Vec<Arc<Entry>>, usize) {
        let wanted: Vec<_> = self.lock().entries.iter().filter(|entry| query.wants(entry)).cloned().collect();
        let total = wanted.len();
        let page = |entries: &mut dyn Iterator<Item = Arc<Entry>>| {
            entries.skip(query.offset).take(query.size).collect::<Vec<_>>()
        };
        let page = match query.descending {
            true => page(&mut wanted.into_iter().rev()),
            false => page(&mut wanted.into_iter()),
        };
        (page, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recent() -> Recent {
        let recent = Recent::new(Level::Info, false);
        for (level, text) in [
            (Level::Info, "first"),
            (Level::Error, "second"),
            (Level::Debug, "third"),
            (Level::Info, "FOURTH"),
        ] {
            recent.keep(Entry::new(recent.next_id(), "general", level, text.to_owned()));
        }
        recent
    }

    fn ids(recent: &Recent, query: &Query) -> (Vec<u64>, usize) {
        let (entries, total) = recent.entries(query);
        (entries.iter().map(|entry| entry.id).collect(), total)
    }

    #[test]
    fn what_is_asked_for_is_found() {
        let recent = recent();
        assert_eq!(ids(&recent, &Query::default()), (vec![0, 1, 3], 3));
        assert_eq!(ids(&recent, &Query { least: Some(Level::Warning), ..Query::default() }), (vec![1], 1));
        assert_eq!(ids(&recent, &Query { only: Some(Level::Info), ..Query::default() }), (vec![0, 3], 2));
        assert_eq!(ids(&recent, &Query { start: 1, descending: true, ..Query::default() }), (vec![3, 1], 2));
        assert_eq!(ids(&recent, &Query { search: "fourth".into(), ..Query::default() }), (vec![3], 1));
        assert_eq!(ids(&recent, &Query { offset: 1, size: 1, ..Query::default() }), (vec![1], 3));
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let recent = Recent::new(Level::Info, false);
        for _ in 0..MAX_ENTRIES + 10 {
            recent.keep(Entry::new(recent.next_id(), "general", Level::Info, "x".repeat(2_000)));
        }
        let (entries, total) = recent.entries(&Query::default());
        assert!(total * 2_000 <= MAX_BYTES && total > 1_000);
        assert_eq!(entries.last().unwrap().id, MAX_ENTRIES as u64 + 9);
    }
}
