//! The centroids of a trained index: each list has the vectors that are nearest to its centroid.
//!
//! The elements of [`WIDTH`] centroids lie side by side, so that a processor multiplies them at
//! once.

use catalog::ObjectId;
use catalog::index::Metric;
use errors::{Error, Result};
use kv::{BlockLimits, ScanSpec, Snapshot};

use super::encoding::{
    FLOAT_BYTES, is_training, training_range, write_centroid_key, write_floats, write_training_key,
};
use super::kernel::{WIDTH, dot, length, product_error, products};
use crate::index::entries::Entries;

/// The size of a block of centroids that is read.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 4 << 20 };

/// The centroids of all lists. They never change: another training makes another index object.
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
    /// The number of vectors in the index when it was trained.
    pub(super) trained_on: u64,
}

impl Centroids {
    /// Makes centroids of `floats`, which has `dimension` for each list.
    pub(super) fn new(metric: Metric, dimension: usize, floats: &[f32], trained_on: u64) -> Self {
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
        Centroids { dimension, elements, biases, length_max, trained_on }
    }

    /// Reads the centroids of an index; `None` if it is not trained.
    ///
    /// Errors: 1102 if some are missing.
    pub(super) fn read(
        engine: &dyn Snapshot,
        object: ObjectId,
        metric: Metric,
        dimension: usize,
    ) -> Result<Option<Self>> {
        let mut scan = engine.scan(ScanSpec::forward(training_range(object)))?;
        let (mut trained_on, mut floats) = (None, Vec::new());
        while let Some(block) = scan.next_block(READ_LIMITS)? {
            for (key, value) in block.iter() {
                if is_training(key) {
                    trained_on = value.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
                } else if value.len() == dimension * FLOAT_BYTES {
                    floats.extend(value.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
                } else {
                    return Err(Error::corrupt("a vector index has a damaged centroid"));
                }
            }
        }
        let Some(trained_on) = trained_on else { return Ok(None) };
        if floats.is_empty() {
            return Err(Error::corrupt("a vector index has lost its centroids"));
        }
        Ok(Some(Centroids::new(metric, dimension, &floats, trained_on)))
    }

    /// Appends the entries that [`Centroids::read`] reads.
    pub(super) fn write(&self, object: ObjectId, entries: &mut Entries) {
        let key = |write: &dyn Fn(&mut Vec<u8>), bytes: &mut Vec<u8>| {
            write(bytes);
            bytes.len()
        };
        entries.add(|bytes| key(&|bytes| write_training_key(object, bytes), bytes));
        entries.set_value(|bytes| bytes.extend_from_slice(&self.trained_on.to_be_bytes()));
        let mut centroid = Vec::new();
        for list in 0..self.count() {
            self.copy_centroid(list, &mut centroid);
            entries.add(|bytes| key(&|bytes| write_centroid_key(object, list as u32, bytes), bytes));
            entries.set_value(|bytes| write_floats(&centroid, bytes));
        }
    }

    /// Replaces the content of `centroid` by the centroid of a list.
    fn copy_centroid(&self, list: usize, centroid: &mut Vec<f32>) {
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
                let centroids = Centroids::new(metric, dimension, &floats, 9);
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
