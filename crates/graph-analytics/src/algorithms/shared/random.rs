//! Random numbers and orders that depend on a seed and a place only, not on threads.

use fastrand::Rng;

/// The parameter `seed`.
pub(in crate::algorithms) const SEED: crate::parameters::Parameter = crate::parameters::Parameter {
    name: "seed",
    kind: crate::parameters::Kind::Count { default: 0, min: 0, max: u64::MAX },
    about: "The seed of random choices. The same seed gives the same result.",
};

/// The vertices that [`order`] keeps together, so that their rows stay near each other.
const BLOCK: usize = 1_024;

/// Returns the generator of a place, for instance of a vertex or a step.
pub(in crate::algorithms) fn generator(seed: u64, place: u64) -> Rng {
    // The finalizer of SplitMix64 makes near places unlike each other.
    let mut mixed = seed ^ place.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    Rng::with_seed(mixed ^ (mixed >> 31))
}

/// Returns `0..count` in a random order: blocks in a random order, and a random order in each.
pub(in crate::algorithms) fn order(mut random: Rng, count: usize) -> Vec<u32> {
    let mut blocks: Vec<usize> = (0..count.div_ceil(BLOCK)).collect();
    random.shuffle(&mut blocks);
    let mut order = Vec::with_capacity(count);
    for block in blocks {
        let first = order.len();
        order.extend((block * BLOCK) as u32..count.min((block + 1) * BLOCK) as u32);
        random.shuffle(&mut order[first..]);
    }
    order
}

/// Returns `wanted` different numbers of `0..count` in ascending order; all if there are fewer.
pub(in crate::algorithms) fn sample(mut random: Rng, count: usize, wanted: usize) -> Vec<u32> {
    let mut sample = Vec::with_capacity(wanted.min(count));
    for number in 0..count {
        if random.usize(..count - number) < wanted - sample.len() {
            sample.push(number as u32);
            if sample.len() == wanted {
                break;
            }
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_each_number_once() {
        let mut numbers = order(generator(7, 0), 5_000);
        assert!(!numbers.is_sorted());
        numbers.sort_unstable();
        assert_eq!(numbers, (0..5_000).collect::<Vec<u32>>());
    }

    #[test]
    fn a_sample_has_different_numbers_of_all_places() {
        let mut seen = [false; 20];
        for seed in 0..200 {
            let numbers = sample(generator(seed, 0), 20, 3);
            assert_eq!(numbers.len(), 3);
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
            numbers.iter().for_each(|number| seen[*number as usize] = true);
        }
        assert!(seen.iter().all(|seen| *seen));
        assert_eq!(sample(generator(1, 1), 3, 5), [0, 1, 2]);
    }
}
