//! XXH64, after the specification of the xxHash fast digest algorithm.

const PRIME_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME_5: u64 = 0x27d4_eb2f_1656_67c5;

/// Bytes that the four accumulators take in one round.
const STRIPE_BYTES: usize = 32;

/// The hash of some bytes.
pub(crate) fn xxhash64(bytes: &[u8], seed: u64) -> u64 {
    let mut stripes = bytes.chunks_exact(STRIPE_BYTES);
    let mut hash = if bytes.len() >= STRIPE_BYTES {
        let mut accumulators = [
            seed.wrapping_add(PRIME_1).wrapping_add(PRIME_2),
            seed.wrapping_add(PRIME_2),
            seed,
            seed.wrapping_sub(PRIME_1),
        ];
        for stripe in &mut stripes {
            for (accumulator, lane) in accumulators.iter_mut().zip(stripe.chunks_exact(8)) {
                *accumulator = round(*accumulator, little_endian(lane));
            }
        }
        converge(accumulators)
    } else {
        seed.wrapping_add(PRIME_5)
    };
    hash = hash.wrapping_add(bytes.len() as u64);
    avalanche(consume_rest(hash, stripes.remainder()))
}

fn round(accumulator: u64, lane: u64) -> u64 {
    accumulator.wrapping_add(lane.wrapping_mul(PRIME_2)).rotate_left(31).wrapping_mul(PRIME_1)
}

fn converge(accumulators: [u64; 4]) -> u64 {
    let rotated = accumulators.iter().zip([1, 7, 12, 18]).map(|(value, bits)| value.rotate_left(bits));
    let sum = rotated.fold(0, u64::wrapping_add);
    accumulators.iter().fold(sum, |hash, accumulator| {
        (hash ^ round(0, *accumulator)).wrapping_mul(PRIME_1).wrapping_add(PRIME_4)
    })
}

/// Takes in what is left after the stripes: eight bytes at a time, then four, then one.
fn consume_rest(mut hash: u64, rest: &[u8]) -> u64 {
    let mut eights = rest.chunks_exact(8);
    for lane in &mut eights {
        hash ^= round(0, little_endian(lane));
        hash = hash.rotate_left(27).wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
    }
    let mut fours = eights.remainder().chunks_exact(4);
    for lane in &mut fours {
        hash ^= little_endian(lane).wrapping_mul(PRIME_1);
        hash = hash.rotate_left(23).wrapping_mul(PRIME_2).wrapping_add(PRIME_3);
    }
    fours.remainder().iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte).wrapping_mul(PRIME_5)).rotate_left(11).wrapping_mul(PRIME_1)
    })
}

fn avalanche(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(PRIME_2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(PRIME_3);
    hash ^ (hash >> 32)
}

/// The number that at most eight bytes are.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::xxhash64;

    #[test]
    fn agrees_with_the_reference_implementation() {
        for (bytes, seed, expected) in [
            (Vec::new(), 0x0, 0xef46db3751d8e999),
            (Vec::new(), 0xdeadbeef, 0x1a49b996b6a42aa2),
            (b"a".to_vec(), 0x0, 0xd24ec4f1a98c6e5b),
            (b"abc".to_vec(), 0x0, 0x44bc2cf5ad770999),
            (b"Nobody inspects the spammish repetition".to_vec(), 0x0, 0xfbcea83c8a378bf1),
            ((0..101).collect(), 0xdeadbeef, 0x3c69c2088ce7f236),
        ] {
            assert_eq!(xxhash64(&bytes, seed), expected, "{bytes:?}");
        }
    }
}
