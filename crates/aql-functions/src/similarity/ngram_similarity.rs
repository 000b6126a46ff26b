//! Similarity of texts by their n-grams of code points (Kondrak, "N-Gram Similarity and Distance",
//! SPIRE 2005).

use aql_value::{Interrupt, Value};
use errors::{Error, ErrorCode, Result};

/// The maximum number of n-gram comparisons of one call, which take some seconds.
///
/// Longer texts end the query with error 32.
const MAX_COMPARISONS: usize = 1 << 31;

/// The comparisons between two checks of the interrupt.
const COMPARISONS_PER_CHECK: usize = 1 << 16;

/// Returns the length of the longest common subsequence of n-grams, divided by the number of
/// n-grams of `target`.
///
/// N-grams must match as a whole. A text shorter than `size` has no n-grams; it is similar to
/// nothing but itself.
pub(crate) fn similarity(input: &str, target: &str, size: usize, interrupt: &Interrupt) -> Result<f32> {
    let (input, target) = (characters(input), characters(target));
    if input.len() < size || target.len() < size {
        return Ok(if input == target { 1.0 } else { 0.0 });
    }
    let matching = |left: &[char], right: &[char]| if left == right { 1.0 } else { 0.0 };
    let common = best_sequence(&input, &target, size, matching, interrupt)?;
    Ok(common / (target.len() - size + 1) as f32)
}

/// Returns the same for n-grams that may match in part, divided by the larger number of n-grams.
///
/// A pair of n-grams counts by its share of equal characters. Texts shorter than `size` are
/// compared character by character.
pub(crate) fn positional_similarity(
    left: &str,
    right: &str,
    size: usize,
    interrupt: &Interrupt,
) -> Result<f32> {
    let (left, right) = (characters(left), characters(right));
    let longer = left.len().max(right.len());
    if left.len() < size || right.len() < size {
        return Ok(if longer == 0 { 1.0 } else { agreeing(&left, &right) / longer as f32 });
    }
    let matching = |left: &[char], right: &[char]| agreeing(left, right) / size as f32;
    let common = best_sequence(&left, &right, size, matching, interrupt)?;
    Ok(common / (longer - size + 1) as f32)
}

/// Returns the length of the longest common subsequence of tokens, divided by the number of tokens
/// of `target`; 0 without any.
pub(crate) fn common_share(tokens: &[Value], target: &[Value], interrupt: &Interrupt) -> Result<f32> {
    if tokens.is_empty() || target.is_empty() {
        return Ok(0.0);
    }
    let matching = |left: &[Value], right: &[Value]| if left == right { 1.0 } else { 0.0 };
    let common = best_sequence(tokens, target, 1, matching, interrupt)?;
    Ok(common / target.len() as f32)
}

fn characters(text: &str) -> Vec<char> {
    text.chars().collect()
}

fn agreeing(left: &[char], right: &[char]) -> f32 {
    left.iter().zip(right).filter(|(left, right)| left == right).count() as f32
}

/// Returns the largest sum of `matching` over pairs of n-grams in ascending order on both sides.
fn best_sequence<T>(
    left: &[T],
    right: &[T],
    size: usize,
    matching: impl Fn(&[T], &[T]) -> f32,
    interrupt: &Interrupt,
) -> Result<f32> {
    let columns = right.len() - size + 1;
    let comparisons = left.len().saturating_mul(columns).saturating_mul(size);
    if comparisons > MAX_COMPARISONS {
        return Err(Error::new(
            ErrorCode::ResourceLimit,
            "texts are too long for their n-grams to be compared",
        ));
    }
    let rows_per_check = COMPARISONS_PER_CHECK / (columns * size) + 1;
    let mut previous = vec![0.0_f32; columns];
    let mut current = previous.clone();
    for (row, left_ngram) in left.windows(size).enumerate() {
        if row % rows_per_check == 0 {
            interrupt.check()?;
        }
        let (mut above_before, mut before) = (0.0_f32, 0.0_f32);
        for ((right_ngram, above), cell) in right.windows(size).zip(&previous).zip(&mut current) {
            let best = above.max(before).max(above_before + matching(left_ngram, right_ngram));
            above_before = *above;
            before = best;
            *cell = best;
        }
        std::mem::swap(&mut previous, &mut current);
    }
    Ok(previous.last().copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn documented_examples() {
        let interrupt = Interrupt::new();
        let whole = |target, size| f64::from(similarity("quick fox", target, size, &interrupt).unwrap());
        assert_eq!([whole("quick foxx", 2), whole("quick foxx", 3)], [0.8888888955116272, 0.875]);
        assert_eq!([whole("quirky fox", 2), whole("quirky fox", 3)], [0.5555555820465088, 0.375]);
        let part =
            |target, size| f64::from(positional_similarity("quick fox", target, size, &interrupt).unwrap());
        assert_eq!([part("quick foxx", 2), part("quick foxx", 3)], [0.8888888955116272, 0.875]);
        assert_eq!([part("quirky fox", 2), part("quirky fox", 3)], [0.7222222089767456, 0.6666666865348816]);
    }

    #[test]
    fn texts_shorter_than_an_ngram() {
        let interrupt = Interrupt::new();
        assert_eq!(similarity("ab", "ab", 3, &interrupt), Ok(1.0));
        assert_eq!(similarity("ab", "abc", 3, &interrupt), Ok(0.0));
        assert_eq!(positional_similarity("ab", "axc", 3, &interrupt), Ok(1.0 / 3.0));
        assert_eq!(positional_similarity("", "", 3, &interrupt), Ok(1.0));
    }

    proptest! {
        #[test]
        fn stays_between_0_and_1(left in "[ab]{0,9}", right in "[ab]{0,9}", size in 1usize..5) {
            let interrupt = Interrupt::new();
            let whole = similarity(&left, &right, size, &interrupt).unwrap();
            let part = positional_similarity(&left, &right, size, &interrupt).unwrap();
            prop_assert!((0.0..=1.0).contains(&whole) && (0.0..=1.0).contains(&part));
            prop_assert_eq!(positional_similarity(&right, &left, size, &interrupt).unwrap(), part);
            prop_assert_eq!(similarity(&left, &left, size, &interrupt).unwrap(), 1.0);
        }
    }
}
