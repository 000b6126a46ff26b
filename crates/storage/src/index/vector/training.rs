//! The training: k-means over a sample of the vectors.
//!
//! The first rounds use a part of the sample, because rough centroids do not need all of it
//! (mini-batch k-means with growing batches). A round that hardly moves a vector ends its batch.
//! Centroids of the cosine and of the inner product have length 1.

use catalog::index::{Metric, VectorOptions};
use errors::{Error, Result};

use super::centroids::Centroids;
use super::random::Random;
use crate::index::TrainingSource;

/// Vectors that a thread assigns between two checks.
const VECTORS_PER_CHECK: usize = 256;
/// Parts of the sample that the rounds use, and the share of the rounds that each of them has.
const BATCHES: [(f64, f64); 3] = [(0.125, 0.6), (0.35, 0.16), (1.0, 0.08)];
/// The minimum number of vectors for each list in a batch.
const BATCH_VECTORS_PER_LIST: usize = 12;
/// The share of vectors that changed their list below which a batch ends.
const MOVED_MIN: f64 = 0.01;
/// The relative difference of the two centroids that share the vectors of one.
const SPLIT: f32 = 1.0 / 1024.0;

/// The input of a training.
pub(super) struct Training<'a> {
    pub(super) options: &'a VectorOptions,
    /// The sampled vectors in random order, one after another.
    pub(super) sample: &'a [f32],
    /// The number of vectors that the sample stands for.
    pub(super) documents: u64,
    pub(super) threads: usize,
    /// The source of the sample, which says whether to continue.
    pub(super) source: &'a dyn TrainingSource,
}

/// The lists of the vectors of a batch.
struct Assignment {
    /// The sums of each list's vectors.
    sums: Vec<f32>,
    counts: Vec<usize>,
}

impl Training<'_> {
    /// Returns the centroids of `lists` lists. The sample has at least as many vectors.
    pub(super) fn run(&self, lists: usize) -> Result<Centroids> {
        let dimension = self.options.dimension;
        let size = self.sample.len() / dimension;
        let first = self.sample.get(..lists * dimension);
        let mut floats = first.ok_or_else(|| Error::internal("a training has too few vectors"))?.to_vec();
        self.normalize(&mut floats);
        let mut of_vectors = vec![u32::MAX; size];
        for (part, rounds) in BATCHES {
            let batch = ((size as f64 * part) as usize).max(lists * BATCH_VECTORS_PER_LIST).min(size);
            let rounds = (self.options.training_iterations as f64 * rounds).ceil() as usize;
            for _ in 0..rounds {
                let centroids = self.centroids(&floats);
                let (moved, assignment) =
                    self.assign(&centroids, of_vectors.get_mut(..batch).unwrap_or_default())?;
                floats = self.means(&floats, assignment);
                if (moved as f64) < batch as f64 * MOVED_MIN {
                    break;
                }
            }
        }
        Ok(self.centroids(&floats))
    }

    fn centroids(&self, floats: &[f32]) -> Centroids {
        Centroids::new(self.options.metric, self.options.dimension, floats)
    }

    /// Assigns the first vectors of the sample to lists. Returns the number of vectors whose list
    /// has changed.
    fn assign(&self, centroids: &Centroids, of_vectors: &mut [u32]) -> Result<(usize, Assignment)> {
        let dimension = self.options.dimension;
        let share = of_vectors.len().div_ceil(self.threads).max(1);
        let vectors = self.sample.chunks(share * dimension);
        let mut parts: Vec<_> = of_vectors.chunks_mut(share).zip(vectors).collect();
        let Some((of_last, last)) = parts.pop() else {
            return Ok((0, Assignment::new(centroids.count(), dimension)));
        };
        std::thread::scope(|scope| {
            let assign = |of_part, part| self.assign_part(centroids, of_part, part);
            let others: Vec<_> =
                parts.into_iter().map(|(of_part, part)| scope.spawn(move || assign(of_part, part))).collect();
            let (mut moved, mut all) = assign(of_last, last)?;
            for other in others {
                let joined =
                    other.join().map_err(|_| Error::internal("a thread of a training has panicked"))?;
                let (moved_there, part) = joined?;
                moved += moved_there;
                all.add(&part);
            }
            Ok((moved, all))
        })
    }

    fn assign_part(
        &self,
        centroids: &Centroids,
        of_vectors: &mut [u32],
        vectors: &[f32],
    ) -> Result<(usize, Assignment)> {
        let dimension = self.options.dimension;
        let mut assignment = Assignment::new(centroids.count(), dimension);
        let mut moved = 0;
        for (position, (of_vector, vector)) in
            of_vectors.iter_mut().zip(vectors.chunks_exact(dimension)).enumerate()
        {
            if position.is_multiple_of(VECTORS_PER_CHECK) {
                self.source.check()?;
            }
            let list = centroids.about_nearest(vector);
            moved += usize::from(*of_vector != list);
            *of_vector = list;
            assignment.note(list as usize, vector);
        }
        Ok((moved, assignment))
    }

    /// Returns the means of the lists. A list without vectors takes half of the longest one.
    fn means(&self, old: &[f32], assignment: Assignment) -> Vec<f32> {
        let dimension = self.options.dimension;
        let Assignment { sums: mut floats, mut counts } = assignment;
        let means = floats.chunks_exact_mut(dimension).zip(old.chunks_exact(dimension)).zip(&counts);
        for ((mean, old), count) in means {
            match *count {
                0 => mean.copy_from_slice(old),
                count => mean.iter_mut().for_each(|sum| *sum /= count as f32),
            }
        }
        for empty in 0..counts.len() {
            if counts.get(empty) == Some(&0) {
                split_longest(&mut floats, &mut counts, empty, dimension);
            }
        }
        self.normalize(&mut floats);
        floats
    }

    fn normalize(&self, floats: &mut [f32]) {
        if self.options.metric != Metric::L2 {
            floats.chunks_exact_mut(self.options.dimension).for_each(super::normalize);
        }
    }
}

/// Moves the centroid of the list `empty` next to that of the longest list, and divides its count.
fn split_longest(floats: &mut [f32], counts: &mut [usize], empty: usize, dimension: usize) {
    let longest = (0..).zip(counts.iter()).max_by_key(|(_, count)| **count).map_or(0, |(list, _)| list);
    let half = counts.get(longest).map_or(0, |count| count / 2);
    if half == 0 {
        return;
    }
    let mut centroid: Vec<f32> =
        floats.get(longest * dimension..).unwrap_or_default().iter().take(dimension).copied().collect();
    let mut place = |list: usize, centroid: &[f32]| {
        if let Some(place) = floats.get_mut(list * dimension..(list + 1) * dimension) {
            place.copy_from_slice(centroid);
        }
    };
    let mut sign = SPLIT;
    for float in &mut centroid {
        *float *= 1.0 + sign;
        sign = -sign;
    }
    place(empty, &centroid);
    for float in &mut centroid {
        *float *= 1.0 - sign.abs();
    }
    place(longest, &centroid);
    for (list, count) in [(longest, half), (empty, half)] {
        if let Some(place) = counts.get_mut(list) {
            *place = count;
        }
    }
}

impl Assignment {
    fn new(lists: usize, dimension: usize) -> Self {
        Assignment { sums: vec![0.0; lists * dimension], counts: vec![0; lists] }
    }

    fn note(&mut self, list: usize, vector: &[f32]) {
        let sums = self.sums.get_mut(list * vector.len()..).unwrap_or_default();
        sums.iter_mut().zip(vector).for_each(|(sum, float)| *sum += float);
        if let Some(count) = self.counts.get_mut(list) {
            *count += 1;
        }
    }

    fn add(&mut self, other: &Assignment) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }
}

/// Brings the vectors of a sample into random order.
pub(super) fn shuffle(sample: &mut [f32], dimension: usize, random: &mut Random) {
    for last in (1..sample.len() / dimension).rev() {
        let other = random.below(last as u64 + 1) as usize;
        if other < last {
            let (front, back) = sample.split_at_mut(last * dimension);
            let front = front.get_mut(other * dimension..).unwrap_or_default();
            front.iter_mut().zip(back).take(dimension).for_each(|(left, right)| std::mem::swap(left, right));
        }
    }
}
