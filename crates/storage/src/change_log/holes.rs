//! The positions that starts have skipped.
//!
//! A crash of the machine may lose the last commits. A reader that had read them has a position
//! behind the last commit that is left, and before the first one that follows: in a hole. So the
//! log tells a reader what it lost, however long it has grown since.

use errors::{Error, Result};
use kv::{Snapshot, WriteTransaction};

use crate::encoding::metadata::change_log_holes_key;
use crate::encoding::pack;

/// Maximum number of holes. Beyond it the two oldest become one, with all positions between them:
/// a reader that has slept through so many starts reads everything again.
const HOLES_MAX: usize = 1000;

/// The holes of a log, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holes(Vec<Hole>);

/// A hole in the positions of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    /// The last position before it.
    last: u64,
    /// The first position behind it that a commit may have.
    next: u64,
}

impl Holes {
    /// Reads the holes of a store.
    ///
    /// Errors: 1102 for damage, 35 for a newer format, those of the engine.
    pub(super) fn read(snapshot: &dyn Snapshot) -> Result<Self> {
        let values = snapshot.get_many(&[&change_log_holes_key()])?;
        let Some(bytes) = values.iter().next().flatten() else { return Ok(Holes::default()) };
        let numbers = pack::read_all_numbers(bytes)?;
        match numbers.as_chunks::<2>() {
            (pairs, []) => {
                Ok(Holes(pairs.iter().map(|[last, next]| Hole { last: *last, next: *next }).collect()))
            }
            _ => Err(Error::corrupt("the record of the change log's holes is damaged")),
        }
    }

    /// Writes the holes. Without any, the record is removed.
    pub(super) fn write(&self, transaction: &mut dyn WriteTransaction) -> Result<()> {
        let numbers: Vec<u64> = self.0.iter().flat_map(|hole| [hole.last, hole.next]).collect();
        match numbers.is_empty() {
            true => transaction.delete(&change_log_holes_key())?,
            false => transaction.put(&change_log_holes_key(), &pack::numbers(&numbers))?,
        }
        Ok(())
    }

    /// Returns the position behind the last hole; 0 without one.
    pub(super) fn end(&self) -> u64 {
        self.0.last().map_or(0, |hole| hole.next)
    }

    /// Adds the hole of a start, and forgets those below `first`: the log has no entries before
    /// that position.
    pub(super) fn add(&mut self, last: u64, next: u64, first: u64) {
        self.0.retain(|hole| hole.next > first);
        self.0.push(Hole { last, next });
        if self.0.len() > HOLES_MAX {
            let oldest = self.0.remove(0);
            if let Some(second) = self.0.first_mut() {
                second.last = oldest.last;
            }
        }
    }

    /// Returns true if a reader that has everything up to a position has read commits that were
    /// lost.
    pub(crate) fn has(&self, position: u64) -> bool {
        let following = self.0.partition_point(|hole| hole.next <= position.saturating_add(1));
        self.0.get(following).is_some_and(|hole| hole.last < position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positions_within_a_hole_are_lost() {
        let mut holes = Holes::default();
        assert!(!holes.has(0) && !holes.has(u64::MAX));
        holes.add(10, 100, 1);
        holes.add(120, 200, 1);
        let lost: Vec<u64> = (0..300).filter(|position| holes.has(*position)).collect();
        // A reader that has waited behind the last entry since a start is at 99 or 199.
        let expected: Vec<u64> = (11..99).chain(121..199).collect();
        assert_eq!(lost, expected);
        assert_eq!(holes.end(), 200);
    }

    #[test]
    fn old_holes_are_forgotten_or_become_one() {
        let mut holes = Holes::default();
        holes.add(10, 100, 1);
        holes.add(120, 200, 100);
        assert_eq!(holes, Holes(vec![Hole { last: 120, next: 200 }]));
        for start in 1..=HOLES_MAX as u64 {
            holes.add(start * 1000, start * 1000 + 500, 1);
        }
        assert_eq!(holes.0.len(), HOLES_MAX);
        assert_eq!(holes.0[0], Hole { last: 120, next: 1500 });
    }
}
