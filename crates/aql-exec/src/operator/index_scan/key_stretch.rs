//! Stretches of keys: those that begin with the same characters, whatever their case. See [`super::key_order`].

use super::range::Bound;
use aql_value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// Greater than any character of a key, in byte order.
pub(super) const BEHIND_KEYS: char = '\u{7f}';

/// The characters of keys in AQL's order, those that differ by nothing but case together, the lesser one first.
const GROUPS: &[&str] = &[
    "_", "-", ",", ";", ":", "!", ".", "'", "(", ")", "@", "*", "%", "+", "=", "$", "0", "1", "2", "3", "4",
    "5", "6", "7", "8", "9", "Aa", "Bb", "Cc", "Dd", "Ee", "Ff", "Gg", "Hh", "Ii", "Jj", "Kk", "Ll", "Mm",
    "Nn", "Oo", "Pp", "Qq", "Rr", "Ss", "Tt", "Uu", "Vv", "Ww", "Xx", "Yy", "Zz",
];

/// Keys that begin with the same characters, whatever their case.
pub(super) struct Stretch {
    pub(super) interval: Arc<Interval>,
    /// The beginnings that occur.
    pub(super) starts: Vec<String>,
    /// The least text that begins so.
    least: String,
    /// The least text behind the stretch; `None` if nothing is behind it.
    end: Option<String>,
}

/// Bounds of identifiers.
pub(super) struct Interval {
    pub(super) lower: Option<Bound>,
    pub(super) upper: Option<Bound>,
}

/// How a stretch lies to the bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Outside,
    Within,
    /// Some of its keys may be outside.
    AtBound,
}

impl Stretch {
    /// All keys.
    pub(super) fn whole(interval: Interval) -> Self {
        Self { interval: Arc::new(interval), starts: vec![String::new()], least: String::new(), end: None }
    }

    /// The part of the stretch that goes on with a character of a group.
    pub(super) fn child(&self, group: usize, starts: Vec<String>) -> Self {
        let least = |group: &str| format!("{}{}", self.least, group.get(..1).unwrap_or_default());
        Self {
            interval: Arc::clone(&self.interval),
            starts,
            least: GROUPS.get(group).map_or(String::new(), |group| least(group)),
            end: GROUPS.get(group + 1).map(|group| least(group)).or_else(|| self.end.clone()),
        }
    }

    /// How the stretch lies to its bounds; `prefix` is what identifiers have before the key.
    pub(super) fn place(&self, prefix: &str) -> Place {
        let least = Value::from_str(&format!("{prefix}{}", self.least));
        let end = self.end.as_ref().map(|end| Value::from_str(&format!("{prefix}{end}")));
        let Interval { lower, upper } = &*self.interval;
        let is_below = |bound: &Bound| end.as_ref().is_some_and(|end| bound.value.compare(end).is_ge());
        if lower.as_ref().is_some_and(is_below)
            || upper.as_ref().is_some_and(|bound| least.compare(&bound.value).is_gt())
        {
            return Place::Outside;
        }
        let above_lower = lower.as_ref().is_none_or(|bound| bound.value.compare(&least).is_lt());
        if above_lower && upper.as_ref().is_none_or(is_below) { Place::Within } else { Place::AtBound }
    }
}

impl Interval {
    /// Whether an identifier is within.
    pub(super) fn contains(&self, identifier: &Value) -> bool {
        let holds = |bound: &Option<Bound>, side: Ordering| {
            bound.as_ref().is_none_or(|bound| match identifier.compare(&bound.value) {
                Ordering::Equal => bound.inclusive,
                order => order == side,
            })
        };
        holds(&self.lower, Ordering::Greater) && holds(&self.upper, Ordering::Less)
    }
}

/// The group of a character, by its place among them; `None` if no key has it.
pub(super) fn group_of(character: u8) -> Option<usize> {
    GROUPS.iter().position(|group| group.as_bytes().contains(&character))
}

/// A key as AQL sorts it.
pub(super) struct SortedKey(Value);

impl SortedKey {
    pub(super) fn new(key: &str) -> Self {
        Self(Value::from_str(key))
    }
}

impl Ord for SortedKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(&other.0)
    }
}

impl PartialOrd for SortedKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortedKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortedKey {}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(left: &str, right: &str) -> Ordering {
        Value::from_str(left).compare(&Value::from_str(right))
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
