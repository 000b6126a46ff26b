//! The centroids of a trained index: each list has the vectors that are nearest to its centroid.

use catalog::ObjectId;
use catalog::index::Metric;
use kv::{BlockLimits, ScanSpec, Snapshot};

use super::encoding::{
    FLOAT_BYTES, is_training, training_range, write_centroid_key, write_floats, write_training_key,
};
use super::kernel::dot;
use crate::index::entries::Entries;
use errors::{Error, Result};

/// The size of a block of centroids that is read.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 4 << 20 };

/// The centroids of all lists. They never change: another training makes another index object.
#[derive(Debug, PartialEq)]
pub(crate) struct Centroids {
    dimension: usize,
    /// All centroids, one after another.
    floats: Vec<f32>,
    /// For each centroid, the part of its score that does not depend on the vector.
    biases: Vec<f32>,
    /// The number of vectors in the index when it was trained.
    pub(super) trained_on: u64,
}

impl Centroids {
    /// Makes centroids of `floats`, which has `dimension` for each list.
    pub(super) fn new(metric: Metric, dimension: usize, floats: Vec<f32>, trained_on: u64) -> Self {
        let bias = |centroid: &[f32]| match metric {
            Metric::L2 => dot(centroid, centroid) / 2.0,
            Metric::Cosine | Metric::InnerProduct => 0.0,
        };
        let biases = floats.chunks_exact(dimension.max(1)).map(bias).collect();
        Centroids { dimension, floats, biases, trained_on }
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
        Ok(Some(Centroids::new(metric, dimension, floats, trained_on)))
    }

    /// Appends the entries that [`Centroids::read`] reads.
    pub(super) fn write(&self, object: ObjectId, entries: &mut Entries) {
        let key = |write: &dyn Fn(&mut Vec<u8>), bytes: &mut Vec<u8>| {
            write(bytes);
            bytes.len()
        };
        entries.add(|bytes| key(&|bytes| write_training_key(object, bytes), bytes));
        entries.set_value(|bytes| bytes.extend_from_slice(&self.trained_on.to_be_bytes()));
        for (list, centroid) in (0..).zip(self.floats.chunks_exact(self.dimension)) {
            entries.add(|bytes| key(&|bytes| write_centroid_key(object, list, bytes), bytes));
            entries.set_value(|bytes| write_floats(centroid, bytes));
        }
    }

    /// Returns all centroids, one after another.
    pub(super) fn into_floats(self) -> Vec<f32> {
        self.floats
    }

    /// Returns the number of lists.
    pub(super) fn count(&self) -> usize {
        self.biases.len()
    }

    /// Returns the list of a vector: that of the nearest centroid, the first of several.
    pub(super) fn nearest(&self, vector: &[f32]) -> u32 {
        let mut best = (f32::INFINITY, 0);
        self.for_each_score(vector, |list, score| {
            if score < best.0 {
                best = (score, list);
            }
        });
        best.1
    }

    /// Returns the score of each list for a vector, the least of which is the nearest.
    pub(super) fn scores(&self, vector: &[f32]) -> Vec<(f32, u32)> {
        let mut scores = Vec::with_capacity(self.count());
        self.for_each_score(vector, |list, score| scores.push((score, list)));
        scores
    }

    /// Half the squared distance but for a constant of the vector, or the negative inner product.
    fn for_each_score(&self, vector: &[f32], mut visit: impl FnMut(u32, f32)) {
        let scored = self.floats.chunks_exact(self.dimension).zip(&self.biases);
        for (list, (centroid, bias)) in (0..).zip(scored) {
            visit(list, bias - dot(vector, centroid));
        }
    }
}
