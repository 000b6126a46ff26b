//! Texts with their matches marked.

use errors::Result;
use velocypack::Slice;

use super::wrong::wrong;

/// The marks, unless others are given.
const MARKS: (&str, &str) = ("<em>", "</em>");
/// Bytes of the longest mark.
const MARK_MAX_BYTES: usize = 64;
/// Bytes of the longest text that is marked.
const TEXT_MAX_BYTES: usize = 64 << 10;

/// The marks before and behind a match.
pub(super) struct Marks<'m> {
    before: &'m str,
    after: &'m str,
}

impl<'m> Marks<'m> {
    /// Reads the setting `highlight`: true, or an object. Errors: 10.
    pub(super) fn of(given: Slice<'m>) -> Result<Self> {
        let mark = |name: &str, default: &'static str| {
            let mark = given.get(name).map_or(Some(default), Slice::as_str);
            mark.filter(|mark| mark.len() <= MARK_MAX_BYTES)
        };
        let is_fitting = given.as_bool() == Some(true) || given.is_object();
        match (mark("before", MARKS.0), mark("after", MARKS.1)) {
            (Some(before), Some(after)) if is_fitting => Ok(Marks { before, after }),
            _ => {
                let reason = format!(
                    "must be true, or an object with the texts 'before' and 'after' of at most {MARK_MAX_BYTES} bytes"
                );
                Err(wrong("highlight", &reason))
            }
        }
    }

    /// Returns a text with marks around some places, each a first byte and a length; `None` if
    /// there are none, or if the text is long.
    pub(super) fn apply(&self, text: &str, mut places: Vec<(usize, usize)>) -> Option<String> {
        if places.is_empty() || text.len() > TEXT_MAX_BYTES {
            return None;
        }
        places.sort_unstable();
        let mut marked =
            String::with_capacity(text.len() + places.len() * (self.before.len() + self.after.len()));
        let mut end = 0;
        for (start, length) in places {
            let stop = start.saturating_add(length);
            // Places may overlap, as those of phrases and of their words.
            let start = start.max(end);
            let (Some(between), Some(found)) = (text.get(end..start), text.get(start..stop)) else {
                continue;
            };
            if found.is_empty() {
                continue;
            }
            for part in [between, self.before, found, self.after] {
                marked.push_str(part);
            }
            end = stop;
        }
        marked.push_str(text.get(end..)?);
        Some(marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_marked_once() {
        let marks = Marks { before: "[", after: "]" };
        let marked = |text: &str, places: &[(usize, usize)]| marks.apply(text, places.to_vec());
        assert_eq!(marked("a fox and a box", &[(12, 3), (2, 3)]).as_deref(), Some("a [fox] and a [box]"));
        assert_eq!(marked("abcdef", &[(0, 3), (0, 3), (1, 4)]).as_deref(), Some("[abc][de]f"));
        assert_eq!(marked("ä", &[(1, 1), (7, 2)]).as_deref(), Some("ä"));
        assert_eq!(marked("abc", &[]), None);
    }
}
