//! The search for a part of a LIKE pattern with `_` in a text, in time `n log m`.
//!
//! To compare the part with each place of the text takes the product of both lengths. So long parts
//! are searched by a convolution: each character of the part has a random weight, and `_` has none.
//! The weighted sum of the text's characters is that of the part's at each place where it matches,
//! and elsewhere with a chance of one in a billion. Such a place is then compared as usual.

use std::hash::BuildHasher;

use errors::Result;
use owner::Interrupt;

/// A prime whose multiplicative group has a subgroup of each order 2^k up to 2^23.
const MODULUS: u64 = 998_244_353;

/// A generator of the group.
const GENERATOR: u64 = 3;

/// The largest order of such a subgroup.
const ORDER_MAX: usize = 1 << 23;

/// The butterflies of a transform between two checks of the interrupt.
const STEPS_PER_CHECK: usize = 1 << 18;

/// A part of a pattern that is prepared for the search.
#[derive(Debug, Clone)]
pub(super) struct LikeSearch {
    /// The transform of the reversed weights.
    weights: Vec<u32>,
    /// The weighted sum of the part.
    sum: u64,
    /// The number of characters of the part.
    length: usize,
}

impl LikeSearch {
    /// Prepares a part; `None` if it is too long. Errors: 1500 if the query is ended during this.
    pub(super) fn new(part: &[Option<char>], interrupt: &Interrupt) -> Result<Option<Self>> {
        let size = part.len().saturating_mul(2).next_power_of_two();
        if size > ORDER_MAX {
            return Ok(None);
        }
        let random = std::hash::RandomState::new();
        let mut weights = vec![0_u32; size];
        let mut sum = 0;
        // The place of a character of the part in the reversed weights.
        for ((number, character), place) in
            part.iter().enumerate().zip(weights.iter_mut().take(part.len()).rev())
        {
            let Some(character) = character else { continue };
            let weight = random.hash_one(number) % MODULUS;
            *place = weight as u32;
            sum = (sum + weight * value_of(*character)) % MODULUS;
        }
        transform(&mut weights, false, interrupt)?;
        Ok(Some(LikeSearch { weights, sum, length: part.len() }))
    }

    /// Returns the byte offset of the leftmost place of the text where `matches` is true, which
    /// must be false where the part does not match.
    ///
    /// Errors: 1500 if the query is ended during this.
    pub(super) fn find(
        &self,
        text: &str,
        matches: impl Fn(&str) -> bool,
        interrupt: &Interrupt,
    ) -> Result<Option<usize>> {
        let size = self.weights.len();
        let mut start = 0;
        loop {
            interrupt.check()?;
            let rest = text.get(start..).unwrap_or_default();
            let mut values = vec![0_u32; size];
            let mut count = 0;
            for (value, character) in values.iter_mut().zip(rest.chars()) {
                *value = value_of(character) as u32;
                count += 1;
            }
            if count < self.length {
                return Ok(None);
            }
            transform(&mut values, false, interrupt)?;
            for (value, weight) in values.iter_mut().zip(&self.weights) {
                *value = (u64::from(*value) * u64::from(*weight) % MODULUS) as u32;
            }
            transform(&mut values, true, interrupt)?;
            // The sum of a place is where the last character of the part would be.
            let sums = values.iter().skip(self.length - 1).take(count + 1 - self.length);
            let mut next = start + rest.len();
            for ((offset, _), sum) in rest.char_indices().zip(sums) {
                let place = rest.get(offset..).unwrap_or_default();
                if u64::from(*sum) == self.sum && matches(place) {
                    return Ok(Some(start + offset));
                }
                next = start + offset + place.chars().next().map_or(0, char::len_utf8);
            }
            if count < size {
                return Ok(None);
            }
            start = next;
        }
    }
}

/// Returns the number of a character in the sums. It is not 0, which stands for the text's end.
fn value_of(character: char) -> u64 {
    u64::from(u32::from(character)) + 1
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % MODULUS;
        }
        base = base * base % MODULUS;
        exponent >>= 1;
    }
    result
}

/// Transforms values by the number-theoretic transform of Cooley and Tukey, or back. The number of
/// values is a power of two. Errors: 1500 if the query is ended during this.
fn transform(values: &mut [u32], is_inverse: bool, interrupt: &Interrupt) -> Result<()> {
    let size = values.len();
    let bits = size.trailing_zeros();
    for index in 0..size {
        let other = index.reverse_bits() >> (usize::BITS - bits.max(1));
        if index < other && bits > 0 {
            values.swap(index, other);
        }
    }
    let (mut length, mut steps) = (2, 0);
    while length <= size {
        let order = (MODULUS - 1) / length as u64;
        let root = power(GENERATOR, if is_inverse { MODULUS - 1 - order } else { order });
        let roots: Vec<u32> = std::iter::successors(Some(1_u64), |last| Some(last * root % MODULUS))
            .map(|root| root as u32)
            .take(length / 2)
            .collect();
        for block in values.chunks_exact_mut(length) {
            let (low, high) = block.split_at_mut(length / 2);
            for ((low, high), root) in low.iter_mut().zip(high).zip(&roots) {
                let (first, second) = (u64::from(*low), u64::from(*high) * u64::from(*root) % MODULUS);
                *low = ((first + second) % MODULUS) as u32;
                *high = ((first + MODULUS - second) % MODULUS) as u32;
            }
            steps += length;
            if steps >= STEPS_PER_CHECK {
                steps = 0;
                interrupt.check()?;
            }
        }
        length *= 2;
    }
    if is_inverse {
        let factor = power(size as u64, MODULUS - 2);
        for value in values {
            *value = (u64::from(*value) * factor % MODULUS) as u32;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_gives_the_values_back() {
        for size in [1_usize, 2, 8, 1 << 10] {
            let before: Vec<u32> = (0..size as u32).map(|value| value * 7 + 1).collect();
            let mut values = before.clone();
            transform(&mut values, false, &Interrupt::new()).unwrap();
            transform(&mut values, true, &Interrupt::new()).unwrap();
            assert_eq!(values, before);
        }
    }
}
