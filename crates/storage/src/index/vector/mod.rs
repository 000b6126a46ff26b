//! The vector index: finds the documents whose vectors are nearest to another vector, with an
//! inverted file.
//!
//! A training divides the vectors into lists, each around a centroid. A search reads the lists
//! whose centroids are nearest to the wanted vector. Before the training, all documents are in one
//! list, and searches are exact.
//!
//! The lists of a trained index store vectors as its options say: whole, or as codes
//! ([`quantizer`]). A search compares the vectors of the documents that it found by codes.
//!
//! The training of an index object never changes. Another training loads all entries into a new
//! object, which replaces the old one in the catalog ([`crate::Store::train_index`]). So the list
//! of a document follows from the document alone.

mod candidates;
mod centroids;
mod encoding;
mod kernel;
mod quantizer;
mod random;
mod sample;
mod scan;
mod trained;
mod training;

use catalog::index::{ListCount, Metric, TypeOptions, VectorOptions};
use errors::{Error, Result};
use velocypack::Slice;

use crate::index::entries::Entries;
use crate::index::{Index, IndexMethod, TrainingSource, field};

pub use scan::{NearBounds, NearEntries, NearScan};
pub(crate) use trained::Trained;

/// The minimum memory of a sample in bytes, however little sorts may take.
const SAMPLE_BYTES_MIN: usize = 64 << 20;
/// The share of that memory that centroids may take, which stay in memory.
const CENTROIDS_SHARE: usize = 4;
/// The growth of the number of documents from which another training pays off.
const GROWTH: u64 = 4;

pub(super) struct Vector;

impl IndexMethod for Vector {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let options = options_of(index)?;
        let Some(vector) = vector_of(index, options, document)? else { return Ok(()) };
        let list = index.trained().map_or(0, |trained| trained.centroids.nearest(&vector));
        let object = index.definition().object_id;
        entries.add(|bytes| encoding::write_key(object, list, key, bytes));
        let stored = index.definition().properties.stored_values.iter();
        let stored = stored.map(|path| field::value(document, &path.names));
        let covered = std::iter::once(Slice::NULL).chain(stored);
        let write_vector = |bytes: &mut Vec<u8>| match index.trained() {
            Some(trained) => trained.write_vector(options.metric, &vector, list, bytes),
            None => encoding::write_floats(&vector, bytes),
        };
        entries.set_covered(write_vector, covered)
    }

    fn is_unaffected(&self, index: &Index, old: Slice<'_>, new: Slice<'_>) -> bool {
        let stored = &index.definition().properties.stored_values;
        index
            .fields()
            .iter()
            .chain(stored)
            .all(|path| field::value(old, &path.names).bytes() == field::value(new, &path.names).bytes())
    }

    fn train(&self, index: &Index, source: &dyn TrainingSource) -> Result<Option<Trained>> {
        let options = options_of(index)?;
        if source.count()? < options.lists.documents_needed() {
            return Ok(None);
        }
        let bytes = source.memory_bytes().max(SAMPLE_BYTES_MIN);
        let sample = sample::draw(source, index, options, bytes)?;
        let lists = options.lists_for(sample.documents);
        let is_wanted = options.factory_lists().is_none_or(|wanted| wanted == lists);
        if sample.documents < options.lists.documents_needed() || !is_wanted {
            return Ok(None);
        }
        let vector_bytes = options.dimension * size_of::<f32>();
        let lists = usize::try_from(lists).unwrap_or(usize::MAX).min(bytes / CENTROIDS_SHARE / vector_bytes);
        let threads = index.build_threads();
        let training = training::Training {
            options,
            sample: &sample.floats,
            documents: sample.documents,
            threads,
            source,
        };
        Trained::learn(&training, lists.clamp(1, sample.floats.len() / options.dimension)).map(Some)
    }

    fn read_training(&self, index: &Index, engine: &dyn kv::Snapshot) -> Result<Option<Trained>> {
        let options = options_of(index)?;
        Trained::read(engine, index.definition().object_id, options)
    }

    fn own_entries(&self, index: &Index, entries: &mut Entries) {
        if let (Some(trained), Ok(options)) = (index.trained(), options_of(index)) {
            trained.write(index.definition().object_id, options.dimension, entries);
        }
    }
}

/// The state of an index that must be trained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingState {
    /// The number of lists; `None` before the training.
    pub lists: Option<u64>,
    /// The reason why there is no training.
    pub error: Option<&'static str>,
}

/// Returns the state of an index; `None` for an index of another type.
pub(super) fn training_state(index: &Index) -> Option<TrainingState> {
    let options = options_of(index).ok()?;
    if let Some(trained) = index.trained() {
        return Some(TrainingState { lists: Some(trained.centroids.count() as u64), error: None });
    }
    let contradicts = match (&options.lists, options.factory_lists()) {
        (ListCount::Fixed(lists), Some(wanted)) => *lists != wanted,
        _ => false,
    };
    let error = match contradicts {
        true => "the number of lists in 'factory' is not 'nLists'",
        false => "not enough training data for vector index",
    };
    Some(TrainingState { lists: None, error: Some(error) })
}

/// Returns true if a training now would improve an index over this many documents.
pub(super) fn needs_training(index: &Index, documents: u64) -> bool {
    let Ok(options) = options_of(index) else { return false };
    let lists = options.lists_for(documents);
    match index.trained() {
        None => {
            documents >= options.lists.documents_needed()
                && options.factory_lists().is_none_or(|wanted| wanted == lists)
        }
        Some(trained) => {
            let present = trained.centroids.count() as u64;
            let was_small = trained.documents < present.saturating_mul(options.documents_per_centroid);
            documents >= trained.documents.saturating_mul(GROWTH) && (was_small || lists > present)
        }
    }
}

/// Returns the similarity or the distance of a score. A smaller score is nearer.
pub(super) fn value_of(index: &Index, score: f32) -> f64 {
    match options_of(index).map(|options| options.metric) {
        Ok(Metric::L2) => f64::from(score).sqrt(),
        // Adding 0 turns -0 into 0.
        Ok(Metric::Cosine) => f64::from(-score).clamp(-1.0, 1.0) + 0.0,
        _ => f64::from(-score) + 0.0,
    }
}

fn options_of(index: &Index) -> Result<&VectorOptions> {
    match &index.definition().properties.options {
        TypeOptions::Vector(options) => Ok(options),
        _ => Err(Error::internal("an index of vectors without options")),
    }
}

/// Returns the vector of a document in the form in which it is stored; `None` if a sparse index
/// leaves the document out.
///
/// Errors: 10 for any other value than a vector of the index's dimension.
fn vector_of(index: &Index, options: &VectorOptions, document: Slice<'_>) -> Result<Option<Vec<f32>>> {
    let Some(path) = index.fields().first() else { return Ok(None) };
    let value = field::value(document, &path.names);
    if value.is_null() && index.is_sparse() {
        return Ok(None);
    }
    parse_vector(value, options).map(Some).ok_or_else(|| {
        let (dimension, name) = (options.dimension, index.name());
        Error::bad_parameter(format!(
            "invalid vector in attribute '{path}' for vector index '{name}': expecting an array of {dimension} numbers"
        ))
    })
}

/// Returns the vector in a value; `None` for any other value, or one that is not finite.
///
/// A vector that is compared by its angle gets length 1, unless its length is 0.
fn parse_vector(value: Slice<'_>, options: &VectorOptions) -> Option<Vec<f32>> {
    if !value.is_array() || value.len() != options.dimension {
        return None;
    }
    let numbers: Option<Vec<f64>> = value.elements().map(|element| element.as_f64()).collect();
    let numbers = numbers?;
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let divisor = if options.metric == Metric::Cosine && length > 0.0 { length } else { 1.0 };
    let floats: Vec<f32> = numbers.into_iter().map(|number| (number / divisor) as f32).collect();
    floats.iter().all(|float| float.is_finite()).then_some(floats)
}

/// Gives a vector length 1, unless its length is 0.
fn normalize(vector: &mut [f32]) {
    let length = kernel::dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|float| *float /= length);
    }
}
