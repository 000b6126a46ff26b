//! Tokens that match a pattern of `LIKE`.

use super::automaton::CharacterAutomaton;

/// The automaton of a pattern: `_` is any character, `%` any number of them, and a backslash
/// escapes both and itself.
pub(crate) struct Like {
    items: Vec<Item>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Character(char),
    Any,
    Many,
}

/// The places in the pattern that the characters so far can have reached, one bit each.
type Places = Vec<u64>;

impl Like {
    /// Returns the automaton of a pattern, and the characters that all tokens begin with.
    pub(crate) fn new(pattern: &str) -> (String, Like) {
        let mut items = Vec::new();
        let mut characters = pattern.chars().peekable();
        while let Some(character) = characters.next() {
            items.push(match character {
                '_' => Item::Any,
                '%' => Item::Many,
                // One at the end has no meaning.
                '\\' if characters.peek().is_none() => break,
                '\\' => {
                    let escaped = characters.next_if(|next| matches!(next, '_' | '%' | '\\'));
                    Item::Character(escaped.unwrap_or('\\'))
                }
                character => Item::Character(character),
            });
        }
        items.dedup_by(|next, item| *next == Item::Many && *item == Item::Many);
        let literal = |item: &Item| match item {
            Item::Character(character) => Some(*character),
            _ => None,
        };
        let prefix: String = items.iter().map_while(literal).collect();
        let items = items.split_off(prefix.chars().count());
        (prefix, Like { items })
    }

    /// Adds a place, and the one after it if no character is needed to get there.
    fn add(&self, places: &mut Places, place: usize) {
        if let Some(word) = places.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
        if self.items.get(place) == Some(&Item::Many) {
            self.add(places, place + 1);
        }
    }

    fn none(&self) -> Places {
        vec![0; self.items.len() / 64 + 1]
    }
}

impl CharacterAutomaton for Like {
    type State = Places;

    fn start(&self) -> Places {
        let mut places = self.none();
        self.add(&mut places, 0);
        places
    }

    fn step(&self, places: &Places, character: char) -> Places {
        let mut next = self.none();
        for (place, item) in self.items.iter().enumerate() {
            if places.get(place / 64).is_none_or(|word| word >> (place % 64) & 1 == 0) {
                continue;
            }
            match item {
                Item::Many => self.add(&mut next, place),
                Item::Any => self.add(&mut next, place + 1),
                Item::Character(expected) if *expected == character => self.add(&mut next, place + 1),
                Item::Character(_) => {}
            }
        }
        next
    }

    fn is_match(&self, places: &Places) -> bool {
        let end = self.items.len();
        places.get(end / 64).is_some_and(|word| word >> (end % 64) & 1 == 1)
    }

    fn can_match(&self, places: &Places) -> bool {
        places.iter().any(|word| *word != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let (prefix, like) = Like::new(pattern);
        let Some(rest) = text.strip_prefix(&prefix) else { return false };
        like.is_match(&rest.chars().fold(like.start(), |places, character| like.step(&places, character)))
    }

    #[test]
    fn patterns_match_whole_tokens() {
        assert!(matches("foo%b_r", "foobar") && matches("foo%b_r", "foo-blübör"));
        assert!(!matches("foo%b_r", "foobars") && !matches("", "a") && matches("", ""));
        assert!(matches("%", "") && matches("%%a%%", "ba") && !matches("_", "") && matches("_", "ü"));
        assert!(matches(r"100\%", "100%") && !matches(r"100\%", "1000") && matches(r"a\\_", r"a\b"));
        assert!(matches(r"a\", "a") && !matches(r"a\", r"a\") && matches("\\", ""));
        assert!(matches(r"a\b", r"a\b") && matches(&"_%".repeat(100), &"x".repeat(100)));
    }
}
