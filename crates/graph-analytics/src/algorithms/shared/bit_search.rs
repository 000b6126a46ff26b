//! Breadth-first searches from up to 64 starts at once, each of which has a bit.

use errors::Result;
use owner::Charge;

use super::reach::Reach;
use crate::work::{Checks, Work};

/// The searches at a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    /// Searches that reached the vertex.
    seen: u64,
    /// Those that reached it in the last level.
    last: u64,
    /// Those that reach it in the next level.
    next: u64,
}

/// The arrays of searches.
///
/// Source: Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo: "The More the Merrier:
/// Efficient Multi-Source Graph Traversal" (2014).
#[derive(Debug)]
pub(in crate::algorithms) struct BitSearch {
    bits: Vec<Bits>,
    active: Vec<u32>,
    found: Vec<u32>,
    touched: Vec<u32>,
    _charge: Charge,
}

impl BitSearch {
    /// Returns the bytes that searches take for each vertex.
    pub(in crate::algorithms) const BYTES: u64 = (size_of::<Bits>() + 3 * size_of::<u32>()) as u64;

    /// Makes the arrays for a graph.
    pub(in crate::algorithms) fn new(work: &Work, vertices: usize) -> Result<Self> {
        let charge = work.reserve(vertices as u64 * BitSearch::BYTES)?;
        let list = || Vec::with_capacity(vertices);
        let bits = vec![Bits::default(); vertices];
        Ok(BitSearch { bits, active: list(), found: list(), touched: list(), _charge: charge })
    }

    /// Searches from `starts`, which are vertices and the bits of their searches, at most
    /// `max_levels` edges far.
    ///
    /// `visit` gets each vertex with the bits of the searches that reach it in a level; starts are
    /// in level 0. Returns the number of levels that reached anything new.
    pub(in crate::algorithms) fn run(
        &mut self,
        work: &Work,
        reach: Reach<'_>,
        starts: impl IntoIterator<Item = (u32, u64)>,
        max_levels: u64,
        mut visit: impl FnMut(u64, u32, u64),
    ) -> Result<u64> {
        self.clear();
        for (vertex, bits) in starts {
            let at = &mut self.bits[vertex as usize];
            if at.next == 0 {
                self.found.push(vertex);
            }
            at.next |= bits;
        }
        let (mut level, mut checks) = (0, Checks::default());
        loop {
            self.order_found();
            for vertex in &self.found {
                let at = &mut self.bits[*vertex as usize];
                if at.seen == 0 {
                    self.touched.push(*vertex);
                }
                at.seen |= at.next;
                at.last = std::mem::take(&mut at.next);
                visit(level, *vertex, at.last);
            }
            std::mem::swap(&mut self.active, &mut self.found);
            self.found.clear();
            work.check()?;
            if level == max_levels {
                return Ok(level);
            }
            for vertex in &self.active {
                checks.note(work, reach.degree(*vertex))?;
                let bits = self.bits[*vertex as usize].last;
                for target in reach.targets(*vertex) {
                    let at = &mut self.bits[target as usize];
                    let new = bits & !at.seen;
                    if new != 0 {
                        if at.next == 0 {
                            self.found.push(target);
                        }
                        at.next |= new;
                    }
                }
            }
            if self.found.is_empty() {
                return Ok(level);
            }
            level += 1;
        }
    }

    /// Iterates over the vertices that searches reached, with their bits.
    pub(in crate::algorithms) fn seen(&self) -> impl ExactSizeIterator<Item = (u32, u64)> {
        self.touched.iter().map(|vertex| (*vertex, self.bits[*vertex as usize].seen))
    }

    /// Puts many vertices in order, so that their rows are read one after another.
    fn order_found(&mut self) {
        if self.found.len() > self.bits.len() / 16 {
            self.found.clear();
            let bits = &self.bits;
            self.found.extend((0..bits.len() as u32).filter(|vertex| bits[*vertex as usize].next != 0));
        }
    }

    fn clear(&mut self) {
        self.touched.drain(..).for_each(|vertex| self.bits[vertex as usize] = Bits::default());
        self.found.drain(..).for_each(|vertex| self.bits[vertex as usize] = Bits::default());
        self.active.clear();
    }
}
