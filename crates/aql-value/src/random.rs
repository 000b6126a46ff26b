//! Random numbers for `RAND()` and the like: fast, seedable, not for secrets.

use std::hash::{BuildHasher, Hasher, RandomState};

/// The xoshiro256** generator of Blackman and Vigna (public domain algorithm), seeded by splitmix64.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The same seed gives the same numbers.
    pub fn from_seed(seed: u64) -> Self {
        let mut seed = seed;
        let mut next = || {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = seed;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Self { state: [next(), next(), next(), next()] }
    }

    /// Seeded from the operating system's randomness (through the keys of the standard library's hasher).
    pub fn from_entropy() -> Self {
        Self::from_seed(RandomState::new().build_hasher().finish())
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Uniform in `0.0..1.0`.
    pub fn next_f64(&mut self) -> f64 {
        // 53 bits, the precision of a double.
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `0..bound`; 0 if the bound is 0. The bias of the multiplication is below 2^-64 · bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_sequence_of_xoshiro256starstar() {
        let mut random = Random { state: [1, 2, 3, 4] };
        // First outputs of the authors' C code from state 1, 2, 3, 4.
        assert_eq!(
            [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240],
            std::array::from_fn(|_| random.next_u64())
        );
    }

    #[test]
    fn stays_in_its_bounds() {
        let mut random = Random::from_seed(7);
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&random.next_f64()));
            assert!(random.below(3) < 3);
        }
        assert_eq!(random.below(0), 0);
    }
}
