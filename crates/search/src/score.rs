//! Scores of documents.
//!
//! ```text
//! BM25    idf · (k + 1) · tf / (tf + k · (1 - b + b · length / average length))
//!         idf = ln(1 + (N - n + 0.5) / (n + 0.5))
//! TFIDF   idf · √tf  [/ √length if normalized]
//!         idf = 1 + ln((N + 1) / (n + 1))
//! ```
//! N is the number of documents with the field, and n the number of those with the term. tf is the
//! number of times that the term occurs in the document, and length that of all tokens in its
//! field. A phrase is one term with the sum of the idf of its parts. A query's score is the sum
//! over its terms. Deleted documents count until their segments are merged.

/// A function that scores documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scorer {
    /// Okapi BM25 with its parameters `k` and `b`.
    Bm25 {
        /// The influence of the term frequency.
        k: f32,
        /// The influence of the length, from 0 to 1.
        b: f32,
    },
    /// Term frequency and inverse document frequency.
    Tfidf {
        /// Divide by the square root of the length.
        normalize: bool,
    },
}

/// The statistics of a field over all segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldStatistics {
    /// The number of documents with the field.
    pub(crate) documents: u64,
    /// The mean number of tokens of these; `None` if the field does not store it.
    pub(crate) average_length: Option<f64>,
}

impl Scorer {
    /// Returns the inverse document frequency of a term that this many documents have.
    pub(crate) fn idf(self, field: &FieldStatistics, frequency: u64) -> f64 {
        let (all, having) = (field.documents as f64, frequency as f64);
        match self {
            Scorer::Bm25 { .. } => (1.0 + ((all - having).max(0.0) + 0.5) / (having + 0.5)).ln(),
            Scorer::Tfidf { .. } => 1.0 + ((all + 1.0) / (having + 1.0)).ln(),
        }
    }

    /// Returns the weight of a term or phrase with this idf, multiplied by `boost`.
    pub(crate) fn weight(self, field: &FieldStatistics, idf: f64, boost: f32) -> Weight {
        let idf = idf * f64::from(boost);
        match self {
            Scorer::Bm25 { k, b } => {
                let (k, b) = (f64::from(k), f64::from(b));
                let (base, per_token) = match field.average_length {
                    Some(average) if average > 0.0 => (k * (1.0 - b), k * b / average),
                    _ => (k, 0.0),
                };
                Weight::Bm25 { factor: idf * (k + 1.0), base, per_token }
            }
            Scorer::Tfidf { normalize } => {
                Weight::Tfidf { factor: idf, normalize: normalize && field.average_length.is_some() }
            }
        }
    }
}

/// The part of a score's formula that is the same for all documents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Weight {
    Bm25 { factor: f64, base: f64, per_token: f64 },
    Tfidf { factor: f64, normalize: bool },
}

/// The least `base` of BM25, and the least and greatest `per_token`, with which rounding cannot
/// give a document a greater score than one with a higher frequency or fewer tokens.
///
/// Two frequencies below 65,535 change the score by a part of 1e-13 at least, two lengths by one of
/// 1e-12, and rounding by 1e-15.
const BASE_MIN: f64 = 1e-3;
const PER_TOKEN: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl Weight {
    /// Returns true if scores grow with the frequency and fall with the length, rounding included.
    ///
    /// Parameters may be any numbers, negative ones too.
    pub(crate) fn is_monotonic(self) -> bool {
        match self {
            Weight::Bm25 { factor, base, per_token } => {
                let has_sane_lengths = per_token == 0.0 || PER_TOKEN.contains(&per_token);
                is_usual(factor) && (BASE_MIN..1e6).contains(&base) && has_sane_lengths
            }
            Weight::Tfidf { factor, .. } => is_usual(factor),
        }
    }

    /// Returns a number that no score exceeds, if the weight is monotonic.
    pub(crate) fn limit(self) -> f32 {
        match self {
            // The division rounds to the factor at most.
            Weight::Bm25 { factor, .. } => factor as f32,
            Weight::Tfidf { .. } => f32::INFINITY,
        }
    }

    /// Returns the score of a document in which the term occurs `frequency` times among `length`
    /// tokens.
    #[inline]
    pub(crate) fn score(self, frequency: u32, length: u32) -> f32 {
        let (frequency, length) = (f64::from(frequency), f64::from(length));
        let score = match self {
            Weight::Bm25 { factor, base, per_token } => {
                factor * frequency / (frequency + base + per_token * length)
            }
            Weight::Tfidf { factor, normalize: true } => factor * frequency.sqrt() / length.max(1.0).sqrt(),
            Weight::Tfidf { factor, normalize: false } => factor * frequency.sqrt(),
        };
        score as f32
    }
}

/// Returns true for a factor that makes scores from 0 on.
fn is_usual(factor: f64) -> bool {
    (0.0..f64::from(f32::MAX)).contains(&factor) && factor.is_sign_positive()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented example of `BOOST()`: five documents with 7 tokens.
    #[test]
    fn scores_are_those_of_the_documentation() {
        let field = FieldStatistics { documents: 5, average_length: Some(1.4) };
        let bm25 = Scorer::Bm25 { k: 1.2, b: 0.75 };
        let foo = bm25.weight(&field, bm25.idf(&field, 3), 2.5).score(1, 1);
        let bar = bm25.weight(&field, bm25.idf(&field, 2), 1.0).score(1, 1);
        assert!((foo - 1.525_835_6).abs() < 1e-5, "{foo}");
        assert!((bar - 0.991_339_6).abs() < 1e-5, "{bar}");
    }
}
