//! Z-order curve: points of several dimensions as one ordered key, which interleaves the bits of
//! all coordinates, the highest first. Most points that are near each other have keys that are near
//! each other.

const BITS: usize = 64;

/// Converts a number to a coordinate of the same order. No number has coordinate 0, which stands
/// for null.
pub(super) fn coordinate(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    // Zeros of both signs are one number.
    let bits = (number + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// Appends the key of a point: eight bytes for each dimension.
pub(super) fn interleave(point: &[u64], bytes: &mut Vec<u8>) {
    let mut byte = 0u8;
    let mut filled = 0;
    for bit in (0..BITS).rev() {
        for coordinate in point {
            byte = (byte << 1) | (coordinate >> bit & 1) as u8;
            filled += 1;
            if filled == 8 {
                bytes.push(byte);
                (byte, filled) = (0, 0);
            }
        }
    }
}

/// Returns the point of a key; `None` if the key has another length.
pub(super) fn separate(key: &[u8], dimensions: usize) -> Option<Vec<u64>> {
    if key.len() != dimensions * (BITS / 8) {
        return None;
    }
    let mut point = vec![0u64; dimensions];
    let bits = key.iter().flat_map(|byte| (0..8).rev().map(move |bit| u64::from(byte >> bit & 1)));
    for (position, bit) in bits.enumerate() {
        if let Some(coordinate) = point.get_mut(position % dimensions) {
            *coordinate = *coordinate << 1 | bit;
        }
    }
    Some(point)
}

/// A box: all points whose coordinates lie between those of two corners, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ZBox {
    pub(super) low: Vec<u64>,
    pub(super) high: Vec<u64>,
}

impl ZBox {
    pub(super) fn contains(&self, point: &[u64]) -> bool {
        let bounds = self.low.iter().zip(&self.high);
        point.iter().zip(bounds).all(|(coordinate, (low, high))| low <= coordinate && coordinate <= high)
    }

    /// Returns true if the box contains no point.
    pub(super) fn is_empty(&self) -> bool {
        self.low.iter().zip(&self.high).any(|(low, high)| low > high)
    }

    /// Returns the first point of the box, in the order of keys, after a point outside of the box.
    ///
    /// Bit by bit from the highest, this cuts the box in two where its corners differ. If the point
    /// is in the upper half, only that half can contain the result. If it is in the lower half, the
    /// result is there, or else it is the first point of the upper half.
    pub(super) fn next_after(&self, point: &[u64]) -> Option<Vec<u64>> {
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        let mut best = None;
        for bit in (0..BITS).rev() {
            let mask = 1u64 << bit;
            for dimension in 0..point.len() {
                let (own, lowest, highest) =
                    (point.get(dimension)?, low.get_mut(dimension)?, high.get_mut(dimension)?);
                match (own & mask != 0, *lowest & mask != 0, *highest & mask != 0) {
                    (false, false, false) | (true, true, true) => {}
                    (false, false, true) => {
                        let upper_half = first_of_upper_half(*lowest, bit);
                        *highest = last_of_lower_half(*highest, bit);
                        let mut first = low.clone();
                        *first.get_mut(dimension)? = upper_half;
                        best = Some(first);
                    }
                    (true, false, true) => *lowest = first_of_upper_half(*lowest, bit),
                    // The point is before the rest of the box.
                    (false, true, _) => return Some(low),
                    // The point is after the rest of the box.
                    (true, _, false) => return best,
                }
            }
        }
        best
    }
}

/// Returns the coordinate with the bit set and all lower bits cleared.
fn first_of_upper_half(coordinate: u64, bit: usize) -> u64 {
    (coordinate | 1 << bit) & (u64::MAX << bit)
}

/// Returns the coordinate with the bit cleared and all lower bits set.
fn last_of_lower_half(coordinate: u64, bit: usize) -> u64 {
    (coordinate & !(1 << bit)) | ((1 << bit) - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(point: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        interleave(point, &mut bytes);
        bytes
    }

    #[test]
    fn coordinates_order_as_numbers_do() {
        let numbers =
            [f64::NEG_INFINITY, f64::MIN, -1.5, -1e-300, 0.0, 1e-300, 1.0, 2.0, f64::MAX, f64::INFINITY];
        assert!(numbers.windows(2).all(|pair| coordinate(pair[0]) < coordinate(pair[1])));
        assert_eq!(coordinate(0.0), coordinate(-0.0));
        assert!(numbers.iter().all(|number| coordinate(*number) > 0));
    }

    proptest! {
        #[test]
        fn keys_give_their_points_back(point in prop::collection::vec(any::<u64>(), 1..6)) {
            prop_assert_eq!(separate(&key(&point), point.len()), Some(point));
        }

        /// The space is so small that the test can try every point.
        #[test]
        fn the_next_point_is_the_first_after(
            corners in prop::collection::vec((0u64..8, 0u64..8), 1..4), seed in prop::collection::vec(0u64..8, 3),
        ) {
            let dimensions = corners.len();
            let low: Vec<u64> = corners.iter().map(|(a, b)| *a.min(b)).collect();
            let high: Vec<u64> = corners.iter().map(|(a, b)| *a.max(b)).collect();
            let zbox = ZBox { low, high };
            let point: Vec<u64> = seed[..dimensions].to_vec();
            if !zbox.contains(&point) {
                let all = (0..8u64.pow(dimensions as u32)).map(|number| {
                    (0..dimensions).map(|dimension| number / 8u64.pow(dimension as u32) % 8).collect::<Vec<_>>()
                });
                let expected = all.filter(|other| zbox.contains(other) && key(other) > key(&point)).min_by_key(|other| key(other));
                prop_assert_eq!(zbox.next_after(&point), expected);
            }
        }
    }
}
