//! The product quantizer: a vector is divided into parts of equal length, and the code has a byte
//! for each part, the number of the nearest of 256 words that the training has found for it.

use catalog::index::{Metric, VectorOptions};
use errors::Result;

use crate::index::vector::centroids::Centroids;
use crate::index::vector::training::Training;

/// The number of values of a byte.
const WORDS_MAX: usize = 256;
/// The greatest size of all words in bytes. They stay in memory.
const WORDS_BYTES_MAX: usize = 64 << 20;
/// Residuals for each word that the training looks at.
const RESIDUALS_PER_WORD: usize = 100;

#[derive(Debug, PartialEq)]
pub(in crate::index::vector) struct ProductQuantizer {
    /// The words of each part, as many for all.
    parts: Vec<Centroids>,
    /// The number of elements of a part.
    width: usize,
}

pub(in crate::index::vector) struct ProductQuery {
    /// The product with each word of each part, [`WORDS_MAX`] for a part.
    products: Vec<f32>,
}

impl ProductQuantizer {
    pub(super) fn train(training: &Training<'_>, residuals: &[f32], parts: usize) -> Result<Self> {
        let dimension = training.options.dimension;
        let width = dimension / parts.max(1);
        let words = WORDS_MAX.min(residuals.len() / dimension);
        let words = words.min(WORDS_BYTES_MAX / size_of::<f32>() / dimension).max(1);
        let sample = residuals.get(..words * RESIDUALS_PER_WORD * dimension).unwrap_or(residuals);
        let options =
            VectorOptions { metric: Metric::L2, dimension: width, factory: None, ..training.options.clone() };
        let train_part = |part: usize| {
            let place = part * width..(part + 1) * width;
            let of_part = |residual: &[f32]| residual.get(place.clone()).unwrap_or_default().to_vec();
            let sample: Vec<f32> = sample.chunks_exact(dimension).flat_map(of_part).collect();
            Training { options: &options, sample: &sample, ..*training }.run(words)
        };
        let parts = (0..parts).map(train_part).collect::<Result<_>>()?;
        Ok(ProductQuantizer { parts, width })
    }

    pub(super) fn from_rows(rows: &[f32], dimension: usize, parts: usize) -> Option<Self> {
        let words = rows.len() / dimension;
        if words == 0 || words > WORDS_MAX || !rows.len().is_multiple_of(dimension) {
            return None;
        }
        let width = dimension / parts;
        let part = |part: usize| {
            let place = part * width..(part + 1) * width;
            let of_part = |row: &[f32]| row.get(place.clone()).unwrap_or_default().to_vec();
            let floats: Vec<f32> = rows.chunks_exact(dimension).flat_map(of_part).collect();
            Centroids::new(Metric::L2, width, &floats)
        };
        Some(ProductQuantizer { parts: (0..parts).map(part).collect(), width })
    }

    pub(super) fn rows(&self) -> Vec<f32> {
        let (mut rows, mut word) = (Vec::new(), Vec::new());
        for number in 0..self.parts.first().map_or(0, Centroids::count) {
            for part in &self.parts {
                part.copy_centroid(number, &mut word);
                rows.extend_from_slice(&word);
            }
        }
        rows
    }

    pub(super) fn code_bytes(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn encode(&self, residual: &[f32], code: &mut Vec<u8>) {
        let parts = self.parts.iter().zip(residual.chunks_exact(self.width));
        code.extend(parts.map(|(words, part)| words.about_nearest(part) as u8));
    }

    pub(super) fn decode(&self, code: &[u8], residual: &mut Vec<f32>) {
        let mut word = Vec::new();
        for (words, number) in self.parts.iter().zip(code) {
            let number = usize::from(*number).min(words.count().saturating_sub(1));
            words.copy_centroid(number, &mut word);
            residual.extend_from_slice(&word);
        }
    }

    pub(super) fn query(&self, vector: &[f32]) -> ProductQuery {
        let mut products = Vec::with_capacity(self.parts.len() * WORDS_MAX);
        for (words, part) in self.parts.iter().zip(vector.chunks_exact(self.width)) {
            let start = products.len();
            words.for_each_product(part, |product| products.push(product));
            products.resize(start + WORDS_MAX, 0.0);
        }
        ProductQuery { products }
    }
}

impl ProductQuery {
    pub(super) fn product(&self, code: &[u8]) -> f32 {
        let parts = self.products.as_chunks::<WORDS_MAX>().0.iter().zip(code);
        parts.map(|(products, number)| products.get(usize::from(*number)).copied().unwrap_or_default()).sum()
    }
}
