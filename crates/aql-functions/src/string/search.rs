//! Searching a text for several texts at once.

/// Finds, from left to right, the next occurrence of any needle. Of needles that occur at the same place the one
/// listed first wins. Empty needles never occur.
pub(crate) struct Searcher<'a> {
    text: &'a str,
    needles: Vec<Needle<'a>>,
}

struct Needle<'a> {
    text: &'a str,
    /// Where it occurs next, at or after the last place that was asked for; `None` if not any more.
    next: Option<usize>,
}

/// Where a needle was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// First byte.
    pub(crate) start: usize,
    /// The byte after it.
    pub(crate) end: usize,
    /// Which needle, by its place in the list.
    pub(crate) needle: usize,
}

impl<'a> Searcher<'a> {
    pub(crate) fn new(text: &'a str, needles: impl Iterator<Item = &'a str>) -> Self {
        let needles = needles.map(|needle| Needle {
            text: needle,
            next: if needle.is_empty() { None } else { text.find(needle) },
        });
        Self { text, needles: needles.collect() }
    }

    /// The first occurrence at or after byte `from`, which must not be before that of an earlier call.
    pub(crate) fn next_from(&mut self, from: usize) -> Option<Found> {
        let rest = self.text.get(from..)?;
        let mut first: Option<Found> = None;
        for (index, needle) in self.needles.iter_mut().enumerate() {
            if needle.next.is_some_and(|next| next < from) {
                needle.next = rest.find(needle.text).map(|byte| from + byte);
            }
            if let Some(start) = needle.next
                && first.is_none_or(|first| start < first.start)
            {
                first = Some(Found { start, end: start + needle.text.len(), needle: index });
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leftmost_then_first_listed() {
        let mut searcher = Searcher::new("abcabd", ["", "bc", "ab", "abd"].into_iter());
        assert_eq!(searcher.next_from(0), Some(Found { start: 0, end: 2, needle: 2 }));
        assert_eq!(searcher.next_from(2), Some(Found { start: 3, end: 5, needle: 2 }));
        assert_eq!(searcher.next_from(5), None);
    }

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_place(text in "[abé]{0,20}", needles in prop::collection::vec("[abé]{0,3}", 0..4)) {
            let mut searcher = Searcher::new(&text, needles.iter().map(String::as_str));
            let mut from = 0;
            loop {
                let expected = (from..text.len()).filter(|byte| text.is_char_boundary(*byte)).find_map(|start| {
                    let needle = needles.iter().position(|needle| !needle.is_empty() && text[start..].starts_with(needle))?;
                    Some(Found { start, end: start + needles[needle].len(), needle })
                });
                prop_assert_eq!(searcher.next_from(from), expected);
                match expected {
                    Some(found) => from = found.end,
                    None => break,
                }
            }
        }
    }
}
