//! The names of segments.

use std::fmt;

/// The name of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentName {
    /// The first position that the segment covers.
    pub first: u64,
    /// The last position that the segment covers.
    pub last: u64,
    /// The time of the last commit that has ended, in microseconds since 1970; 0 without one.
    pub time: u64,
}

impl SegmentName {
    /// Reads a name as it is printed.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('-').map(|digits| digits.parse().ok().filter(|_| digits.len() == 20));
        let name = SegmentName { first: numbers.next()??, last: numbers.next()??, time: numbers.next()?? };
        (numbers.next().is_none() && name.first <= name.last).then_some(name)
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:020}-{:020}-{:020}", self.first, self.last, self.time)
    }
}
