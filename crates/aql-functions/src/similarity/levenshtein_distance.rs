//! Edit distances between two texts, by code points.

use std::collections::HashMap;

use aql_value::{Interrupt, MemoryAccount};
use errors::{Error, ErrorCode, Result};

use crate::memory::Scratch;

/// The maximum number of cells in the table of the Damerau-Levenshtein distance (256 MiB).
///
/// Texts that differ in more than about 8,000 characters on both sides end the query with error 32.
const MAX_CELLS: usize = 1 << 26;

/// The cells of the table that are filled between two checks of the interrupt.
const CELLS_PER_CHECK: usize = 1 << 16;

/// Returns the Damerau-Levenshtein distance (Lowrance and Wagner 1975).
///
/// It is the minimum number of insertions, deletions, replacements and transpositions of neighbours
/// that turn one text into the other. Edits between transposed characters are allowed.
pub(crate) fn damerau_levenshtein(
    left: &str,
    right: &str,
    interrupt: &Interrupt,
    memory: &MemoryAccount,
) -> Result<usize> {
    let mut scratch = Scratch::new(memory);
    scratch.grow((left.len() + right.len()) * size_of::<char>())?;
    let (left, right) = differing_parts(left, right);
    if left.is_empty() || right.is_empty() {
        return Ok(left.len().max(right.len()));
    }
    let (rows, columns) = (left.len() + 2, right.len() + 2);
    let cells = rows.checked_mul(columns).filter(|cells| *cells <= MAX_CELLS).ok_or_else(|| {
        Error::new(ErrorCode::ResourceLimit, "texts are too long for their edit distance to be calculated")
    })?;
    scratch.grow(cells * size_of::<u32>())?;
    let mut table = Table { cells: vec![0; cells], columns };
    let largest = (left.len() + right.len()) as u32;
    table.set(0, 0, largest);
    for row in 0..=left.len() {
        table.set(row + 1, 0, largest);
        table.set(row + 1, 1, row as u32);
    }
    for column in 0..=right.len() {
        table.set(0, column + 1, largest);
        table.set(1, column + 1, column as u32);
    }
    // The last row in which each character of `left` was seen.
    let mut last_row_of: HashMap<char, usize> = HashMap::new();
    let rows_per_check = CELLS_PER_CHECK / columns + 1;
    for (row, left_character) in (1..).zip(&left) {
        if row % rows_per_check == 0 {
            interrupt.check()?;
        }
        let mut last_match_column = 0;
        for (column, right_character) in (1..).zip(&right) {
            let match_row = last_row_of.get(right_character).copied().unwrap_or(0);
            let match_column = last_match_column;
            let replaced = if left_character == right_character {
                last_match_column = column;
                0
            } else {
                1
            };
            let between = (row - match_row - 1) + 1 + (column - match_column - 1);
            let distance = (table.get(row, column) + replaced)
                .min(table.get(row + 1, column) + 1)
                .min(table.get(row, column + 1) + 1)
                .min(table.get(match_row, match_column) + between as u32);
            table.set(row + 1, column + 1, distance);
        }
        last_row_of.insert(*left_character, row);
    }
    Ok(table.get(left.len() + 1, right.len() + 1) as usize)
}

/// Returns the Levenshtein distance, without transpositions; `None` if it is more than `most`.
pub(crate) fn levenshtein_within(
    left: &str,
    right: &str,
    most: usize,
    interrupt: &Interrupt,
) -> Result<Option<usize>> {
    let (left, right) = differing_parts(left, right);
    if left.len().abs_diff(right.len()) > most {
        return Ok(None);
    }
    // One row of the table, without its first column, which is the row's number.
    let mut distances: Vec<usize> = (1..=right.len()).collect();
    let rows_per_check = CELLS_PER_CHECK / (right.len() + 1) + 1;
    for (row, left_character) in (1..).zip(&left) {
        if row % rows_per_check == 0 {
            interrupt.check()?;
        }
        let (mut diagonal, mut before) = (row - 1, row);
        for (right_character, cell) in right.iter().zip(&mut distances) {
            let replaced = diagonal + usize::from(left_character != right_character);
            diagonal = *cell;
            before = replaced.min(before + 1).min(*cell + 1);
            *cell = before;
        }
    }
    let distance = distances.last().copied().unwrap_or(left.len());
    Ok(Some(distance).filter(|distance| *distance <= most))
}

/// Returns the texts without their common beginning and end, which never cost an edit.
fn differing_parts(left: &str, right: &str) -> (Vec<char>, Vec<char>) {
    let start = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    let left: Vec<char> = left.chars().skip(start).collect();
    let right: Vec<char> = right.chars().skip(start).collect();
    let end = left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count();
    let cut = |mut characters: Vec<char>| {
        characters.truncate(characters.len() - end);
        characters
    };
    (cut(left), cut(right))
}

/// A table of distances, row by row.
struct Table {
    cells: Vec<u32>,
    columns: usize,
}

impl Table {
    fn get(&self, row: usize, column: usize) -> u32 {
        self.cells.get(row * self.columns + column).copied().unwrap_or(u32::MAX / 2)
    }

    fn set(&mut self, row: usize, column: usize, distance: u32) {
        if let Some(cell) = self.cells.get_mut(row * self.columns + column) {
            *cell = distance;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn damerau(left: &str, right: &str) -> usize {
        damerau_levenshtein(left, right, &Interrupt::new(), &MemoryAccount::unlimited()).unwrap()
    }

    fn plain(left: &str, right: &str) -> usize {
        levenshtein_within(left, right, usize::MAX, &Interrupt::new()).unwrap().unwrap()
    }

    #[test]
    fn known_distances() {
        assert_eq!(damerau("foobar", "bar"), 3);
        assert_eq!(damerau(" ", ""), 1);
        assert_eq!(damerau("der mötör trötet", "der trötet"), 6);
        assert_eq!((damerau("quick", "quikc"), plain("quick", "quikc")), (1, 2));
        assert_eq!((damerau("ca", "abc"), plain("ca", "abc")), (2, 3));
        assert_eq!((damerau("kitten", "sitting"), plain("kitten", "sitting")), (3, 3));
        assert_eq!(levenshtein_within("abcdef", "x", 4, &Interrupt::new()).unwrap(), None);
        assert_eq!(levenshtein_within("abc", "xyz", 2, &Interrupt::new()).unwrap(), None);
    }

    #[test]
    fn texts_that_are_too_different_are_refused_not_calculated() {
        let distance = |length: usize, memory: &MemoryAccount| {
            damerau_levenshtein(&"a".repeat(length), &"b".repeat(length), &Interrupt::new(), memory)
        };
        assert_eq!(distance(20_000, &MemoryAccount::unlimited()).unwrap_err().number(), 32);
        assert_eq!(distance(2000, &MemoryAccount::new(Some(1 << 20), None)).unwrap_err().number(), 32);
        assert_eq!(distance(200, &MemoryAccount::new(Some(1 << 20), None)), Ok(200));
        assert_eq!(damerau(&"a".repeat(20_000), &"a".repeat(20_001)), 1);
    }

    /// Computes the distance by the textbook definition, in exponential time.
    fn model(left: &[char], right: &[char]) -> usize {
        match (left, right) {
            ([], rest) | (rest, []) => rest.len(),
            ([a, left_rest @ ..], [b, right_rest @ ..]) => {
                let replaced = model(left_rest, right_rest) + usize::from(a != b);
                replaced.min(model(left_rest, right) + 1).min(model(left, right_rest) + 1)
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(left in "[abc]{0,6}", right in "[abc]{0,6}") {
            let characters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(plain(&left, &right), model(&characters(&left), &characters(&right)));
            prop_assert!(damerau(&left, &right) <= plain(&left, &right));
        }

        #[test]
        fn is_a_metric(a in "[abc]{0,8}", b in "[abc]{0,8}", c in "[abc]{0,8}") {
            prop_assert_eq!(damerau(&a, &b), damerau(&b, &a));
            prop_assert_eq!(damerau(&a, &b) == 0, a == b);
            prop_assert!(damerau(&a, &c) <= damerau(&a, &b) + damerau(&b, &c));
        }
    }
}
