//! Quantizers: short codes in place of vectors, from which inner products are estimated.
//!
//! A code stands for the residual of a vector, its difference from the centroid of its list. With
//! `c` the centroid, `r` the coded residual and `q` the wanted vector, half the squared distance is
//!
//! `|q|²/2 + (|c|²/2 - q·c) + (|r|²/2 + c·r) - q·r`
//!
//! The first term is the same for all vectors, the second is the score of the list, and the third
//! does not depend on the wanted vector, so it is stored with the code. For the other metrics the
//! score is `-q·c - q·r`. So a search computes only `q·r` for each code.
//!
//! Source: Jégou, Douze, Schmid: Product Quantization for Nearest Neighbor Search (2011).

mod product;
mod scalar;

use catalog::index::VectorEncoding;
use errors::{Error, Result};

use super::training::Training;
use product::{ProductQuantizer, ProductQuery};
use scalar::{ScalarQuantizer, ScalarQuery};

/// A way to code residuals, learned from a sample of them.
#[derive(Debug, PartialEq)]
pub(super) enum Quantizer {
    Scalar(ScalarQuantizer),
    Product(ProductQuantizer),
}

/// A wanted vector in the form that is quick to multiply with codes.
pub(super) enum QuantizedQuery {
    Scalar(ScalarQuery),
    Product(ProductQuery),
}

impl Quantizer {
    /// Learns from residuals, one after another; `None` for an encoding without codes.
    ///
    /// Errors: that of the training's check.
    pub(super) fn train(training: &Training<'_>, residuals: &[f32]) -> Result<Option<Self>> {
        let dimension = training.options.dimension;
        match training.options.encoding() {
            VectorEncoding::Flat => Ok(None),
            VectorEncoding::Scalar8 => {
                Ok(Some(Quantizer::Scalar(ScalarQuantizer::train(residuals, dimension))))
            }
            VectorEncoding::Product { parts } => {
                ProductQuantizer::train(training, residuals, parts).map(Quantizer::Product).map(Some)
            }
        }
    }

    /// Returns the quantizer whose [`Quantizer::rows`] are given, one after another.
    ///
    /// Errors: 1102 if there cannot be such rows.
    pub(super) fn from_rows(encoding: VectorEncoding, dimension: usize, rows: &[f32]) -> Result<Self> {
        let found = match encoding {
            VectorEncoding::Flat => None,
            VectorEncoding::Scalar8 => ScalarQuantizer::from_rows(rows, dimension).map(Quantizer::Scalar),
            VectorEncoding::Product { parts } => {
                ProductQuantizer::from_rows(rows, dimension, parts).map(Quantizer::Product)
            }
        };
        found.ok_or_else(|| Error::corrupt("a vector index has lost what its codes mean"))
    }

    /// Returns what is stored: rows with as many floats as a vector has, one after another.
    pub(super) fn rows(&self) -> Vec<f32> {
        match self {
            Quantizer::Scalar(scalar) => scalar.rows(),
            Quantizer::Product(product) => product.rows(),
        }
    }

    /// Returns the length of a code in bytes.
    pub(super) fn code_bytes(&self) -> usize {
        match self {
            Quantizer::Scalar(scalar) => scalar.code_bytes(),
            Quantizer::Product(product) => product.code_bytes(),
        }
    }

    /// Returns the number of entries that a search for `wanted` ones compares by their exact
    /// vectors.
    pub(super) fn compared_for(&self, wanted: usize) -> usize {
        let (factor, least) = match self {
            Quantizer::Scalar(_) => (2, 10),
            Quantizer::Product(_) => (10, 100),
        };
        wanted.saturating_mul(factor).max(wanted.saturating_add(least))
    }

    /// Appends the code of a residual.
    pub(super) fn encode(&self, residual: &[f32], code: &mut Vec<u8>) {
        match self {
            Quantizer::Scalar(scalar) => scalar.encode(residual, code),
            Quantizer::Product(product) => product.encode(residual, code),
        }
    }

    /// Appends the residual that a code stands for.
    pub(super) fn decode(&self, code: &[u8], residual: &mut Vec<f32>) {
        match self {
            Quantizer::Scalar(scalar) => scalar.decode(code, residual),
            Quantizer::Product(product) => product.decode(code, residual),
        }
    }

    /// Prepares products with a vector.
    pub(super) fn query(&self, vector: &[f32]) -> QuantizedQuery {
        match self {
            Quantizer::Scalar(scalar) => QuantizedQuery::Scalar(scalar.query(vector)),
            Quantizer::Product(product) => QuantizedQuery::Product(product.query(vector)),
        }
    }
}

impl QuantizedQuery {
    /// Returns the inner product of the vector and the residual that a code stands for.
    pub(super) fn product(&self, code: &[u8]) -> f32 {
        match self {
            QuantizedQuery::Scalar(query) => query.product(code),
            QuantizedQuery::Product(query) => query.product(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::vector::kernel::dot;
    use crate::index::vector::random::Random;

    fn vectors(count: usize, dimension: usize, seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..count * dimension).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect()
    }

    fn check(quantizer: &Quantizer, dimension: usize, error_max: f32) {
        let floats = vectors(50, dimension, 3);
        let wanted = vectors(1, dimension, 4);
        let query = quantizer.query(&wanted);
        for residual in floats.chunks_exact(dimension) {
            let (mut code, mut decoded) = (Vec::new(), Vec::new());
            quantizer.encode(residual, &mut code);
            assert_eq!(code.len(), quantizer.code_bytes());
            quantizer.decode(&code, &mut decoded);
            let differences = residual.iter().zip(&decoded).map(|(a, b)| (a - b).powi(2));
            let error = differences.sum::<f32>() / dimension as f32;
            assert!(error <= error_max, "{error}");
            let product = query.product(&code);
            assert!((product - dot(&wanted, &decoded)).abs() < 1e-3 * dimension as f32);
        }
    }

    #[test]
    fn scalars_are_near_and_multiplied_as_they_are_decoded() {
        for dimension in [1, 33, 128] {
            let scalar = ScalarQuantizer::train(&vectors(500, dimension, 9), dimension);
            let quantizer = Quantizer::Scalar(scalar);
            check(&quantizer, dimension, 1e-3);
            let again = Quantizer::from_rows(VectorEncoding::Scalar8, dimension, &quantizer.rows());
            assert_eq!(again.unwrap(), quantizer);
        }
    }

    #[test]
    fn products_are_multiplied_as_they_are_decoded() {
        let (dimension, parts) = (24, 12);
        let rows = vectors(200, dimension, 9);
        let encoding = VectorEncoding::Product { parts };
        let quantizer = Quantizer::from_rows(encoding, dimension, &rows).unwrap();
        assert_eq!(quantizer.rows(), rows);
        check(&quantizer, dimension, 0.05);
    }

    #[test]
    fn damaged_rows_and_strange_numbers_do_no_harm() {
        let product = VectorEncoding::Product { parts: 2 };
        for (encoding, rows) in [
            (VectorEncoding::Scalar8, 3),
            (VectorEncoding::Flat, 2),
            (product, 0),
            (product, 3),
            (product, 514),
        ] {
            assert!(Quantizer::from_rows(encoding, 2, &vec![0.0; rows]).is_err(), "{encoding:?} {rows}");
        }
        let extremes = [f32::MAX, f32::MIN, 0.0, f32::MIN_POSITIVE];
        let scalar = Quantizer::Scalar(ScalarQuantizer::train(&extremes, 2));
        let rows = Quantizer::from_rows(product, 2, &extremes).unwrap();
        for quantizer in [scalar, rows] {
            let (mut code, mut decoded) = (Vec::new(), Vec::new());
            quantizer.encode(&[f32::INFINITY, f32::NAN], &mut code);
            quantizer.decode(&[255, 255, 255], &mut decoded);
            quantizer.query(&[f32::MAX, f32::MAX]).product(&[255; 9]);
            assert_eq!(code.len(), quantizer.code_bytes());
        }
    }
}
