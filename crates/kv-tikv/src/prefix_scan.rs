//! Many short ranges, one after the other: one message each, unless a range is long.

use std::sync::Arc;

use kv::{Block, BlockLimits, Error, KeyRange, PrefixScan, Result};

use crate::reads::PageSpec;
use crate::state::State;
use crate::values;

/// The most rows of the first page of a range, and of the following ones.
const FIRST_ROWS: usize = 128;
const NEXT_ROWS: usize = 2048;

/// A reader of ranges.
pub(crate) struct TikvPrefixScan {
    state: Arc<State>,
}

impl TikvPrefixScan {
    pub(crate) fn new(state: Arc<State>) -> Self {
        TikvPrefixScan { state }
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
        let whole = KeyRange::prefix(prefix);
        let range = after.map_or(whole.clone(), |key| whole.remainder(key, false));
        let mut rest = (!range.is_empty()).then(|| self.state.store.keys.range(&range));
        let mut rows = FIRST_ROWS;
        while let Some(range) = rest {
            let wanted = limits.rows.saturating_sub(block.len()).clamp(1, rows);
            rows = NEXT_ROWS;
            let spec = PageSpec { range, reverse: false, keys_only: false, is_passing: false };
            let (client, at) = (Arc::clone(&self.state.store.client), self.state.at);
            let page = self.state.store.wait(async move { client.page(&spec, wanted, at).await })?;
            for pair in page.pairs {
                let Some(key) = self.state.store.keys.strip(&pair.key) else { continue };
                if !block.push(key, values::decode(&pair.value)) {
                    return Err(Error::TooLarge { limit_bytes: kv::BLOCK_BYTES_MAX });
                }
                if limits.is_reached_by(block) {
                    return Ok(true);
                }
            }
            rest = page.rest;
        }
        Ok(false)
    }

    fn release(&mut self) {}
}
