//! Breadth first: shorter paths first. The steps themselves are the queue.

use errors::Result;

use super::expand::Expansion;
use super::{StepId, TraversalHost, Visit};
use crate::graph_search::edges::ReadPosition;
use crate::graph_search::lookahead::Lookahead;

/// The position in the queue.
#[derive(Default)]
pub(super) struct BreadthFirst {
    /// The next path to return.
    next: StepId,
    /// The next path to expand; all those before it were returned and expanded.
    to_follow: StepId,
    /// The position in the edges at the end of that path.
    position: ReadPosition,
    /// The prefetched part of the queue.
    ahead: Lookahead,
    /// Number of paths to find before they are judged together.
    wanted: u32,
}

/// Maximum number of paths that are judged together.
const JUDGED_TOGETHER: u32 = 512;

/// Number of expanded paths after which they are dropped.
const FORGOTTEN_TOGETHER: u32 = 4096;

impl BreadthFirst {
    pub(super) fn start(&mut self) {
        *self = Self { wanted: 1, ..Self::default() };
    }

    pub(super) fn next(
        &mut self,
        expansion: &mut Expansion,
        host: &mut impl TraversalHost,
    ) -> Result<Option<Visit>> {
        loop {
            if self.next < expansion.steps.end() {
                self.next += 1;
                return Ok(Some(Visit::Step(self.next - 1)));
            }
            if self.to_follow >= self.next {
                return Ok(None);
            }
            let leaves = self.follow(expansion, host)?;
            if leaves > 0 {
                return Ok(Some(Visit::Leaves(leaves)));
            }
        }
    }

    /// Expands paths until there are new ones, or none is left. Returns the number of merely
    /// counted paths.
    fn follow(&mut self, expansion: &mut Expansion, host: &mut impl TraversalHost) -> Result<u64> {
        let from = expansion.steps.end();
        let mut leaves = 0;
        while self.to_follow < from && leaves == 0 && expansion.steps.end() - from < self.wanted {
            let ahead = self.ahead.advance(self.to_follow as usize, from as usize, host.concurrent_reads());
            if !ahead.is_empty() {
                expansion.prefetch(ahead.start as StepId..ahead.end as StepId, host)?;
            }
            if expansion.is_open(self.to_follow) {
                let gathered = expansion.gather(self.to_follow, &mut self.position, host)?;
                leaves += gathered.leaves;
                if gathered.has_more {
                    continue;
                }
            }
            self.position = ReadPosition::default();
            self.to_follow += 1;
        }
        expansion.settle(from, host)?;
        if expansion.options.judges {
            self.wanted = (self.wanted * 4).min(JUDGED_TOGETHER);
        }
        if !expansion.options.keeps_parents() {
            self.forget(expansion);
        }
        Ok(leaves)
    }

    fn forget(&mut self, expansion: &mut Expansion) {
        let kept = expansion.steps.end() - self.to_follow;
        if expansion.steps.len() - kept > FORGOTTEN_TOGETHER.max(kept) {
            expansion.steps.forget_before(self.to_follow);
        }
    }
}
