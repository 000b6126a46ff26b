//! LIKE: `_` matches any one character, `%` any number of them; `\_`, `\%` and `\\` are literals.
//!
//! A backslash before anything else is a backslash. One at the end has no meaning. Characters are
//! Unicode code points. Case-insensitive matching compares the lower-case forms, character by
//! character.

use std::iter::Peekable;
use std::str::Chars;

use errors::Result;
use owner::Interrupt;

use super::like_search::LikeSearch;

/// The comparisons of characters between two checks of the interrupt.
const STEPS_PER_CHECK: usize = 1 << 20;
/// The length of the longest part of a pattern that is compared with each place of a text.
const SHORT_PART: usize = 64;
/// The characters that are prepared between two checks, which takes longer than to compare them.
const CHARACTERS_PER_CHECK: usize = 1 << 16;

/// A prepared LIKE pattern.
#[derive(Debug, Clone)]
pub struct LikePattern {
    /// The parts between `%` signs; at least one. The first is anchored at the start, the last at
    /// the end.
    pieces: Vec<Piece>,
    case_insensitive: bool,
}

/// A part of a pattern without `%`.
#[derive(Debug, Clone)]
enum Piece {
    /// A text without wildcards, compared by bytes. Only in case-sensitive patterns.
    Text(String),
    /// Characters with `_` (as `None`), or of a case-insensitive pattern (in lower case).
    Characters(Vec<Option<char>>),
    /// The same, if there are many of them between two `%` signs.
    Long(Vec<Option<char>>, LikeSearch),
}

impl LikePattern {
    /// Prepares a pattern. Every text is a valid pattern.
    ///
    /// Errors: 1500 if the query is ended during this.
    pub fn new(pattern: &str, case_insensitive: bool, interrupt: &Interrupt) -> Result<Self> {
        let mut pieces = Vec::new();
        let mut piece = Vec::new();
        let mut characters = pattern.chars().peekable();
        let mut steps = 0_usize;
        while let Some(character) = characters.next() {
            steps += 1;
            if steps.is_multiple_of(CHARACTERS_PER_CHECK) {
                interrupt.check()?;
            }
            match character {
                '%' => pieces.push(Piece::new(std::mem::take(&mut piece), case_insensitive)),
                '_' => piece.push(None),
                '\\' => {
                    if let Some(literal) = after_backslash(&mut characters) {
                        push_literal(&mut piece, literal, case_insensitive);
                    }
                }
                _ => push_literal(&mut piece, character, case_insensitive),
            }
        }
        pieces.push(Piece::new(piece, case_insensitive));
        // The first and the last piece are not searched for.
        let middle = pieces.len().saturating_sub(1).max(1);
        for piece in pieces.get_mut(1..middle).unwrap_or_default() {
            piece.prepare(interrupt)?;
        }
        Ok(Self { pieces, case_insensitive })
    }

    /// Returns true if the whole text matches.
    ///
    /// Errors: 1500 if the query is ended during this.
    pub fn matches(&self, text: &str, interrupt: &Interrupt) -> Result<bool> {
        if self.case_insensitive {
            self.matches_folded(&folded(text, interrupt)?, interrupt)
        } else {
            self.matches_folded(text, interrupt)
        }
    }

    /// Returns the literal text that every match starts with; `None` if there is no such prefix.
    ///
    /// Matching must be case-sensitive, and a wildcard must follow the prefix. The second part is
    /// true if the pattern is exactly `prefix%`.
    pub fn prefix(&self) -> Option<(&str, bool)> {
        match self.pieces.as_slice() {
            [Piece::Text(first), rest @ ..] if !first.is_empty() && !rest.is_empty() => {
                Some((first, matches!(rest, [Piece::Text(last)] if last.is_empty())))
            }
            _ => None,
        }
    }

    fn matches_folded(&self, text: &str, interrupt: &Interrupt) -> Result<bool> {
        let Some((first, rest)) = self.pieces.split_first() else { return Ok(false) };
        let Some(mut text) = first.strip_from_start(text) else { return Ok(false) };
        let Some((last, middle)) = rest.split_last() else { return Ok(text.is_empty()) };
        // The leftmost place of each middle piece leaves most room for the following ones.
        for piece in middle {
            match piece.strip_through_first(text, interrupt)? {
                Some(rest) => text = rest,
                None => return Ok(false),
            }
        }
        Ok(last.ends(text))
    }
}

/// Returns the character that a backslash in a pattern stands for together with what follows it;
/// `None` at the pattern's end, as of ArangoDB.
pub fn after_backslash(rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    rest.peek()?;
    Some(rest.next_if(|next| matches!(next, '%' | '_' | '\\')).unwrap_or('\\'))
}

/// Returns the text in lower case.
///
/// One character may become several (İ), so the text is folded as a whole, as the pattern was.
fn folded(text: &str, interrupt: &Interrupt) -> Result<String> {
    let mut folded = String::with_capacity(text.len());
    for (number, character) in text.chars().enumerate() {
        if number % CHARACTERS_PER_CHECK == CHARACTERS_PER_CHECK - 1 {
            interrupt.check()?;
        }
        folded.extend(character.to_lowercase());
    }
    Ok(folded)
}

fn push_literal(piece: &mut Vec<Option<char>>, character: char, case_insensitive: bool) {
    if case_insensitive {
        piece.extend(character.to_lowercase().map(Some));
    } else {
        piece.push(Some(character));
    }
}

impl Piece {
    fn new(characters: Vec<Option<char>>, case_insensitive: bool) -> Self {
        if case_insensitive {
            return Self::Characters(characters);
        }
        match characters.iter().copied().collect::<Option<String>>() {
            Some(text) => Self::Text(text),
            None => Self::Characters(characters),
        }
    }

    /// Prepares the search for a long piece in texts.
    fn prepare(&mut self, interrupt: &Interrupt) -> Result<()> {
        if let Self::Characters(piece) = self
            && piece.len() > SHORT_PART
            && let Some(search) = LikeSearch::new(piece, interrupt)?
        {
            *self = Self::Long(std::mem::take(piece), search);
        }
        Ok(())
    }

    /// Returns the rest of the text after the piece, if the text starts with it.
    fn strip_from_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Text(piece) => text.strip_prefix(piece.as_str()),
            Self::Characters(piece) | Self::Long(piece, _) => {
                let mut characters = text.chars();
                for expected in piece {
                    let found = characters.next()?;
                    if expected.is_some_and(|expected| expected != found) {
                        return None;
                    }
                }
                Some(characters.as_str())
            }
        }
    }

    /// Returns the rest of the text after the leftmost occurrence of the piece.
    fn strip_through_first<'t>(&self, text: &'t str, interrupt: &Interrupt) -> Result<Option<&'t str>> {
        match self {
            Self::Text(piece) => Ok(text.split_once(piece.as_str()).map(|(_, rest)| rest)),
            Self::Long(_, search) => {
                let found = search.find(text, |place| self.strip_from_start(place).is_some(), interrupt)?;
                Ok(found.and_then(|start| self.strip_from_start(text.get(start..)?)))
            }
            Self::Characters(piece) => {
                let mut start = text;
                let mut steps = 0;
                loop {
                    steps += piece.len() + 1;
                    if steps >= STEPS_PER_CHECK {
                        steps = 0;
                        interrupt.check()?;
                    }
                    if let Some(rest) = self.strip_from_start(start) {
                        return Ok(Some(rest));
                    }
                    let mut characters = start.chars();
                    if characters.next().is_none() {
                        return Ok(None);
                    }
                    start = characters.as_str();
                }
            }
        }
    }

    /// Returns true if the text ends with the piece.
    fn ends(&self, text: &str) -> bool {
        match self {
            Self::Text(piece) => text.ends_with(piece.as_str()),
            Self::Characters(piece) | Self::Long(piece, _) => {
                let mut characters = text.chars();
                piece.iter().rev().all(|expected| match (characters.next_back(), expected) {
                    (Some(found), Some(expected)) => found == *expected,
                    (Some(_), None) => true,
                    (None, _) => false,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(pattern: &str, case_insensitive: bool) -> LikePattern {
        LikePattern::new(pattern, case_insensitive, &Interrupt::new()).unwrap()
    }

    fn matches(text: &str, like: &str, case_insensitive: bool) -> bool {
        pattern(like, case_insensitive).matches(text, &Interrupt::new()).unwrap()
    }

    #[test]
    fn long_parts_are_found_in_long_texts() {
        let part = "a_".repeat(3_000);
        let text = format!("{}{}", "ab".repeat(100_000), "xé".repeat(1_000));
        assert!(matches(&text, &format!("%{part}x%"), false));
        assert!(!matches(&text, &format!("%{part}ax%"), false));
        assert!(matches(&text, &format!("%{part}%{part}%X_x%"), true));
        // The product of both lengths would take minutes.
        let (text, part) = ("a".repeat(2_000_000), "a_".repeat(200_000));
        let start = std::time::Instant::now();
        assert!(!matches(&text, &format!("%{part}b%"), false));
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn long_parts_match_as_short_ones_do(text in "[ab]{0,400}", part in "[ab_]{65,80}", tail in "[ab_]{0,2}") {
            let like = pattern(&format!("%{part}%{tail}"), false);
            let pieces = like.pieces.iter().cloned().map(|piece| match piece {
                Piece::Long(characters, _) => Piece::Characters(characters),
                other => other,
            });
            let short = LikePattern { pieces: pieces.collect(), case_insensitive: false };
            let interrupt = Interrupt::new();
            prop_assert_eq!(like.matches(&text, &interrupt), short.matches(&text, &interrupt));
            // A text that contains the part.
            let text = format!("{text}{}{tail}", part.replace('_', "b"));
            prop_assert!(like.matches(&text.replace('_', "a"), &interrupt).unwrap());
        }
    }

    fn like(text: &str, pattern: &str) -> bool {
        matches(text, pattern, false)
    }

    #[test]
    fn long_patterns_and_texts_end_with_the_query() {
        let (long, killed) = ("aB".repeat(CHARACTERS_PER_CHECK), Interrupt::new());
        killed.kill();
        assert_eq!(LikePattern::new(&long, false, &killed).unwrap_err().number(), 1500);
        assert_eq!(pattern("a%", true).matches(&long, &killed).unwrap_err().number(), 1500);
        assert!(matches(&long, &long, true));
    }

    #[test]
    fn wildcards() {
        for (text, pattern, expected) in [
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("abc", "abc", true),
            ("abc", "ab", false),
            ("abc", "a%", true),
            ("abc", "%c", true),
            ("abc", "%b%", true),
            ("abc", "a_c", true),
            ("abc", "___", true),
            ("abc", "____", false),
            ("a\nc", "a%c", true),
            ("abcabc", "%bc", true),
            ("aab", "a%ab", true),
            ("ab", "ab%b", false),
            ("äöü", "_ö_", true),
            ("x%y", "x\\%y", true),
            ("xzy", "x\\%y", false),
            ("x_y", "x\\_y", true),
            ("x\\y", "x\\\\y", true),
            ("x\\y", "x\\y", true),
            ("x\\", "x\\", false),
            ("x", "x\\", true),
            ("x\\", "x\\\\", true),
            ("", "\\", true),
            ("abXcdYef", "ab%cd_ef", true),
        ] {
            assert_eq!(like(text, pattern), expected, "{text:?} LIKE {pattern:?}");
        }
    }

    #[test]
    fn ignores_case_when_asked() {
        assert!(matches("föO", "FÖ%", true));
        assert!(matches("xi̇y", "%İ%", true));
        assert!(!matches("föO", "FÖ%", false));
    }

    #[test]
    fn knows_its_prefix() {
        assert_eq!(pattern("ab%", false).prefix(), Some(("ab", true)));
        assert_eq!(pattern("ab%c", false).prefix(), Some(("ab", false)));
        assert_eq!(pattern("ab", false).prefix(), None);
        assert_eq!(pattern("%ab", false).prefix(), None);
        assert_eq!(pattern("ab%", true).prefix(), None);
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
        fn agrees_with_the_definition(text in "[abä]{0,8}", pattern in "[abä%_]{0,6}") {
            let expected = naive(
                &text.chars().collect::<Vec<_>>(),
                &pattern.chars().collect::<Vec<_>>(),
            );
            prop_assert_eq!(like(&text, &pattern), expected);
            prop_assert_eq!(matches(&text, &pattern, true), expected);
        }
    }
}
