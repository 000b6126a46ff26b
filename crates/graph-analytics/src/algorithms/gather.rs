//! Sums over the edges of a vertex.

/// The partial sums of a row. Several do not wait for each other, and their number does not depend
/// on the machine, so that the result does not either.
const LANES: usize = 4;

/// Returns the sum of the scores at the other ends of edges.
pub(super) fn sum(scores: &[f64], targets: &[u32]) -> f64 {
    let (rows, rest) = targets.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for row in rows {
        for (sum, to) in sums.iter_mut().zip(row) {
            *sum += scores[*to as usize];
        }
    }
    let rest: f64 = rest.iter().map(|to| scores[*to as usize]).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Returns the sum of the scores at the other ends of edges, times the edges' weights over
/// `divisor`.
pub(super) fn weighted_sum(scores: &[f64], targets: &[u32], weights: &[f64], divisor: f64) -> f64 {
    targets.iter().zip(weights).map(|(to, weight)| scores[*to as usize] * (weight / divisor)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_counts() {
        let scores = [1.0, 10.0, 100.0];
        for length in 0..11 {
            let targets: Vec<u32> = (0..length).map(|i| i % 3).collect();
            let expected: f64 = targets.iter().map(|to| scores[*to as usize]).sum();
            assert_eq!(sum(&scores, &targets), expected);
        }
        assert_eq!(weighted_sum(&scores, &[0, 2], &[4.0, 6.0], 2.0), 302.0);
    }
}
