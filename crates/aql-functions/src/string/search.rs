//! Searches a text for several texts in one pass.

use aql_value::Interrupt;
use errors::Result;

/// The needles that are examined between two checks of the interrupt; each search checks too.
const NEEDLES_PER_CHECK: usize = 4096;

/// A search, from left to right, for the next occurrence of any needle.
///
/// The needle listed first wins among those that occur at the same place. Empty needles never
/// occur.
pub(crate) struct Searcher<'a> {
    text: &'a str,
    needles: Vec<Needle<'a>>,
    interrupt: &'a Interrupt,
}

struct Needle<'a> {
    text: &'a str,
    /// The next occurrence, at or after the last place that was asked for; `None` if there is no
    /// more.
    next: Option<usize>,
}

/// The place where a needle was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// The first byte.
    pub(crate) start: usize,
    /// The byte after the needle.
    pub(crate) end: usize,
    /// The needle's position in the list.
    pub(crate) needle: usize,
}

impl<'a> Searcher<'a> {
    pub(crate) fn new(
        text: &'a str,
        needles: impl Iterator<Item = &'a str>,
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        let needles = needles.map(|needle| {
            interrupt.check()?;
            let next = if needle.is_empty() { None } else { text.find(needle) };
            Ok(Needle { text: needle, next })
        });
        Ok(Self { text, needles: needles.collect::<Result<_>>()?, interrupt })
    }

    /// Returns the first occurrence at or after byte `from`, which must not be before that of an
    /// earlier call.
    pub(crate) fn next_from(&mut self, from: usize) -> Result<Option<Found>> {
        let Some(rest) = self.text.get(from..) else { return Ok(None) };
        let mut first: Option<Found> = None;
        for (index, needle) in self.needles.iter_mut().enumerate() {
            let has_passed = needle.next.is_some_and(|next| next < from);
            if has_passed || index % NEEDLES_PER_CHECK == NEEDLES_PER_CHECK - 1 {
                self.interrupt.check()?;
            }
            if has_passed {
                needle.next = rest.find(needle.text).map(|byte| from + byte);
            }
            if let Some(start) = needle.next
                && first.is_none_or(|first| start < first.start)
            {
                first = Some(Found { start, end: start + needle.text.len(), needle: index });
            }
        }
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn leftmost_then_first_listed() {
        let interrupt = Interrupt::new();
        let mut searcher = Searcher::new("abcabd", ["", "bc", "ab", "abd"].into_iter(), &interrupt).unwrap();
        assert_eq!(searcher.next_from(0).unwrap(), Some(Found { start: 0, end: 2, needle: 2 }));
        assert_eq!(searcher.next_from(2).unwrap(), Some(Found { start: 3, end: 5, needle: 2 }));
        assert_eq!(searcher.next_from(5).unwrap(), None);
    }

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_place(text in "[abé]{0,20}", needles in prop::collection::vec("[abé]{0,3}", 0..4)) {
            let interrupt = Interrupt::new();
            let mut searcher = Searcher::new(&text, needles.iter().map(String::as_str), &interrupt).unwrap();
            let mut from = 0;
            loop {
                let expected = (from..text.len()).filter(|byte| text.is_char_boundary(*byte)).find_map(|start| {
                    let needle = needles.iter().position(|needle| !needle.is_empty() && text[start..].starts_with(needle))?;
                    Some(Found { start, end: start + needles[needle].len(), needle })
                });
                prop_assert_eq!(searcher.next_from(from).unwrap(), expected);
                match expected {
                    Some(found) => from = found.end,
                    None => break,
                }
            }
        }
    }
}
