//! The centroids of a trained index: each list has the vectors that are nearest to its centroid.
//!
//! The elements of [`WIDTH`] centroids lie side by side, so that a processor multiplies them at
//! once.

use catalog::index::Metric;

use super::kernel::{WIDTH, dot, length, product_error, products};

/// The centroids of all lists.
#[derive(Debug, PartialEq)]
pub(crate) struct Centroids {
    dimension: usize,
    /// The centroids in groups of [`WIDTH`]. A group has an array for each dimension, with the
    /// elements of its centroids; those that the last group lacks are zero.
    elements: Vec<[f32; WIDTH]>,
    /// For each centroid, the part of its score that does not depend on the vector.
    biases: Vec<f32>,
    /// The length of the longest centroid.
    length_max: f32,
}

impl Centroids {
    /// Makes centroids of `floats`, which has `dimension` for each list.
    pub(super) fn new(metric: Metric, dimension: usize, floats: &[f32]) -> Self {
        let dimension = dimension.max(1);
        let bias = |centroid: &[f32]| match metric {
            Metric::L2 => dot(centroid, centroid) / 2.0,
            Metric::Cosine | Metric::InnerProduct => 0.0,
        };
        let biases: Vec<f32> = floats.chunks_exact(dimension).map(bias).collect();
        let length_max = floats.chunks_exact(dimension).map(length).fold(0.0, f32::max);
        let mut elements = vec![[0.0; WIDTH]; biases.len().div_ceil(WIDTH) * dimension];
        for (group, centroids) in elements.chunks_exact_mut(dimension).zip(floats.chunks(WIDTH * dimension)) {
            for (place, centroid) in centroids.chunks_exact(dimension).enumerate() {
                for (elements, float) in group.iter_mut().zip(centroid) {
                    if let Some(element) = elements.get_mut(place) {
                        *element = *float;
                    }
                }
            }
        }
        Centroids { dimension, elements, biases, length_max }
    }

    /// Replaces the content of `centroid` by the centroid of a list.
    pub(super) fn copy_centroid(&self, list: usize, centroid: &mut Vec<f32>) {
        let start = list / WIDTH * self.dimension;
        let group = self.elements.get(start..start + self.dimension).unwrap_or_default();
        centroid.clear();
        centroid.extend(group.iter().filter_map(|elements| elements.get(list % WIDTH)));
    }

    /// Returns the number of lists.
    pub(super) fn count(&self) -> usize {
        self.biases.len()
    }

    /// Returns the list of a vector, the same for the same vector on every processor: that of the
    /// nearest centroid, the first of several.
    pub(super) fn nearest(&self, vector: &[f32]) -> u32 {
        let scores = self.scores(vector);
        let least = scores.iter().fold(f32::INFINITY, |least, (score, _)| least.min(*score));
        // Both ways to add differ from the true sum by an error, for each of two centroids. The
        // bias is the same in both, and its subtraction rounds once more.
        let lengths = length(vector) * self.length_max;
        let subtraction = f32::EPSILON * (self.length_max * self.length_max + lengths);
        let bound = least + 4.0 * (product_error(self.dimension, lengths) + subtraction);
        let mut best = (f32::INFINITY, 0);
        let mut centroid = Vec::new();
        for (score, list) in scores {
            // A score beyond the greatest number is not comparable: all are computed then.
            if score <= bound || !bound.is_finite() {
                self.copy_centroid(list as usize, &mut centroid);
                let bias = self.biases.get(list as usize).copied().unwrap_or_default();
                let score = bias - dot(vector, &centroid);
                if score < best.0 {
                    best = (score, list);
                }
            }
        }
        best.1
    }

    /// Returns a list that is as near as the nearest one but for errors of rounding.
    pub(super) fn about_nearest(&self, vector: &[f32]) -> u32 {
        let mut best = (f32::INFINITY, 0);
        self.for_each_score(vector, |list, score| {
            if score < best.0 {
                best = (score, list);
            }
        });
        best.1
    }

    /// Returns the score of each list for a vector. The lowest is the nearest.
    pub(super) fn scores(&self, vector: &[f32]) -> Vec<(f32, u32)> {
        let mut scores = Vec::with_capacity(self.count());
        self.for_each_score(vector, |list, score| scores.push((score, list)));
        scores
    }

    /// Returns the difference of a vector from the centroid of a list.
    pub(super) fn residual<'a>(&'a self, list: u32, vector: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let (start, place) = (list as usize / WIDTH * self.dimension, list as usize % WIDTH);
        let group = self.elements.get(start..).unwrap_or_default();
        vector
            .iter()
            .zip(group)
            .map(move |(float, elements)| float - elements.get(place).copied().unwrap_or_default())
    }

    /// Visits the inner product of a vector with each centroid, in their order.
    pub(super) fn for_each_product(&self, vector: &[f32], mut visit: impl FnMut(f32)) {
        let groups = self.elements.chunks_exact(self.dimension).zip(self.biases.chunks(WIDTH));
        for (group, biases) in groups {
            products(vector, group).into_iter().take(biases.len()).for_each(&mut visit);
        }
    }

    /// Half the squared distance but for a constant of the vector, or the negative inner product.
    fn for_each_score(&self, vector: &[f32], mut visit: impl FnMut(u32, f32)) {
        let groups = self.elements.chunks_exact(self.dimension).zip(self.biases.chunks(WIDTH));
        for (first, (group, biases)) in (0_u32..).step_by(WIDTH).zip(groups) {
            let products = products(vector, group);
            for (list, (bias, product)) in (first..).zip(biases.iter().zip(products)) {
                visit(list, bias - product);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::random::Random;

    #[test]
    fn the_list_of_a_vector_is_that_of_the_sums_in_fixed_order() {
        for (metric, scale) in [
            (Metric::L2, 1.0),
            (Metric::InnerProduct, 1e-3),
            (Metric::L2, 1e19),
            (Metric::InnerProduct, 1e-22),
        ] {
            for (lists, dimension) in [(1, 1), (31, 3), (70, 33), (64, 96)] {
                let mut random = Random::new(lists as u64);
                let mut vector = |steps: u64| -> Vec<f32> {
                    (0..dimension).map(|_| (random.below(steps) as f32 - 1.5) * scale / 7.0).collect()
                };
                // Few values make many centroids that are about as near, and some that are equal.
                let floats: Vec<f32> = (0..lists).flat_map(|_| vector(3)).collect();
                let centroids = Centroids::new(metric, dimension, &floats);
                for _ in 0..200 {
                    let vector = vector(4);
                    let mut best = (f32::INFINITY, 0);
                    for (list, centroid) in (0..).zip(floats.chunks_exact(dimension)) {
                        let bias = if metric == Metric::L2 { dot(centroid, centroid) / 2.0 } else { 0.0 };
                        let score = bias - dot(&vector, centroid);
                        if score < best.0 {
                            best = (score, list);
                        }
                    }
                    assert_eq!(centroids.nearest(&vector), best.1, "{metric:?} {lists} {dimension}");
                }
            }
        }
    }
}
