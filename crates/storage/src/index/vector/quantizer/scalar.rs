//! The scalar quantizer: one byte for each element, in equal steps between the least and the
//! greatest value that the training has seen at its position.

use crate::index::vector::kernel::dot;

/// The number of steps between the least and the greatest value.
const STEPS: f32 = 255.0;

#[derive(Debug, PartialEq)]
pub(in crate::index::vector) struct ScalarQuantizer {
    /// The value of the code 0 at each position.
    least: Vec<f32>,
    /// The difference between two codes.
    steps: Vec<f32>,
}

pub(in crate::index::vector) struct ScalarQuery {
    /// The product with a residual whose codes are all 0.
    least: f32,
    /// The change of the product with each step.
    weights: Vec<f32>,
}

impl ScalarQuantizer {
    pub(super) fn train(residuals: &[f32], dimension: usize) -> Self {
        let (mut least, mut greatest) = (vec![f32::INFINITY; dimension], vec![f32::NEG_INFINITY; dimension]);
        for residual in residuals.chunks_exact(dimension) {
            for ((least, greatest), float) in least.iter_mut().zip(&mut greatest).zip(residual) {
                (*least, *greatest) = (least.min(*float), greatest.max(*float));
            }
        }
        // Each part of the difference is finite, however great the values are.
        let steps = least.iter().zip(greatest).map(|(least, greatest)| greatest / STEPS - least / STEPS);
        let steps = steps.map(|step| if step.is_finite() { step } else { 0.0 }).collect();
        let finite = |float: f32| if float.is_finite() { float } else { 0.0 };
        ScalarQuantizer { least: least.into_iter().map(finite).collect(), steps }
    }

    pub(super) fn from_rows(rows: &[f32], dimension: usize) -> Option<Self> {
        let (least, steps) = rows.split_at_checked(dimension)?;
        (steps.len() == dimension).then(|| ScalarQuantizer { least: least.to_vec(), steps: steps.to_vec() })
    }

    pub(super) fn rows(&self) -> Vec<f32> {
        self.least.iter().chain(&self.steps).copied().collect()
    }

    pub(super) fn code_bytes(&self) -> usize {
        self.least.len()
    }

    pub(super) fn encode(&self, residual: &[f32], code: &mut Vec<u8>) {
        let scales = self.least.iter().zip(&self.steps);
        code.extend(residual.iter().zip(scales).map(|(float, (least, step))| {
            // Without a difference all codes mean the same.
            let position = if *step > 0.0 { (float / step - least / step).round() } else { 0.0 };
            // The conversion keeps within the bounds of a byte.
            position as u8
        }));
    }

    pub(super) fn decode(&self, code: &[u8], residual: &mut Vec<f32>) {
        let scales = self.least.iter().zip(&self.steps);
        residual.extend(code.iter().zip(scales).map(|(code, (least, step))| least + step * f32::from(*code)));
    }

    pub(super) fn query(&self, vector: &[f32]) -> ScalarQuery {
        let weights = vector.iter().zip(&self.steps).map(|(float, step)| float * step).collect();
        ScalarQuery { least: dot(vector, &self.least), weights }
    }
}

impl ScalarQuery {
    pub(super) fn product(&self, code: &[u8]) -> f32 {
        self.least + dot(&self.weights, code)
    }
}
