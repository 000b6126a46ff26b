//! Depth first: a path, then all its extensions, before its siblings.

use errors::Result;

use super::expand::Expansion;
use super::{StepId, TraversalHost, Visit};
use crate::graph_search::edges::ReadPosition;
use crate::graph_search::lookahead::Lookahead;

/// The current path, and at each of its vertices the siblings still to come.
#[derive(Default)]
pub(super) struct DepthFirst {
    frames: Vec<Frame>,
    /// The step found last, which is expanded when the next path is requested.
    pending: Option<StepId>,
}

/// The extensions of one path. Those of the last frame are the last of all steps.
struct Frame {
    /// The path that they extend; `None` for the start.
    parent: Option<StepId>,
    /// The first of them, and the start of the keys of their edges.
    base: StepId,
    base_key_bytes: usize,
    /// The next of them.
    next: StepId,
    /// The position for reading more of them.
    position: Option<ReadPosition>,
    /// The prefetched part of them.
    ahead: Lookahead,
}

/// The divisor of the vertices that are read concurrently: the extensions of several nested paths
/// are prefetched together.
const PREFETCH_FRAMES: usize = 4;

impl Frame {
    /// Prefetches extensions from `id` on, if this is the last frame.
    fn prefetch(&mut self, id: StepId, expansion: &Expansion, host: &mut impl TraversalHost) -> Result<()> {
        let (at, len) = ((id - self.base) as usize, (expansion.steps.end() - self.base) as usize);
        let ahead = self.ahead.advance(at, len, host.concurrent_reads() / PREFETCH_FRAMES);
        if ahead.is_empty() {
            return Ok(());
        }
        let id = |position| self.base + position as StepId;
        expansion.prefetch(id(ahead.start)..id(ahead.end), host)
    }
}

impl DepthFirst {
    pub(super) fn start(&mut self) {
        self.frames.clear();
        self.pending = None;
        let ahead = Lookahead::default();
        self.frames.push(Frame { parent: None, base: 0, base_key_bytes: 0, next: 0, position: None, ahead });
    }

    pub(super) fn next(
        &mut self,
        expansion: &mut Expansion,
        host: &mut impl TraversalHost,
    ) -> Result<Option<Visit>> {
        if let Some(id) = self.pending.take()
            && expansion.is_open(id)
        {
            if let Some(frame) = self.frames.last_mut() {
                frame.prefetch(id, expansion, host)?;
            }
            self.follow(id, expansion);
        }
        while let Some(frame) = self.frames.last_mut() {
            if frame.next < expansion.steps.end() {
                let id = frame.next;
                frame.next += 1;
                self.pending = Some(id);
                return Ok(Some(Visit::Step(id)));
            }
            expansion.steps.truncate(frame.base, frame.base_key_bytes);
            frame.next = frame.base;
            let leaves = match (&mut frame.position, frame.parent) {
                (Some(position), Some(parent)) => {
                    let gathered = expansion.gather(parent, position, host)?;
                    if !gathered.has_more {
                        frame.position = None;
                    }
                    expansion.settle(frame.base, host)?;
                    frame.ahead = Lookahead::default();
                    frame.prefetch(frame.base, expansion, host)?;
                    gathered.leaves
                }
                (_, parent) => {
                    if parent.is_some() {
                        expansion.leave();
                    }
                    self.frames.pop();
                    0
                }
            };
            if leaves > 0 {
                return Ok(Some(Visit::Leaves(leaves)));
            }
        }
        Ok(None)
    }

    fn follow(&mut self, id: StepId, expansion: &mut Expansion) {
        expansion.enter(id);
        let (base, base_key_bytes) = (expansion.steps.end(), expansion.steps.key_bytes());
        let (position, ahead) = (Some(ReadPosition::default()), Lookahead::default());
        self.frames.push(Frame { parent: Some(id), base, base_key_bytes, next: base, position, ahead });
        expansion.queue_bytes = self.frames.capacity() * size_of::<Frame>();
    }
}
