//! Random numbers and secrets of maskings.

use crate::Failure;

/// A generator for masked values: seeded by the system, then SplitMix64 (Steele, Lea and Flood, 2014), since a dump
/// needs many.
#[derive(Debug)]
pub(super) struct Random {
    state: u64,
}

/// Bytes that nobody can guess.
pub(super) fn secret() -> Result<[u8; 16], String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random bytes: {error}"))?;
    Ok(bytes)
}

impl Random {
    pub(super) fn new() -> Result<Self, Failure> {
        let state = getrandom::u64();
        let state =
            state.map_err(|error| Failure::new(format!("the system gives no random bytes: {error}")))?;
        Ok(Random { state })
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `lower` to `upper`, both included.
    pub(super) fn between(&mut self, lower: i64, upper: i64) -> i64 {
        let span = upper.abs_diff(lower).wrapping_add(1);
        let offset = if span == 0 { self.next() } else { self.next() % span };
        lower.wrapping_add_unsigned(offset)
    }

    /// From 0 up to, but not, 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn digit(&mut self) -> u8 {
        b'0' + (self.next() % 10) as u8
    }

    /// A letter of the Latin alphabet in the case of `like`.
    pub(super) fn letter(&mut self, like: char) -> char {
        let first = if like.is_uppercase() { b'A' } else { b'a' };
        char::from(first + (self.next() % 26) as u8)
    }
}
