//! The source of random choices: a seed, or the bytes of a fuzzer.

/// A source of choices.
///
/// Used-up bytes continue as zeros, and the first alternative is always the smallest, so that every
/// generated query is finite.
pub(crate) enum Choices<'a> {
    Seed(u64),
    #[allow(dead_code, reason = "for the fuzz target, which shares this file")]
    Bytes(&'a [u8]),
}

impl Choices<'_> {
    pub(crate) fn from_seed(seed: u64) -> Self {
        Choices::Seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        match self {
            Choices::Seed(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
            }
            Choices::Bytes(bytes) => {
                let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
                *bytes = rest;
                usize::from(*first) % bound
            }
        }
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) >= 100 - chance
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}
