//! Counts of triangles at each vertex.

use errors::Result;
use owner::Charge;
use rayon::prelude::*;

use super::oriented::{End, Oriented, Reversed};
use crate::algorithms::pool::Pool;
use crate::graph::Graph;
use crate::work::Work;

/// The ranks that a thread takes at a time. Their work differs much.
const RANKS: usize = 256;

/// The steps between two checks of the interrupt.
const STEPS_BETWEEN_CHECKS: usize = 1 << 13;

/// Counts for each vertex.
pub(super) struct Counts {
    /// The number of triangles.
    pub(super) triangles: Vec<u64>,
    /// The number of directed edges among the neighbours.
    pub(super) links: Vec<u64>,
    /// The number of neighbours.
    pub(super) degrees: Vec<u32>,
    _charge: Charge,
}

/// The counts that one thread makes, by rank.
struct Part {
    /// 0, or 1 for neighbours of the current vertex and 2 for those with edges in both directions.
    marks: Vec<u8>,
    tallies: Vec<Tally>,
    _charge: Charge,
}

/// Triangles of one vertex, and the directed edges opposite to it.
#[derive(Clone, Default)]
struct Tally {
    triangles: u64,
    links: u64,
}

/// Counts the triangles at each vertex, and the edges opposite to it.
pub(super) fn count(graph: &Graph, work: &Work) -> Result<Counts> {
    let oriented = Oriented::new(graph, work)?;
    let reversed = oriented.reversed(work)?;
    let ranks = oriented.vertices.len();
    let charge = work.reserve_for::<[u64; 3]>(ranks)?;
    let pool = Pool::default();
    let make = || {
        let charge = work.reserve_for::<(Tally, u8)>(ranks)?;
        Ok(Part { marks: vec![0; ranks], tallies: vec![Tally::default(); ranks], _charge: charge })
    };
    (0..ranks.div_ceil(RANKS)).into_par_iter().try_for_each(|i| {
        let mine = (i * RANKS) as u32..ranks.min((i + 1) * RANKS) as u32;
        pool.with(make, |part| {
            mine.into_iter().try_for_each(|rank| part.close(&oriented, &reversed, rank, work))
        })
    })?;
    let (mut triangles, mut links) = (vec![0; ranks], vec![0; ranks]);
    for part in pool.into_all() {
        for (tally, vertex) in part.tallies.iter().zip(&oriented.vertices) {
            triangles[*vertex as usize] += tally.triangles;
            links[*vertex as usize] += tally.links;
        }
        work.check()?;
    }
    Ok(Counts { triangles, links, degrees: oriented.degrees, _charge: charge })
}

impl Part {
    /// Counts the triangles whose vertex of the middle rank is `rank`: those of an edge from a
    /// smaller rank, and a later edge of the same that ends at a neighbour of `rank`.
    fn close(&mut self, oriented: &Oriented, reversed: &Reversed, rank: u32, work: &Work) -> Result<()> {
        let (neighbours, are_mutual) = oriented.row(rank);
        if neighbours.is_empty() {
            return Ok(());
        }
        for (to, is_mutual) in neighbours.iter().zip(are_mutual) {
            self.marks[*to as usize] = 1 + u8::from(*is_mutual);
        }
        let (mut steps, mut middle) = (0, Tally::default());
        for End { rank: first, place } in reversed.row(rank) {
            let (its_neighbours, its_mutual) = oriented.row(*first);
            let (later, its_mutual) = (&its_neighbours[*place as usize..], &its_mutual[*place as usize..]);
            let links = 1 + u64::from(its_mutual[0]);
            let mut tally = Tally::default();
            for (third, is_mutual) in later.iter().zip(its_mutual).skip(1) {
                let mark = self.marks[*third as usize];
                if mark != 0 {
                    tally.add(1, u64::from(mark));
                    middle.add(1, 1 + u64::from(*is_mutual));
                    self.tallies[*third as usize].add(1, links);
                }
            }
            self.tallies[*first as usize].add(tally.triangles, tally.links);
            steps += later.len();
            if steps >= STEPS_BETWEEN_CHECKS {
                work.check()?;
                steps = 0;
            }
        }
        self.tallies[rank as usize].add(middle.triangles, middle.links);
        neighbours.iter().for_each(|to| self.marks[*to as usize] = 0);
        Ok(())
    }
}

impl Tally {
    fn add(&mut self, triangles: u64, links: u64) {
        self.triangles += triangles;
        self.links += links;
    }
}
