//! Tokens that are similar to another one.

use super::automaton::CharacterAutomaton;

/// The automaton of the tokens within a distance of a target.
///
/// Its state is a row of the table that computes the distance, so it costs the same for any
/// distance, and needs no tables of its own.
pub(crate) struct Levenshtein {
    target: Vec<char>,
    distance: u8,
    transpositions: bool,
}

/// The distances of the characters so far to each beginning of the target.
#[derive(Clone)]
pub(crate) struct Row {
    now: Vec<u8>,
    /// The row before the last character, and that character.
    before: Option<(Vec<u8>, char)>,
}

impl Levenshtein {
    /// Returns the automaton of the tokens with at most this many changes.
    pub(crate) fn new(target: &str, distance: u8, transpositions: bool) -> Self {
        Levenshtein { target: target.chars().collect(), distance, transpositions }
    }

    /// Returns the distance of a token; `None` if it is too great.
    pub(crate) fn distance(&self, token: &str) -> Option<u8> {
        let row = token.chars().fold(self.start(), |row, character| self.step(&row, character));
        row.now.last().copied().filter(|distance| *distance <= self.distance)
    }

    /// Returns the least number of characters of a token that is similar enough.
    pub(crate) fn least_characters(&self) -> usize {
        self.target.len().saturating_sub(usize::from(self.distance))
    }

    fn transposed(&self, row: &Row, column: usize, character: char) -> Option<u8> {
        let (before, last) = row.before.as_ref().filter(|_| self.transpositions)?;
        let start = column.checked_sub(2)?;
        let pair = self.target.get(start..column)?;
        (pair == [character, *last]).then(|| before.get(start).copied())?
    }
}

impl CharacterAutomaton for Levenshtein {
    type State = Row;

    fn start(&self) -> Row {
        let now = (0..=self.target.len()).map(|length| u8::try_from(length).unwrap_or(u8::MAX)).collect();
        Row { now, before: None }
    }

    fn step(&self, row: &Row, character: char) -> Row {
        let mut now: Vec<u8> = Vec::with_capacity(row.now.len());
        let mut diagonal = 0;
        for (column, &above) in row.now.iter().enumerate() {
            let mut best = above.saturating_add(1);
            if let (Some(&left), Some(expected)) = (now.last(), self.target.get(column.wrapping_sub(1))) {
                let replaced = u8::saturating_add(diagonal, u8::from(*expected != character));
                best = best.min(left.saturating_add(1)).min(replaced);
            }
            if let Some(distance) = self.transposed(row, column, character) {
                best = best.min(distance.saturating_add(1));
            }
            now.push(best);
            diagonal = above;
        }
        let before = self.transpositions.then(|| (row.now.clone(), character));
        Row { now, before }
    }

    fn is_match(&self, row: &Row) -> bool {
        row.now.last().is_some_and(|distance| *distance <= self.distance)
    }

    fn can_match(&self, row: &Row) -> bool {
        row.now.iter().any(|distance| *distance <= self.distance)
    }

    fn cost(&self, row: &Row) -> usize {
        row.now.len() / 16 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_as_documented() {
        let distance =
            |target, token, transpositions| Levenshtein::new(target, 4, transpositions).distance(token);
        assert_eq!(distance("quikc", "quick", false), Some(2));
        assert_eq!(distance("quikc", "quick", true), Some(1));
        assert_eq!(distance("", "", false), Some(0));
        assert_eq!(distance("", "äöü", false), Some(3));
        assert_eq!(distance("kitten", "sitting", false), Some(3));
        assert_eq!(distance("abcde", "vwxyz", false), None);
    }
}
