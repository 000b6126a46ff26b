//! Scans of a range.

use std::sync::Arc;

use kv::{Block, BlockLimits, Error, Result, Scan, ScanSpec};

use crate::fetch::PageSpec;
use crate::protocol::kv::KvPair;
use crate::read::read_ahead::{FIRST_ROWS_MAX, ReadAhead};
use crate::read::state::State;
use crate::values;

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
    /// The rest of the page that is being read.
    pairs: std::vec::IntoIter<KvPair>,
    next: ReadAhead,
}

impl TikvScan {
    pub(crate) fn new(state: Arc<State>, spec: ScanSpec) -> Self {
        TikvScan { state, spec, pages: None, is_done: false }
    }

    fn pages(&mut self, limits: BlockLimits) -> &mut Pages {
        let TikvScan { state, spec, pages, .. } = self;
        pages.get_or_insert_with(|| {
            let (range, is_passing) =
                (state.store.keys.range(&spec.range), spec.sequential && !spec.repeated);
            let page = PageSpec { range, reverse: spec.reverse, keys_only: spec.keys_only, is_passing };
            Pages { pairs: Vec::new().into_iter(), next: ReadAhead::new(page, limits.rows, spec.sequential) }
        })
    }

    /// Reads the next block, which is empty after the last pair.
    fn read(&mut self, limits: BlockLimits) -> Result<Block> {
        let state = Arc::clone(&self.state);
        let pages = self.pages(limits);
        let mut block = Block::new();
        loop {
            for pair in pages.pairs.by_ref() {
                let Some(key) = state.store.keys.strip(&pair.key) else { continue };
                if !block.push(key, values::decode(&pair.value)) {
                    return Err(Error::TooLarge { limit_bytes: kv::BLOCK_BYTES_MAX });
                }
                if limits.is_reached_by(&block) {
                    return Ok(block);
                }
            }
            let Some(pairs) = pages.next.next(&state)? else { return Ok(block) };
            pages.pairs = pairs.into_iter();
        }
    }
}

impl Scan for TikvScan {
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        if self.is_done {
            return Ok(None);
        }
        self.state.check()?;
        let block = self.read(limits.bounded()).inspect_err(|_| {
            // Another attempt begins after the last block that was returned.
            self.pages = None;
        })?;
        let Some(last) = block.last_key() else {
            self.pages = None;
            self.is_done = true;
            return Ok(None);
        };
        self.spec.range = self.spec.range.remainder(last, self.spec.reverse);
        Ok(Some(block))
    }

    fn fetch(&mut self) {
        if self.pages.is_none() && !self.is_done {
            let state = Arc::clone(&self.state);
            self.pages(BlockLimits { rows: FIRST_ROWS_MAX, bytes: usize::MAX }).next.fetch(&state);
        }
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
