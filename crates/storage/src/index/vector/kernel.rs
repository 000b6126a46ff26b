//! Loops over the elements of vectors. The compiler turns them into vector instructions.
//!
//! The order of the additions in [`dot`] is fixed and no operation is fused, so that every
//! processor computes the same bits. [`super::centroids`] relies on that: the list of a stored
//! vector is computed again when its document is removed.

/// Sums that a loop keeps apart, so that additions do not wait for each other.
const LANES: usize = 32;

/// An element of a vector in memory, in the bytes of an entry (little-endian), or of a code.
pub(super) trait Element: Copy {
    fn float(self) -> f32;
}

impl Element for f32 {
    #[inline(always)]
    fn float(self) -> f32 {
        self
    }
}

impl Element for [u8; 4] {
    #[inline(always)]
    fn float(self) -> f32 {
        f32::from_le_bytes(self)
    }
}

impl Element for u8 {
    #[inline(always)]
    fn float(self) -> f32 {
        f32::from(self)
    }
}

/// Returns the inner product of two vectors of the same dimension.
pub(super) fn dot<E: Element>(query: &[f32], vector: &[E]) -> f32 {
    sum(query, vector, |own, other| own * other)
}

/// Returns the square of the Euclidean distance of two vectors of the same dimension.
pub(super) fn squared_distance<E: Element>(query: &[f32], vector: &[E]) -> f32 {
    sum(query, vector, |own, other| (own - other) * (own - other))
}

#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over the arrays hide their length from the compiler"
)]
fn sum<E: Element>(query: &[f32], vector: &[E], term: impl Fn(f32, f32) -> f32) -> f32 {
    let (own, own_rest) = query.as_chunks::<LANES>();
    let (other, other_rest) = vector.as_chunks::<LANES>();
    let mut lanes = [0_f32; LANES];
    for (own, other) in own.iter().zip(other) {
        for lane in 0..LANES {
            lanes[lane] += term(own[lane], other[lane].float());
        }
    }
    let rest = own_rest.iter().zip(other_rest).map(|(own, other)| term(*own, other.float()));
    total(&lanes) + rest.fold(0.0, |sum, term| sum + term)
}

/// Number of centroids that [`products`] multiplies together.
pub(super) const WIDTH: usize = 32;

/// Returns the inner products of a vector with [`WIDTH`] others, whose elements at each position
/// lie side by side in `block`. This is several times as fast as [`dot`] and adds in another order.
pub(super) fn products(vector: &[f32], block: &[[f32; WIDTH]]) -> [f32; WIDTH] {
    let mut sums = [0_f32; WIDTH];
    for (float, elements) in vector.iter().zip(block) {
        for (sum, element) in sums.iter_mut().zip(elements) {
            *sum += float * element;
        }
    }
    sums
}

/// Returns the length of a vector. No square is too small or too great for the sum.
pub(super) fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|float| f64::from(*float).powi(2)).sum::<f64>().sqrt() as f32
}

/// Returns the greatest difference of an inner product as [`products`] or [`dot`] computes it from
/// the true one, for vectors whose lengths have the product `lengths`.
///
/// The error of each multiplication and addition is at most half an epsilon of its result, or less
/// than the smallest normal number. So the bound for `n` elements is `n` halves (Higham, Accuracy
/// and Stability of Numerical Algorithms, 3.1); twice that covers the errors of second order.
pub(super) fn product_error(dimension: usize, lengths: f32) -> f32 {
    (dimension + 8) as f32 * (f32::EPSILON * lengths + f32::MIN_POSITIVE)
}

/// Adds the lanes, halves first.
fn total<const N: usize>(lanes: &[f32; N]) -> f32 {
    let mut lanes = *lanes;
    let mut length = N;
    while length > 1 {
        length /= 2;
        let (low, high) = lanes.split_at_mut(length);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
    }
    lanes.first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(dimension: usize, seed: u32) -> Vec<f32> {
        (0..dimension as u32).map(|i| ((i * 37 + seed * 101) % 23) as f32 - 11.0).collect()
    }

    #[test]
    fn sums_are_right_for_every_dimension() {
        for dimension in [1, 2, 15, 16, 17, 31, 32, 33, 100, 128, 768] {
            let (left, right) = (vector(dimension, 1), vector(dimension, 2));
            let pairs = || left.iter().zip(&right);
            let products: f32 = pairs().map(|(left, right)| left * right).sum();
            let squares: f32 = pairs().map(|(left, right)| (left - right).powi(2)).sum();
            let bytes: Vec<[u8; 4]> = right.iter().map(|float| float.to_le_bytes()).collect();
            assert_eq!((dot(&left, &right), dot(&left, &bytes)), (products, products));
            assert_eq!(squared_distance(&left, &right), squares);
            assert_eq!(squared_distance(&left, &bytes), squares);
            let block: Vec<[f32; WIDTH]> = right.iter().map(|float| [*float; WIDTH]).collect();
            assert_eq!(super::products(&left, &block), [products; WIDTH]);
        }
    }
}
