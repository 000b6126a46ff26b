//! Marks: where in the log of this server the other one's log was applied.
//!
//! A member of a group that follows another member may become the leader. The other followers then
//! know how far they are in the log of the former leader, and ask where that is in this one.

use std::collections::VecDeque;

/// Maximum number of marks: those of the last minutes.
const MARKS_MAX: usize = 65_536;

/// The marks of one other server, in the order of positions.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The number of the other server.
    source: String,
    marks: VecDeque<Mark>,
}

/// A moment at which everything up to `there` was applied, and nothing after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    /// The position in the other server's log.
    there: u64,
    /// The last position in the log of this server.
    here: u64,
}

/// The place in the log of this server where that of the other one is continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// The position after which to read.
    pub(crate) from: u64,
    /// The position from which on the reader shows a state that the group had. Before it, the
    /// reader applies again what it has.
    pub(crate) whole_from: u64,
}

impl Marks {
    /// Forgets the marks of another source than this one.
    pub(crate) fn begin(&mut self, source: &str) {
        if self.source != source {
            *self = Marks { source: source.to_owned(), marks: VecDeque::new() };
        }
    }

    /// Notes that everything up to `there` is applied, in commits up to `here`.
    pub(crate) fn note(&mut self, there: u64, here: u64) {
        let mark = Mark { there, here };
        match self.marks.back_mut() {
            Some(last) if last.there >= there => return,
            // Nothing of it changed anything here.
            Some(last) if last.here == here => *last = mark,
            _ => self.marks.push_back(mark),
        }
        if self.marks.len() > MARKS_MAX {
            self.marks.pop_front();
        }
    }

    /// Returns the last position of a source that was applied; `None` for another source than the
    /// one of these marks.
    pub(crate) fn last_of(&self, source: &str) -> Option<u64> {
        self.marks.back().filter(|_| self.source == source).map(|mark| mark.there)
    }

    /// Returns where the log of this server continues that of a source after `there`; `None` if no
    /// mark tells.
    pub(crate) fn continuation(&self, source: &str, there: u64) -> Option<Continuation> {
        if self.last_of(source)? < there {
            return None;
        }
        let after = self.marks.partition_point(|mark| mark.there <= there);
        let before = self.marks.get(after.checked_sub(1)?)?;
        let whole_from = match before.there == there {
            true => before.here,
            false => self.marks.get(after)?.here,
        };
        Some(Continuation { from: before.here, whole_from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(pairs: &[(u64, u64)]) -> Marks {
        let mut marks = Marks::default();
        marks.begin("1");
        pairs.iter().for_each(|(there, here)| marks.note(*there, *here));
        marks
    }

    #[test]
    fn a_reader_continues_at_the_last_mark_that_it_has_reached() {
        let marks = marks(&[(10, 3), (20, 5), (30, 9)]);
        assert_eq!(marks.continuation("1", 20), Some(Continuation { from: 5, whole_from: 5 }));
        assert_eq!(marks.continuation("1", 25), Some(Continuation { from: 5, whole_from: 9 }));
        assert_eq!(marks.continuation("1", 30), Some(Continuation { from: 9, whole_from: 9 }));
        assert_eq!(marks.continuation("1", 9), None, "it is too far behind");
        assert_eq!(marks.continuation("1", 31), None, "it has more than this server");
        assert_eq!(marks.continuation("2", 20), None);
        assert_eq!((marks.last_of("1"), marks.last_of("2")), (Some(30), None));
    }

    #[test]
    fn marks_of_another_source_replace_those_of_the_last() {
        let mut marks = marks(&[(10, 3)]);
        marks.begin("1");
        assert_eq!(marks.last_of("1"), Some(10));
        marks.begin("2");
        assert_eq!(marks.last_of("1"), None);
        marks.note(7, 4);
        marks.note(8, 4);
        assert_eq!(marks.continuation("2", 8), Some(Continuation { from: 4, whole_from: 4 }));
        assert_eq!(marks.continuation("2", 7), None);
    }

    #[test]
    fn the_oldest_marks_are_forgotten() {
        let mut marks = marks(&[]);
        (1..=MARKS_MAX as u64 + 1).for_each(|number| marks.note(number, number));
        assert_eq!(marks.continuation("1", 1), None);
        assert_eq!(marks.continuation("1", 2), Some(Continuation { from: 2, whole_from: 2 }));
    }
}
