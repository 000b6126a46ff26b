//! The sample of a training: vectors that are drawn uniformly at random (reservoir sampling,
//! algorithm R of Vitter 1985), in one pass over the documents.

use catalog::index::VectorOptions;
use errors::Result;

use super::random::Random;
use super::{training, vector_of};
use crate::index::{Index, TrainingSource};

/// A sample in random order.
pub(super) struct Sample {
    /// The vectors, one after another.
    pub(super) floats: Vec<f32>,
    /// The number of vectors from which they were drawn.
    pub(super) documents: u64,
}

/// Draws a sample that takes at most `bytes` of memory.
///
/// Errors: 10 for a document that cannot be indexed, that of the check.
pub(super) fn draw(
    source: &dyn TrainingSource,
    index: &Index,
    options: &VectorOptions,
    bytes: usize,
) -> Result<Sample> {
    let dimension = options.dimension;
    let documents = source.count()?;
    let wanted = options.lists_for(documents).saturating_mul(options.documents_per_centroid);
    let room = usize::try_from(wanted).unwrap_or(usize::MAX).min(bytes / size_of::<f32>() / dimension).max(1);
    let mut random = Random::new(documents);
    let mut sample = Sample { floats: Vec::new(), documents: 0 };
    source.for_each(&mut |document| {
        let Some(vector) = vector_of(index, options, document)? else { return Ok(()) };
        sample.documents += 1;
        if sample.floats.len() < room * dimension {
            sample.floats.extend_from_slice(&vector);
            return Ok(());
        }
        let place = usize::try_from(random.below(sample.documents)).unwrap_or(usize::MAX);
        if let Some(place) = sample.floats.chunks_exact_mut(dimension).nth(place) {
            place.copy_from_slice(&vector);
        }
        Ok(())
    })?;
    training::shuffle(&mut sample.floats, dimension, &mut random);
    Ok(sample)
}
