//! Local moving: each vertex goes to the community of a neighbour that raises the modularity most.

use errors::Result;

use super::level::Level;
use super::tally::Tally;
use crate::algorithms::shared::random;
use crate::work::{Checks, Work};

/// The part of a vertex's strength by which a move must be better than none. It keeps errors of
/// rounding from moving a vertex back and forth.
const LEAST_GAIN: f64 = 1e-9;

/// Moves vertices until none gains by a move. Returns the number of moves.
///
/// After the first pass, only vertices are visited whose neighbours moved. Source: Bae, Halperin,
/// West, Rosvall, Howe: "Scalable and Efficient Flow-Based Community Detection" (2017).
pub(super) fn move_vertices(
    level: &Level<'_>,
    work: &Work,
    communities: &mut [u32],
    resolution: f64,
    seed: u64,
) -> Result<u64> {
    let vertices = level.len();
    if level.total() == 0.0 {
        return Ok(0);
    }
    let _charge = work.reserve_for::<(f64, [u32; 5], bool)>(vertices)?;
    let scale = resolution / level.total();
    let mut totals = level.totals(communities);
    let mut sizes = vec![0_u32; vertices];
    communities.iter().for_each(|community| sizes[*community as usize] += 1);
    let is_empty = |community: &u32| sizes[*community as usize] == 0;
    let mut empty: Vec<u32> = (0..vertices as u32).rev().filter(is_empty).collect();
    let order = random::order(random::generator(seed, 0), vertices);
    let mut visits = Visits::new(order);
    let mut tally = Tally::new(work)?;
    // The communities of the neighbours of a vertex.
    let mut near: Vec<u32> = Vec::new();
    let (mut moves, mut checks) = (0, Checks::default());
    while let Some(vertex) = visits.next() {
        checks.note(work, level.degree(vertex) + 1)?;
        // Without a branch, the processor reads many at once.
        near.clear();
        level.for_each(vertex, |target, _| near.push(communities[target as usize]));
        tally.clear(near.len().min(vertices))?;
        let mut place = 0;
        level.for_each(vertex, |_, weight| {
            tally.add(near[place], weight);
            place += 1;
        });
        let own = communities[vertex as usize];
        let strength = level.strength(vertex);
        totals[own as usize] -= strength;
        let gain_of = |community: u32, weight: f64| weight - strength * totals[community as usize] * scale;
        let (mut best, mut best_gain) = (own, gain_of(own, tally.sum(own)) + LEAST_GAIN * strength);
        for (community, weight) in tally.sums() {
            // The gain is at most the weight.
            if weight > best_gain && community != own {
                let gain = gain_of(community, weight);
                if gain > best_gain {
                    (best, best_gain) = (community, gain);
                }
            }
        }
        if best_gain < 0.0 && sizes[own as usize] > 1 {
            best = empty.pop().unwrap_or(own);
        }
        totals[best as usize] += strength;
        if best == own {
            continue;
        }
        moves += 1;
        communities[vertex as usize] = best;
        sizes[best as usize] += 1;
        sizes[own as usize] -= 1;
        if sizes[own as usize] == 0 {
            empty.push(own);
        }
        let mut place = 0;
        level.for_each(vertex, |target, _| {
            if near[place] != best {
                visits.add(target);
            }
            place += 1;
        });
    }
    Ok(moves)
}

/// The vertices that are to be visited, in passes.
struct Visits {
    order: Vec<u32>,
    is_waiting: Vec<bool>,
    /// The vertices of this pass, and how many were visited.
    pass: Vec<u32>,
    done: usize,
    /// The vertices of the next pass.
    later: Vec<u32>,
}

impl Visits {
    fn new(order: Vec<u32>) -> Self {
        let vertices = order.len();
        let later = Vec::with_capacity(vertices);
        Visits { is_waiting: vec![true; vertices], pass: order.clone(), order, done: 0, later }
    }

    fn next(&mut self) -> Option<u32> {
        if self.done == self.pass.len() {
            self.done = 0;
            std::mem::swap(&mut self.pass, &mut self.later);
            self.later.clear();
            if self.pass.len() > self.order.len() / 32 {
                // In order, near vertices follow each other, and their rows are in the cache.
                self.pass.clear();
                let is_waiting = |vertex: &&u32| self.is_waiting[**vertex as usize];
                self.pass.extend(self.order.iter().filter(is_waiting));
            }
        }
        let vertex = *self.pass.get(self.done)?;
        self.done += 1;
        self.is_waiting[vertex as usize] = false;
        Some(vertex)
    }

    fn add(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.is_waiting[vertex as usize], true) {
            self.later.push(vertex);
        }
    }
}
