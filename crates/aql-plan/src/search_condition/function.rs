//! Functions whose first argument is a field.

/// A function of searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchFunction {
    /// `EXISTS()`
    Exists,
    /// `IN_RANGE()`
    InRange,
    /// `LEVENSHTEIN_MATCH()`
    LevenshteinMatch,
    /// `LIKE()` and the operator.
    Like,
    /// `MINHASH_MATCH()`
    MinhashMatch,
    /// `NGRAM_MATCH()`
    NgramMatch,
    /// `PHRASE()`
    Phrase,
    /// `STARTS_WITH()`
    StartsWith,
}

const FUNCTIONS: &[(&str, SearchFunction)] = &[
    ("EXISTS", SearchFunction::Exists),
    ("IN_RANGE", SearchFunction::InRange),
    ("LEVENSHTEIN_MATCH", SearchFunction::LevenshteinMatch),
    ("LIKE", SearchFunction::Like),
    ("MINHASH_MATCH", SearchFunction::MinhashMatch),
    ("NGRAM_MATCH", SearchFunction::NgramMatch),
    ("PHRASE", SearchFunction::Phrase),
    ("STARTS_WITH", SearchFunction::StartsWith),
];

impl SearchFunction {
    /// Returns the function of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(own, _)| *own == name).map(|(_, function)| *function)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }
}
