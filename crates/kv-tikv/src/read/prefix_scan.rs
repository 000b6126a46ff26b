//! Reads many short ranges, one after another: one message each, unless a range is long.
//! Prefetched ranges are fetched concurrently.

use std::collections::VecDeque;
use std::sync::Arc;

use kv::{Block, BlockLimits, Error, KeyRange, PrefixScan, Result};

use crate::fetch::{PageSpec, bytes};
use crate::read::page_ahead::PageAhead;
use crate::read::state::State;
use crate::values;

/// Maximum number of rows of the first page of a range, and of the following ones.
const FIRST_ROWS: usize = 128;
const NEXT_ROWS: usize = 2048;

/// Maximum number of prefetched ranges whose first pages are held or requested.
///
/// At half a millisecond a message, this many are more ranges than one reader handles. More
/// of them would only keep the messages of others waiting in the stores.
pub(crate) const AHEAD_MAX: usize = 64;

/// The maximum bytes of these pages, estimated from the size of earlier pairs.
pub(crate) const AHEAD_BYTES: usize = 8 << 20;

/// The average bytes of a pair before any was read: those of an entry of an index.
const PAIR_BYTES: usize = 128;

/// A reader of ranges.
pub(crate) struct TikvPrefixScan {
    state: Arc<State>,
    /// The first pages of prefetched ranges by their prefixes, the oldest first.
    ahead: VecDeque<(Vec<u8>, PageAhead)>,
    /// The average bytes of a pair of the last page that had one.
    pair_bytes: usize,
}

impl TikvPrefixScan {
    pub(crate) fn new(state: Arc<State>) -> Self {
        TikvPrefixScan { state, ahead: VecDeque::new(), pair_bytes: PAIR_BYTES }
    }

    fn position(&self, prefix: &[u8]) -> Option<usize> {
        self.ahead.iter().position(|(prefetched, _)| prefetched == prefix)
    }

    /// Returns the range of the store's keys that begin with a prefix and follow `after`.
    fn page_of(&self, prefix: &[u8], after: Option<&[u8]>) -> Option<PageSpec> {
        let whole = KeyRange::prefix(prefix);
        let range = after.map_or(whole.clone(), |key| whole.remainder(key, false));
        let range = (!range.is_empty()).then(|| self.state.store.keys.range(&range))?;
        Some(PageSpec { range, reverse: false, keys_only: false, is_passing: false })
    }

    /// Drops the oldest pages until there is room for one more. Returns false if there is none even
    /// so, without the `kept` latest pages.
    fn make_room(&mut self, kept: usize) -> bool {
        let mut held: usize = self.ahead.iter_mut().map(|(_, page)| page.held_bytes()).sum();
        let wanted = FIRST_ROWS * self.pair_bytes;
        while self.ahead.len() >= AHEAD_MAX || held + wanted > AHEAD_BYTES {
            if self.ahead.len() <= kept {
                return false;
            }
            let Some((_, mut oldest)) = self.ahead.pop_front() else { return false };
            held = held.saturating_sub(oldest.held_bytes());
        }
        true
    }
}

impl PrefixScan for TikvPrefixScan {
    fn read(
        &mut self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limits: BlockLimits,
        block: &mut Block,
    ) -> Result<bool> {
        self.state.check()?;
        let limits = limits.bounded();
        let mut next = self.page_of(prefix, after);
        let position = if after.is_none() { self.position(prefix) } else { None };
        let prefetched = position.and_then(|position| self.ahead.remove(position));
        // A prefetched page that failed is requested again.
        let mut prefetched = prefetched.and_then(|(_, page)| page.wait().ok());
        let mut rows = FIRST_ROWS;
        while let Some(spec) = next.take() {
            let page = match prefetched.take() {
                Some(page) => page,
                None if let Some(page) = self.state.remembered.page(&spec) => page,
                None => {
                    let wanted = limits.rows.saturating_sub(block.len()).clamp(1, rows);
                    let (client, read, asked) =
                        (Arc::clone(&self.state.store.client), self.state.read, spec.clone());
                    let page =
                        self.state.store.wait(async move { client.page(&asked, wanted, read).await })?;
                    if self.state.rehearses {
                        self.state.remembered.add_page(&spec, &page);
                    }
                    page
                }
            };
            rows = NEXT_ROWS;
            if !page.pairs.is_empty() {
                self.pair_bytes = bytes(&page.pairs) / page.pairs.len() + 1;
            }
            for pair in page.pairs {
                let Some(key) = self.state.store.keys.strip(&pair.key) else { continue };
                if !block.push(key, values::decode(&pair.value)) {
                    return Err(Error::TooLarge { limit_bytes: kv::BLOCK_BYTES_MAX });
                }
                if limits.is_reached_by(block) {
                    return Ok(true);
                }
            }
            next = page.rest.map(|range| PageSpec { range, ..spec });
        }
        Ok(false)
    }

    fn prefetch(&mut self, prefixes: &[&[u8]]) {
        let mut kept = 0;
        for prefix in prefixes {
            if self.position(prefix).is_some() {
                continue;
            }
            let Some(page) = self.page_of(prefix, None) else { continue };
            if !self.make_room(kept) {
                return;
            }
            let page = PageAhead::fetch(&self.state, page, FIRST_ROWS, self.pair_bytes);
            self.ahead.push_back((prefix.to_vec(), page));
            kept += 1;
        }
    }

    fn release(&mut self) {
        self.ahead.clear();
    }
}
