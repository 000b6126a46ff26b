//! Sets of characters.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// A set of characters.
#[derive(Debug)]
pub(super) struct Set {
    /// A bit for each character of ASCII.
    ascii: u128,
    /// Ranges in ascending order, which do not overlap.
    ranges: Box<[RangeInclusive<char>]>,
}

impl Set {
    /// Makes a set of ranges in ascending order, which do not overlap.
    pub(super) fn new(ranges: Vec<RangeInclusive<char>>) -> Self {
        let is_in = |code: u8| ranges.iter().any(|range| range.contains(&char::from(code)));
        let ascii = (0..128_u8).filter(|code| is_in(*code)).fold(0, |bits, code| bits | (1_u128 << code));
        Set { ascii, ranges: ranges.into() }
    }

    pub(super) fn contains(&self, character: char) -> bool {
        if character.is_ascii() {
            return self.ascii >> u32::from(character) & 1 == 1;
        }
        let place = |range: &RangeInclusive<char>| match character {
            _ if *range.end() < character => Ordering::Less,
            _ if *range.start() > character => Ordering::Greater,
            _ => Ordering::Equal,
        };
        self.ranges.binary_search_by(place).is_ok()
    }
}
