//! Scans: pages of one region each, of which the next one is fetched while this one is read.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use kv::{Block, BlockLimits, Error, Result, Scan, ScanSpec};

use crate::protocol::kv::KvPair;
use crate::reads::{PAGE_ROWS_MAX, PageSpec};
use crate::state::State;
use crate::values;

/// The bytes that a page should have, once the size of the pairs is known.
const PAGE_BYTES: usize = 4 << 20;

/// The most rows of the first page, when the size of the pairs is not known.
const FIRST_ROWS_MAX: usize = 256;

/// A scan in progress.
pub(crate) struct TikvScan {
    state: Arc<State>,
    /// The scan; its range holds only the keys that were not returned yet.
    spec: ScanSpec,
    /// The pages, if the scan has begun.
    pages: Option<Pages>,
    is_done: bool,
}

/// The pages of a scan.
struct Pages {
    pairs: std::vec::IntoIter<KvPair>,
    /// The part that no page has; `None` if there is none.
    rest: Option<PageSpec>,
    /// The page that is being fetched.
    next: Option<Receiver<Result<Fetched>>>,
    rows: usize,
    is_first: bool,
}

/// A page and the part of the range behind it.
struct Fetched {
    pairs: Vec<KvPair>,
    rest: Option<PageSpec>,
}

impl TikvScan {
    pub(crate) fn new(state: Arc<State>, spec: ScanSpec) -> Self {
        TikvScan { state, spec, pages: None, is_done: false }
    }

    fn pages(&mut self, limits: BlockLimits) -> &mut Pages {
        let TikvScan { state, spec, pages, .. } = self;
        pages.get_or_insert_with(|| {
            let range = state.store.keys.range(&spec.range);
            let rest = PageSpec {
                range,
                reverse: spec.reverse,
                keys_only: spec.keys_only,
                is_passing: spec.sequential && !spec.repeated,
            };
            Pages {
                pairs: Vec::new().into_iter(),
                rest: (!spec.range.is_empty()).then_some(rest),
                next: None,
                rows: limits.rows.min(FIRST_ROWS_MAX),
                is_first: true,
            }
        })
    }
}

impl Pages {
    /// Begins to fetch the next page.
    fn fetch(&mut self, state: &Arc<State>) {
        let Some(spec) = self.rest.take() else { return };
        let (sender, receiver) = sync_channel(1);
        let (client, at, rows) = (Arc::clone(&state.store.client), state.at, self.rows);
        state.store.spawn(async move {
            let page = client.page(&spec, rows, at).await;
            let fetched = page.map(|page| Fetched {
                rest: page.rest.map(|range| PageSpec { range, ..spec }),
                pairs: page.pairs,
            });
            // The scan may have ended meanwhile.
            let _ = sender.send(fetched);
        });
        self.next = Some(receiver);
    }

    /// Waits for the next page. Returns false if there is none.
    fn advance(&mut self, state: &Arc<State>, is_long: bool) -> Result<bool> {
        if self.next.is_none() {
            self.fetch(state);
        }
        let Some(next) = self.next.take() else { return Ok(false) };
        let page = next.recv().map_err(|_| Error::Closed)??;
        state.check()?;
        let bytes: usize = page.pairs.iter().map(|pair| pair.key.len() + pair.value.len()).sum();
        let average = bytes / page.pairs.len().max(1) + 1;
        self.rows = (self.rows * 4).min(PAGE_BYTES / average).clamp(1, PAGE_ROWS_MAX);
        self.rest = page.rest;
        self.pairs = page.pairs.into_iter();
        // A scan that goes on after its first page is likely to go on further.
        if is_long || !self.is_first {
            self.fetch(state);
        }
        self.is_first = false;
        Ok(true)
    }
}

impl Scan for TikvScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        if self.is_done {
            return Ok(None);
        }
        self.state.check()?;
        let limits = limits.bounded();
        let state = Arc::clone(&self.state);
        let is_long = self.spec.sequential;
        let pages = self.pages(limits);
        let mut block = Block::new();
        'block: loop {
            for pair in pages.pairs.by_ref() {
                let Some(key) = state.store.keys.strip(&pair.key) else { continue };
                if !block.push(key, values::decode(&pair.value)) {
                    return Err(Error::TooLarge { limit_bytes: kv::BLOCK_BYTES_MAX });
                }
                if limits.is_reached_by(&block) {
                    break 'block;
                }
            }
            if !pages.advance(&state, is_long)? {
                break;
            }
        }
        let Some(last) = block.last_key() else {
            self.pages = None;
            self.is_done = true;
            return Ok(None);
        };
        self.spec.range = self.spec.range.remainder(last, self.spec.reverse);
        Ok(Some(block))
    }

    fn release(&mut self) {
        self.pages = None;
    }

    fn rewind(&mut self, key: &[u8]) {
        self.pages = None;
        self.is_done = false;
        self.spec.begin_at(key);
    }
}
