//! Stretches of keys: those that begin with the same characters, whatever their case. See
//! [`super::scan`].

use std::cmp::Ordering;
use std::sync::Arc;

use catalog::index::Bound;
use errors::Result;

use crate::index::value::IndexValue;

/// A character greater than any character of a key, in byte order.
pub(super) const BEHIND_KEYS: char = '\u{7f}';

/// The characters of keys in AQL's order. Those that differ only in case are together, the lesser
/// one first.
const GROUPS: &[&str] = &[
    "_", "-", ",", ";", ":", "!", ".", "'", "(", ")", "@", "*", "%", "+", "=", "$", "0", "1", "2", "3", "4",
    "5", "6", "7", "8", "9", "Aa", "Bb", "Cc", "Dd", "Ee", "Ff", "Gg", "Hh", "Ii", "Jj", "Kk", "Ll", "Mm",
    "Nn", "Oo", "Pp", "Qq", "Rr", "Ss", "Tt", "Uu", "Vv", "Ww", "Xx", "Yy", "Zz",
];

/// Keys that begin with the same characters, whatever their case.
pub(super) struct Stretch {
    pub(super) interval: Arc<Interval>,
    /// The spellings that occur.
    pub(super) starts: Vec<String>,
    /// The least text in the stretch.
    least: String,
    /// The least text after the stretch; `None` if nothing is after it.
    end: Option<String>,
}

/// Bounds of identifiers.
pub(super) struct Interval {
    pub(super) lower: Option<Bound<IndexValue>>,
    pub(super) upper: Option<Bound<IndexValue>>,
}

/// The position of a stretch relative to the bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Outside,
    Within,
    /// Some of its keys may be outside.
    AtBound,
}

impl Stretch {
    /// Returns the stretch of all keys.
    pub(super) fn whole(interval: Interval) -> Self {
        Self { interval: Arc::new(interval), starts: vec![String::new()], least: String::new(), end: None }
    }

    /// Returns the part of the stretch whose next character belongs to a group.
    pub(super) fn child(&self, group: usize, starts: Vec<String>) -> Self {
        let least = |group: &str| format!("{}{}", self.least, group.get(..1).unwrap_or_default());
        Self {
            interval: Arc::clone(&self.interval),
            starts,
            least: GROUPS.get(group).map_or(String::new(), |group| least(group)),
            end: GROUPS.get(group + 1).map(|group| least(group)).or_else(|| self.end.clone()),
        }
    }

    /// Compares the stretch with its bounds. `prefix` is the part of an identifier before the key.
    pub(super) fn place(&self, prefix: &str) -> Result<Place> {
        let least = IndexValue::text(&format!("{prefix}{}", self.least))?;
        let end = self.end.as_ref().map(|end| IndexValue::text(&format!("{prefix}{end}"))).transpose()?;
        let Interval { lower, upper } = &*self.interval;
        let is_below =
            |bound: &Bound<IndexValue>| end.as_ref().is_some_and(|end| bound.value.compare(end).is_ge());
        if lower.as_ref().is_some_and(is_below)
            || upper.as_ref().is_some_and(|bound| least.compare(&bound.value).is_gt())
        {
            return Ok(Place::Outside);
        }
        let above_lower = lower.as_ref().is_none_or(|bound| bound.value.compare(&least).is_lt());
        let is_within = above_lower && upper.as_ref().is_none_or(is_below);
        Ok(if is_within { Place::Within } else { Place::AtBound })
    }
}

impl Interval {
    /// Returns true if an identifier is within the interval.
    pub(super) fn contains(&self, identifier: &IndexValue) -> bool {
        let holds = |bound: &Option<Bound<IndexValue>>, side: Ordering| {
            bound.as_ref().is_none_or(|bound| match identifier.compare(&bound.value) {
                Ordering::Equal => bound.inclusive,
                order => order == side,
            })
        };
        holds(&self.lower, Ordering::Greater) && holds(&self.upper, Ordering::Less)
    }
}

/// Returns the group of a character, by its position in [`GROUPS`]; `None` if no key contains it.
pub(super) fn group_of(character: u8) -> Option<usize> {
    GROUPS.iter().position(|group| group.as_bytes().contains(&character))
}

/// Returns a sort key that orders keys as AQL does.
pub(super) fn sort_key(key: &str) -> Vec<u8> {
    let mut sort_key = Vec::new();
    velocypack::order::sort_key_str(key, &mut sort_key);
    sort_key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(left: &str, right: &str) -> Ordering {
        IndexValue::text(left).unwrap().compare(&IndexValue::text(right).unwrap())
    }

    #[test]
    fn characters_are_listed_as_aql_sorts_them() {
        let all: Vec<char> = GROUPS.iter().flat_map(|group| group.chars()).collect();
        for pair in all.windows(2) {
            assert_eq!(compared(&pair[0].to_string(), &pair[1].to_string()), Ordering::Less, "{pair:?}");
        }
        let keys = (0..128u8).map(char::from).filter(|c| catalog::is_valid_key(&c.to_string()));
        assert!(keys.clone().all(|character| all.contains(&character)));
        assert_eq!(keys.count(), all.len());
    }

    #[test]
    fn groups_decide_before_case() {
        for pair in GROUPS.windows(2) {
            for left in pair[0].chars() {
                for right in pair[1].chars() {
                    let texts = (format!("a{left}z"), format!("A{right}"));
                    assert_eq!(compared(&texts.0, &texts.1), Ordering::Less, "{texts:?}");
                }
            }
        }
    }
}
