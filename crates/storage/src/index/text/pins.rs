//! The states of text indexes that one snapshot of the store sees.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use catalog::ObjectId;
use errors::{Error, ErrorCode, Result};
use search::{Hit, SearchSnapshot};

use super::text_index::{Published, StepCheck};
use crate::index::Index;
use crate::visibility::read_cache::CommitNumber;

/// The part of a store that makes the first step of an index.
pub(crate) trait OpenTextIndex: Send + Sync {
    /// Publishes a state of the index if there is none.
    ///
    /// Calls `check` from time to time; its error ends the work.
    fn open_text_index(self: Arc<Self>, index: &Index, check: StepCheck<'_>) -> Result<()>;
}

/// The states that one snapshot of the store has looked at. Its clones share them.
pub(crate) struct SearchPins {
    store: Weak<dyn OpenTextIndex>,
    pinned: Mutex<Pinned>,
}

#[derive(Default)]
struct Pinned {
    states: HashMap<ObjectId, Published>,
    /// The unions of several, by their indexes.
    unions: HashMap<Vec<ObjectId>, Arc<SearchState>>,
}

/// The state of one or several text indexes that one query sees.
pub struct SearchState {
    snapshot: Arc<SearchSnapshot>,
    /// The position of the index of each segment.
    owners: Vec<usize>,
    /// The last commit which all of its indexes are certain to have, with all commits before it.
    as_of: Option<CommitNumber>,
}

impl SearchState {
    /// Returns the union of the states.
    pub fn snapshot(&self) -> &Arc<SearchSnapshot> {
        &self.snapshot
    }

    pub(crate) fn as_of(&self) -> Option<CommitNumber> {
        self.as_of
    }

    /// Returns the position of a hit's index in the list that was asked for.
    pub fn owner(&self, hit: Hit) -> usize {
        self.owners.get(hit.segment as usize).copied().unwrap_or(0)
    }
}

impl fmt::Debug for SearchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchState").field("segments", &self.owners.len()).finish_non_exhaustive()
    }
}

impl SearchPins {
    pub(crate) fn new(store: Weak<dyn OpenTextIndex>) -> Self {
        SearchPins { store, pinned: Mutex::default() }
    }

    /// Returns the union of the indexes' states, the same ones for each call.
    ///
    /// An index without a state makes its first step, during which `check` is called from time to
    /// time.
    ///
    /// Errors: 10 for an index without terms, those of an index that cannot be opened, that of
    /// `check`, 30 if the store is closed.
    pub(crate) fn state(&self, indexes: &[Arc<Index>], check: StepCheck<'_>) -> Result<Arc<SearchState>> {
        let objects: Vec<ObjectId> = indexes.iter().map(|index| index.definition().object_id).collect();
        {
            let pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(union) = pinned.unions.get(&objects) {
                return Ok(Arc::clone(union));
            }
        }
        // An index may have to make its first step, which takes long.
        let found: Result<Vec<_>> = indexes.iter().map(|index| self.present(index, check)).collect();
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let states: Vec<Published> = objects
            .iter()
            .zip(found?)
            .map(|(object, found)| pinned.states.entry(*object).or_insert(found).clone())
            .collect();
        let owners = states.iter().enumerate();
        let parts = owners.map(|(owner, state)| (owner, state.snapshot.parts().len()));
        let owners = parts.flat_map(|(owner, parts)| std::iter::repeat_n(owner, parts)).collect();
        let snapshot = match states.as_slice() {
            [only] => Arc::clone(&only.snapshot),
            several => Arc::new(SearchSnapshot::union(several.iter().map(|state| &*state.snapshot))),
        };
        // Nothing is known if nothing is known of one of them.
        let as_of = states.iter().map(|state| state.as_of).min().flatten();
        let union = Arc::new(SearchState { snapshot, owners, as_of });
        Ok(Arc::clone(pinned.unions.entry(objects).or_insert(union)))
    }

    fn present(&self, index: &Index, check: StepCheck<'_>) -> Result<Published> {
        let not_text = || Error::bad_parameter(format!("index '{}' has no terms to search", index.name()));
        let text = index.text().ok_or_else(not_text)?;
        text.schema()?;
        if let Some(state) = text.published() {
            return Ok(state);
        }
        let store = self.store.upgrade().ok_or_else(|| Error::of(ErrorCode::ShuttingDown))?;
        store.open_text_index(index, check)?;
        Ok(text.published().unwrap_or_default())
    }
}
