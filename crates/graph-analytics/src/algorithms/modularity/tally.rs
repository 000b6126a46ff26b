//! Sums of weights by community, in a table as small as the number of neighbours.

use errors::Result;
use owner::Charge;

use crate::work::Work;

/// A slot that is free.
const FREE: u32 = u32::MAX;

/// The sums of the weights of one vertex's edges by the communities to which they lead.
///
/// The table has open addressing. It stays in the processor's cache for most vertices, other than
/// an array of all communities.
#[derive(Debug)]
pub(super) struct Tally {
    slots: Vec<(u32, f64)>,
    /// Slots in use, in the order in which communities came.
    used: Vec<u32>,
    /// The number of bits that a hash loses to be a slot.
    shift: u32,
    charge: Charge,
}

impl Tally {
    pub(super) fn new(work: &Work) -> Result<Self> {
        Ok(Tally { slots: Vec::new(), used: Vec::new(), shift: 0, charge: work.reserve(0)? })
    }

    /// Takes all sums away, and makes room for `communities` different ones.
    pub(super) fn clear(&mut self, communities: usize) -> Result<()> {
        for slot in self.used.drain(..) {
            self.slots[slot as usize] = (FREE, 0.0);
        }
        let size = (communities.max(8) * 2).next_power_of_two();
        if size > self.slots.len() {
            let slot = size_of::<(u32, f64)>() + size_of::<u32>();
            self.charge.grow(((size - self.slots.len()) * slot) as u64)?;
            self.slots.resize(size, (FREE, 0.0));
            self.used.reserve(size);
        }
        self.shift = 32 - size.trailing_zeros().min(31);
        Ok(())
    }

    /// Adds to the sum of a community. There must be room.
    #[inline]
    pub(super) fn add(&mut self, community: u32, weight: f64) {
        let mut slot = self.first_slot(community);
        loop {
            let (its, sum) = &mut self.slots[slot];
            if *its == community {
                *sum += weight;
                return;
            }
            if *its == FREE {
                (*its, *sum) = (community, weight);
                self.used.push(slot as u32);
                return;
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
    }

    /// Returns the sum of a community; 0 if it has none.
    #[inline]
    pub(super) fn sum(&self, community: u32) -> f64 {
        let mut slot = self.first_slot(community);
        loop {
            let (its, sum) = self.slots[slot];
            if its == community || its == FREE {
                return sum;
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
    }

    /// Iterates over communities and their sums in the order in which communities came.
    pub(super) fn sums(&self) -> impl Iterator<Item = (u32, f64)> {
        self.used.iter().map(|slot| self.slots[*slot as usize])
    }

    fn first_slot(&self, community: u32) -> usize {
        (community.wrapping_mul(0x9E37_79B1) >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_each_community() {
        let mut tally = Tally::new(&Work::default()).unwrap();
        for round in 1..100_u32 {
            tally.clear(round as usize).unwrap();
            for community in (0..round).chain(0..round) {
                tally.add(community * 65_536, f64::from(community));
            }
            let expected: Vec<(u32, f64)> = (0..round).map(|c| (c * 65_536, f64::from(c * 2))).collect();
            assert_eq!(tally.sums().collect::<Vec<_>>(), expected);
            assert_eq!(tally.sum(65_536), if round > 1 { 2.0 } else { 0.0 });
            assert_eq!(tally.sum(7), 0.0);
        }
    }
}
