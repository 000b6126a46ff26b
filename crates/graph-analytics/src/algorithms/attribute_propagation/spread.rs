//! Asynchronous propagation of up to 64 labels, each of which has a bit.

use errors::Result;
use owner::Charge;

use crate::algorithms::shared::reach::Reach;
use crate::work::{Checks, Work};

/// The labels at a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    seen: u64,
    sent: u64,
    is_waiting: bool,
}

/// The arrays of a propagation.
#[derive(Debug)]
pub(super) struct Spread {
    bits: Vec<Bits>,
    turns: Vec<u32>,
    later: Vec<u32>,
    touched: Vec<u32>,
    _charge: Charge,
}

impl Spread {
    pub(super) fn new(work: &Work, vertices: usize) -> Result<Self> {
        let charge = work.reserve_for::<(Bits, [u32; 3])>(vertices)?;
        let list = || Vec::with_capacity(vertices);
        let bits = vec![Bits::default(); vertices];
        Ok(Spread { bits, turns: list(), later: list(), touched: list(), _charge: charge })
    }

    /// Propagates labels from `starts`. Returns the number of iterations that changed anything.
    pub(super) fn run(
        &mut self,
        work: &Work,
        reach: Reach<'_>,
        starts: impl Iterator<Item = (u32, u64)>,
        max_iterations: u64,
    ) -> Result<u64> {
        self.touched.drain(..).for_each(|vertex| self.bits[vertex as usize] = Bits::default());
        self.later.clear();
        for (vertex, bits) in starts {
            self.add(vertex, bits);
        }
        self.later.sort_unstable();
        let (mut iterations, mut checks) = (0, Checks::default());
        while !self.later.is_empty() && iterations < max_iterations {
            work.check()?;
            let mut is_changed = false;
            let mut turns = std::mem::replace(&mut self.later, std::mem::take(&mut self.turns));
            for vertex in turns.drain(..) {
                checks.note(work, reach.degree(vertex) + 1)?;
                let its = &mut self.bits[vertex as usize];
                let new = its.seen & !its.sent;
                its.sent = its.seen;
                its.is_waiting = false;
                for target in reach.targets(vertex) {
                    is_changed |= self.add(target, new);
                }
            }
            self.turns = turns;
            iterations += u64::from(is_changed);
        }
        Ok(iterations)
    }

    /// Iterates over the vertices that have labels, with their bits.
    pub(super) fn seen(&self) -> impl ExactSizeIterator<Item = (u32, u64)> {
        self.touched.iter().map(|vertex| (*vertex, self.bits[*vertex as usize].seen))
    }

    /// Adds labels to a vertex, which gets a turn if some are new.
    fn add(&mut self, vertex: u32, bits: u64) -> bool {
        let its = &mut self.bits[vertex as usize];
        if bits & !its.seen == 0 {
            return false;
        }
        if its.seen == 0 {
            self.touched.push(vertex);
        }
        its.seen |= bits;
        if !std::mem::replace(&mut its.is_waiting, true) {
            self.later.push(vertex);
        }
        true
    }
}
