//! Tokens that match a pattern of `LIKE`.

use std::collections::HashMap;

use super::automaton::CharacterAutomaton;

/// The automaton of a pattern: `_` is any character, `%` any number of them, and a backslash
/// escapes both and itself.
///
/// `%` divides the pattern into pieces. The leftmost place of a piece leaves most room for those
/// behind it, so one piece is looked for at a time. A state is the number of the piece and the
/// places in it that the characters so far can have reached, 64 in a word (Shift-And). A character
/// costs the words of one piece.
pub(crate) struct Like {
    /// The pieces between `%`; there is at least one. Only the first and the last may be empty.
    pieces: Vec<Piece>,
    /// The least number of characters of a token that matches, without the prefix.
    characters: usize,
}

/// A part of a pattern without `%`. A mask has bit `n` set if item `n` of the part fits.
#[derive(Default)]
struct Piece {
    items: usize,
    /// The mask of each character, in words with their places.
    of_any: Vec<u64>,
    of_character: HashMap<char, Vec<(usize, u64)>>,
}

/// How far the characters so far have got.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The number of the piece that is looked for.
    piece: usize,
    /// Bit `n` is set if the last `n + 1` characters match the beginning of the piece.
    places: Vec<u64>,
    /// True before the first character.
    is_fresh: bool,
    /// True if the characters so far match the whole pattern.
    is_match: bool,
}

impl Piece {
    /// Adds a character, or any.
    fn push(&mut self, item: Option<char>) {
        let (word, bit) = (self.items / 64, 1 << (self.items % 64));
        self.items += 1;
        self.of_any.resize(word + 1, 0);
        match item {
            None => self.of_any.last_mut().into_iter().for_each(|mask| *mask |= bit),
            Some(character) => {
                let masks = self.of_character.entry(character).or_default();
                match masks.last_mut().filter(|(last, _)| *last == word) {
                    Some((_, mask)) => *mask |= bit,
                    None => masks.push((word, bit)),
                }
            }
        }
    }

    /// Moves on by a character. Returns true if the whole piece has been read.
    fn step(&self, places: &mut [u64], may_begin: bool, character: char) -> bool {
        let mut carry = u64::from(may_begin);
        for place in places.iter_mut() {
            let shifted = *place << 1 | carry;
            carry = *place >> 63;
            *place = shifted;
        }
        let fitting = self.of_character.get(&character).map(Vec::as_slice).unwrap_or_default();
        let mut fitting = fitting.iter().peekable();
        for (word, (place, any)) in places.iter_mut().zip(&self.of_any).enumerate() {
            let own = fitting.next_if(|(at, _)| *at == word).map_or(0, |(_, mask)| *mask);
            *place &= any | own;
        }
        let last = self.items.saturating_sub(1);
        places.get(last / 64).is_some_and(|word| word >> (last % 64) & 1 == 1)
    }
}

impl Like {
    /// Returns the automaton of a pattern, and the characters that all tokens begin with.
    pub(crate) fn new(pattern: &str) -> (String, Like) {
        let (mut prefix, mut is_prefix) = (String::new(), true);
        let (mut pieces, mut piece, mut count) = (Vec::new(), Piece::default(), 0);
        let mut characters = pattern.chars().peekable();
        while let Some(character) = characters.next() {
            let item = match character {
                '_' => None,
                '%' => {
                    is_prefix = false;
                    // The first piece stays, even if it is empty: it is bound to the beginning.
                    if pieces.is_empty() || piece.items > 0 {
                        pieces.push(std::mem::take(&mut piece));
                    }
                    continue;
                }
                // One at the end has no meaning.
                '\\' if characters.peek().is_none() => break,
                '\\' => Some(characters.next_if(|next| matches!(next, '_' | '%' | '\\')).unwrap_or('\\')),
                character => Some(character),
            };
            is_prefix &= item.is_some();
            match item.filter(|_| is_prefix) {
                Some(character) => prefix.push(character),
                None => {
                    piece.push(item);
                    count += 1;
                }
            }
        }
        pieces.push(piece);
        (prefix, Like { pieces, characters: count })
    }

    /// Returns the least number of characters behind the prefix of a token that matches.
    pub(crate) fn least_characters(&self) -> usize {
        self.characters
    }

    /// Returns the state in which a piece is looked for and no character of it was found.
    fn before(&self, piece: usize, is_fresh: bool) -> Progress {
        let (words, items) = self.pieces.get(piece).map_or((0, 0), |piece| (piece.of_any.len(), piece.items));
        // Nothing, or anything behind the last `%`.
        let is_match = items == 0 && piece + 1 == self.pieces.len();
        Progress { piece, places: vec![0; words], is_fresh, is_match }
    }
}

impl CharacterAutomaton for Like {
    type State = Progress;

    fn start(&self) -> Progress {
        let is_floating = self.pieces.len() > 1 && self.pieces.first().is_some_and(|piece| piece.items == 0);
        self.before(usize::from(is_floating), true)
    }

    fn step(&self, state: &Progress, character: char) -> Progress {
        let is_floating = state.piece > 0;
        let mut next = Progress { is_fresh: false, is_match: false, ..state.clone() };
        match self.pieces.get(state.piece).filter(|piece| piece.items > 0) {
            // Any text stands behind the last `%`. A pattern without `%` has no more characters.
            None => next.is_match = is_floating,
            Some(piece) => {
                if piece.step(&mut next.places, is_floating || state.is_fresh, character) {
                    if state.piece + 1 < self.pieces.len() {
                        return self.before(state.piece + 1, false);
                    }
                    next.is_match = true;
                }
            }
        }
        next
    }

    fn is_match(&self, state: &Progress) -> bool {
        state.is_match
    }

    fn can_match(&self, state: &Progress) -> bool {
        state.is_fresh || state.piece > 0 || state.places.iter().any(|word| *word != 0)
    }

    fn cost(&self, state: &Progress) -> usize {
        state.places.len() / 16 + 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let (prefix, like) = Like::new(pattern);
        let Some(rest) = text.strip_prefix(&prefix) else { return false };
        let mut state = like.start();
        for character in rest.chars() {
            // No state that cannot match leads to one that matches.
            let could = like.can_match(&state);
            state = like.step(&state, character);
            assert!(could || !like.is_match(&state), "{pattern} {text}");
        }
        like.is_match(&state)
    }

    #[test]
    fn patterns_match_whole_tokens() {
        assert!(matches("foo%b_r", "foobar") && matches("foo%b_r", "foo-blübör"));
        assert!(!matches("foo%b_r", "foobars") && !matches("", "a") && matches("", ""));
        assert!(matches("%", "") && matches("%%a%%", "ba") && !matches("_", "") && matches("_", "ü"));
        assert!(matches(r"100\%", "100%") && !matches(r"100\%", "1000") && matches(r"a\\_", r"a\b"));
        assert!(matches(r"a\", "a") && !matches(r"a\", r"a\") && matches("\\", ""));
        assert!(matches(r"a\b", r"a\b") && matches(&"_%".repeat(100), &"x".repeat(100)));
        assert!(!matches(&"_%".repeat(100), &"x".repeat(99)));
        let long = "ab".repeat(100);
        assert!(
            matches(&format!("%{long}_%"), &format!("ab{long}c")) && !matches(&format!("%{long}_"), &long)
        );
    }

    /// Matches by the textbook's recursive definition.
    fn naive(text: &[char], pattern: &[char]) -> bool {
        match pattern {
            [] => text.is_empty(),
            ['%', rest @ ..] => (0..=text.len()).any(|skip| naive(&text[skip..], rest)),
            ['_', rest @ ..] => !text.is_empty() && naive(&text[1..], rest),
            [c, rest @ ..] => text.first() == Some(c) && naive(&text[1..], rest),
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(text in "[abä]{0,9}", pattern in "[abä%_]{0,7}") {
            let characters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &text), naive(&characters(&text), &characters(&pattern)));
        }
    }
}
