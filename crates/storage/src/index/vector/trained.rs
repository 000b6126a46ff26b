//! The outcome of a training: the centroids of the lists, and the quantizer of their vectors.
//!
//! An index that was not trained, and one that an earlier version has trained, has no quantizer.

use catalog::ObjectId;
use catalog::index::{Metric, VectorEncoding, VectorOptions};
use errors::{Error, Result};
use kv::{BlockLimits, KeyRange, ScanSpec, Snapshot};

use super::centroids::Centroids;
use super::encoding;
use super::kernel::dot;
use super::quantizer::Quantizer;
use super::training::Training;
use crate::index::entries::Entries;

/// The size of a block of centroids that is read.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 4 << 20 };
/// The number of residuals from which a quantizer is learned.
const RESIDUALS_MAX: usize = 25_600;
/// The byte behind the number of vectors in the record of a training with a quantizer.
const HAS_QUANTIZER: u8 = 1;

/// The outcome of a training. It never changes: another training makes another index object.
#[derive(Debug, PartialEq)]
pub(crate) struct Trained {
    pub(super) centroids: Centroids,
    pub(super) quantizer: Option<Quantizer>,
    /// The number of vectors in the index when it was trained.
    pub(super) documents: u64,
}

impl Trained {
    /// Trains an index with `lists` lists. The sample has at least as many vectors.
    ///
    /// Errors: that of the training's check.
    pub(super) fn learn(training: &Training<'_>, lists: usize) -> Result<Self> {
        let centroids = training.run(lists)?;
        let dimension = training.options.dimension;
        let mut residuals = Vec::new();
        if training.options.encoding() != VectorEncoding::Flat {
            for vector in training.sample.chunks_exact(dimension).take(RESIDUALS_MAX) {
                residuals.extend(centroids.residual(centroids.about_nearest(vector), vector));
            }
            training.source.check()?;
        }
        let quantizer = Quantizer::train(training, &residuals)?;
        Ok(Trained { centroids, quantizer, documents: training.documents })
    }

    /// Reads the training of an index; `None` if it is not trained.
    ///
    /// Errors: 1102 if a part is missing.
    pub(super) fn read(
        engine: &dyn Snapshot,
        object: ObjectId,
        options: &VectorOptions,
    ) -> Result<Option<Self>> {
        let (mut record, mut floats) = (None, Vec::new());
        read_range(engine, encoding::training_range(object), |key, value| {
            if encoding::is_training(key) {
                record = value.split_first_chunk().map(|(count, rest)| (*count, rest.to_vec()));
                return Ok(());
            }
            read_row(value, options.dimension, &mut floats)
        })?;
        let Some((documents, kind)) = record else { return Ok(None) };
        if floats.is_empty() {
            return Err(Error::corrupt("a vector index has lost its centroids"));
        }
        let quantizer = match kind.as_slice() {
            [] => None,
            [HAS_QUANTIZER] => {
                let mut rows = Vec::new();
                read_range(engine, encoding::quantizer_range(object), |_, value| {
                    read_row(value, options.dimension, &mut rows)
                })?;
                Some(Quantizer::from_rows(options.encoding(), options.dimension, &rows)?)
            }
            _ => return Err(Error::corrupt("a vector index has a damaged record of its training")),
        };
        let centroids = Centroids::new(options.metric, options.dimension, &floats);
        Ok(Some(Trained { centroids, quantizer, documents: u64::from_be_bytes(documents) }))
    }

    /// Appends the entries that [`Trained::read`] reads.
    pub(super) fn write(&self, object: ObjectId, dimension: usize, entries: &mut Entries) {
        let mut add = |write_key: &dyn Fn(&mut Vec<u8>), write_value: &dyn Fn(&mut Vec<u8>)| {
            entries.add(|bytes| {
                write_key(bytes);
                bytes.len()
            });
            entries.set_value(write_value);
        };
        add(&|bytes| encoding::write_training_key(object, bytes), &|bytes| {
            bytes.extend_from_slice(&self.documents.to_be_bytes());
            bytes.extend(self.quantizer.as_ref().map(|_| HAS_QUANTIZER));
        });
        let mut centroid = Vec::new();
        for list in 0..self.centroids.count() as u32 {
            self.centroids.copy_centroid(list as usize, &mut centroid);
            add(&|bytes| encoding::write_centroid_key(object, list, bytes), &|bytes| {
                encoding::write_floats(&centroid, bytes);
            });
        }
        let rows = self.quantizer.as_ref().map(Quantizer::rows).unwrap_or_default();
        for (number, row) in (0_u32..).zip(rows.chunks_exact(dimension.max(1))) {
            add(&|bytes| encoding::write_quantizer_key(object, number, bytes), &|bytes| {
                encoding::write_floats(row, bytes);
            });
        }
    }

    /// Appends what the entry of a vector in a list has of the vector.
    pub(super) fn write_vector(&self, metric: Metric, vector: &[f32], list: u32, bytes: &mut Vec<u8>) {
        let Some(quantizer) = &self.quantizer else { return encoding::write_floats(vector, bytes) };
        let residual: Vec<f32> = self.centroids.residual(list, vector).collect();
        let start = encoding::start_code(metric, bytes);
        quantizer.encode(&residual, bytes);
        if metric == Metric::L2 {
            let (mut coded, mut centroid) = (Vec::new(), Vec::new());
            quantizer.decode(bytes.get(start..).unwrap_or_default(), &mut coded);
            self.centroids.copy_centroid(list as usize, &mut centroid);
            encoding::set_bias(dot(&coded, &coded) / 2.0 + dot(&centroid, &coded), start, bytes);
        }
    }
}

fn read_range(
    engine: &dyn Snapshot,
    range: KeyRange,
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let mut scan = engine.scan(ScanSpec::forward(range))?;
    while let Some(block) = scan.next_block(READ_LIMITS)? {
        block.iter().try_for_each(|(key, value)| visit(key, value))?;
    }
    Ok(())
}

fn read_row(value: &[u8], dimension: usize, floats: &mut Vec<f32>) -> Result<()> {
    match encoding::read_floats(value, dimension) {
        Some((row, [])) => floats.extend(row.iter().map(|bytes| f32::from_le_bytes(*bytes))),
        _ => return Err(Error::corrupt("a vector index has a damaged centroid")),
    }
    Ok(())
}
