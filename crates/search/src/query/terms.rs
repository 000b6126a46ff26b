//! The terms of one condition, looked up in all segments.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use errors::Result;
use tantivy::DocSet;
use tantivy::postings::TermInfo;

use super::Matcher;
use super::dictionary::TermSource;
use super::levenshtein::Levenshtein;
use crate::analysis::Dictionary;
use crate::document_set::DocumentSet;
use crate::matches::{Disjunction, Empty, Matches, SetMatches, TermMatches};
use crate::pulse::Pulse;
use crate::schema::FieldRef;
use crate::score::{FieldStatistics, Scorer, Weight};
use crate::segment::{Lengths, Segment};
use crate::snapshot::SearchSnapshot;
use crate::term::{self, Presence};

/// Maximum number of terms of one condition whose documents are read one by one, not collected into
/// a set.
const LISTS_MAX: usize = 16;

/// Maximum number of terms of one condition that count for scores: those of most documents.
const SCORED_TERMS_MAX: usize = 128;

/// Maximum number of terms of one condition that are compared to find those that count.
const COMPARED_TERMS_MAX: usize = 100_000;

/// The steps that it costs to open the documents of one term.
pub(crate) const STEPS_PER_LIST: usize = 16;

/// The scoring of one field.
pub(crate) struct FieldScoring<'q> {
    pub(crate) scorers: &'q [Scorer],
    pub(crate) statistics: FieldStatistics,
    /// The prefix of the field's tokens.
    pub(crate) prefix: String,
    pub(crate) boost: f32,
}

impl<'q> FieldScoring<'q> {
    /// Returns the scoring of a field; `None` if nobody asks for scores or the field lacks
    /// frequencies.
    pub(crate) fn of(
        snapshot: &SearchSnapshot,
        field: &FieldRef,
        scorers: &'q [Scorer],
        boost: f32,
    ) -> Result<Option<Self>> {
        if scorers.is_empty() || !field.analysis.features.frequency {
            return Ok(None);
        }
        let path = field.path.as_str();
        let prefix = term::text_prefix(path, &field.analysis.name);
        let presence = term::presence_term(path, &Presence::Analyzer(field.analysis.name.clone()));
        let (mut documents, mut tokens, mut has_lengths) = (0, 0, false);
        for segment in snapshot.segments() {
            let info = segment.term(Dictionary::Documents, presence.as_bytes())?;
            documents += info.map_or(0, |info| u64::from(info.doc_freq));
            if let Some(lengths) = segment.lengths(&prefix)? {
                has_lengths = true;
                tokens += lengths.total;
            }
        }
        let has_lengths = has_lengths && field.analysis.features.norm && documents > 0;
        let average_length = has_lengths.then(|| tokens as f64 / documents as f64);
        let statistics = FieldStatistics { documents, average_length };
        Ok(Some(FieldScoring { scorers, statistics, prefix, boost }))
    }

    /// Returns the weights of a term or phrase, one for each scorer, with the idf summed over the
    /// numbers of documents of its parts.
    pub(crate) fn weights(&self, frequencies: &[u64]) -> Vec<Weight> {
        let weight = |scorer: &Scorer| {
            let idf = frequencies.iter().map(|frequency| scorer.idf(&self.statistics, *frequency)).sum();
            scorer.weight(&self.statistics, idf, self.boost)
        };
        self.scorers.iter().map(weight).collect()
    }

    /// Returns the lengths that scores in a segment need.
    pub(crate) fn lengths(&self, segment: &Segment) -> Result<Option<Lengths>> {
        if self.statistics.average_length.is_none() { Ok(None) } else { segment.lengths(&self.prefix) }
    }
}

/// The terms of one condition in all segments.
pub(crate) struct TermSet {
    dictionary: Dictionary,
    segments: Vec<SegmentTerms>,
    /// The weights of each scored term.
    weights: Vec<Vec<Weight>>,
}

/// The terms of one condition that count for scores.
#[derive(Default)]
struct Scored<'s> {
    /// The places of the terms in `weights`.
    places: HashMap<Vec<u8>, usize>,
    weights: Vec<Vec<Weight>>,
    scoring: Option<&'s FieldScoring<'s>>,
}

/// The terms of one condition in one segment.
#[derive(Default)]
struct SegmentTerms {
    /// Terms that count for scores, with their places in [`TermSet::weights`].
    scored: Vec<(TermInfo, usize)>,
    /// Terms that do not count.
    plain: Vec<TermInfo>,
    /// The documents of further terms.
    documents: Option<DocumentSet>,
    lengths: Option<Lengths>,
}

impl TermSet {
    /// Looks up terms that have no scores.
    pub(crate) fn plain(
        snapshot: &SearchSnapshot,
        dictionary: Dictionary,
        source: &TermSource<'_>,
        pulse: &Pulse,
    ) -> Result<TermSet> {
        TermSet::new(snapshot, dictionary, source, Scored::default(), pulse)
    }

    /// Looks up the tokens of a field that match.
    pub(crate) fn tokens(
        snapshot: &SearchSnapshot,
        field: &FieldRef,
        matcher: &Matcher,
        scoring: Option<&FieldScoring<'_>>,
        pulse: &Pulse,
    ) -> Result<TermSet> {
        let dictionary = field.analysis.dictionary();
        let matcher = narrowed(snapshot, field, matcher, pulse)?;
        let prefix = term::text_prefix(field.path.as_str(), &field.analysis.name);
        let source = TermSource::tokens(&prefix, &matcher);
        let Some(scoring) = scoring else { return TermSet::plain(snapshot, dictionary, &source, pulse) };
        let frequencies = frequent(frequencies(snapshot, dictionary, &source, pulse)?);
        let weights = frequencies.iter().map(|(_, frequency)| scoring.weights(&[*frequency])).collect();
        let places = frequencies.into_iter().enumerate().map(|(place, (term, _))| (term, place)).collect();
        TermSet::new(snapshot, dictionary, &source, Scored { places, weights, scoring: Some(scoring) }, pulse)
    }

    fn new(
        snapshot: &SearchSnapshot,
        dictionary: Dictionary,
        source: &TermSource<'_>,
        scored: Scored<'_>,
        pulse: &Pulse,
    ) -> Result<TermSet> {
        let mut segments = Vec::new();
        for segment in snapshot.segments() {
            let mut terms = SegmentTerms::default();
            source.for_each(segment.dictionary(dictionary).terms(), pulse, &mut |term, info| {
                match scored.places.get(term) {
                    Some(place) => terms.scored.push((info.clone(), *place)),
                    None => terms.add_plain(segment, dictionary, info, pulse)?,
                }
                Ok(())
            })?;
            if let Some(scoring) = scored.scoring.filter(|_| !terms.scored.is_empty()) {
                terms.lengths = scoring.lengths(segment)?;
            }
            segments.push(terms);
        }
        Ok(TermSet { dictionary, segments, weights: scored.weights })
    }

    /// Returns the documents of one segment that have any of the terms. The scores of ranked ones
    /// have bounds.
    pub(crate) fn matches(
        &self,
        segment: &Segment,
        index: usize,
        is_ranked: bool,
        pulse: &Pulse,
    ) -> Result<Box<dyn Matches>> {
        let Some(terms) = self.segments.get(index) else { return Ok(Box::new(Empty)) };
        let mut lists: Vec<Box<dyn Matches>> = Vec::new();
        for (info, place) in &terms.scored {
            pulse.step(STEPS_PER_LIST)?;
            let weights = self.weights.get(*place).cloned().unwrap_or_default();
            let postings = segment.postings(self.dictionary, info)?;
            let maxima = match is_ranked {
                true => segment.block_maxima(self.dictionary, info, terms.lengths.as_ref(), pulse)?,
                false => None,
            };
            let matches = TermMatches::new(postings, weights, terms.lengths.clone());
            lists.push(Box::new(matches.with_maxima(maxima)));
        }
        for info in &terms.plain {
            pulse.step(STEPS_PER_LIST)?;
            let postings = segment.postings(self.dictionary, info)?;
            lists.push(Box::new(TermMatches::new(postings, Vec::new(), None)));
        }
        if let Some(documents) = &terms.documents {
            lists.push(Box::new(SetMatches::new(documents.clone())));
        }
        Ok(Disjunction::of(lists, 1, pulse))
    }
}

impl SegmentTerms {
    fn add_plain(
        &mut self,
        segment: &Segment,
        dictionary: Dictionary,
        info: &TermInfo,
        pulse: &Pulse,
    ) -> Result<()> {
        if self.documents.is_none() && self.plain.len() < LISTS_MAX {
            self.plain.push(info.clone());
            return Ok(());
        }
        let documents = self.documents.get_or_insert_with(|| DocumentSet::new(segment.documents()));
        for info in self.plain.drain(..).chain([info.clone()]) {
            pulse.step(STEPS_PER_LIST)?;
            let mut postings = segment.postings(dictionary, &info)?;
            while postings.doc() < segment.documents() {
                pulse.step(1)?;
                documents.insert(postings.doc());
                postings.advance();
            }
        }
        Ok(())
    }
}

/// Returns the number of documents of each term; none if there are too many to compare.
pub(crate) fn frequencies(
    snapshot: &SearchSnapshot,
    dictionary: Dictionary,
    source: &TermSource<'_>,
    pulse: &Pulse,
) -> Result<HashMap<Vec<u8>, u64>> {
    let mut frequencies: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut too_many = false;
    for segment in snapshot.segments() {
        source.for_each(segment.dictionary(dictionary).terms(), pulse, &mut |term, info| {
            if let Some(frequency) = frequencies.get_mut(term) {
                *frequency += u64::from(info.doc_freq);
            } else if frequencies.len() < COMPARED_TERMS_MAX {
                frequencies.insert(term.to_vec(), u64::from(info.doc_freq));
            } else {
                too_many = true;
            }
            Ok(())
        })?;
    }
    Ok(if too_many { HashMap::new() } else { frequencies })
}

/// Returns the terms that count for scores.
fn frequent(frequencies: HashMap<Vec<u8>, u64>) -> Vec<(Vec<u8>, u64)> {
    let mut terms: Vec<_> = frequencies.into_iter().collect();
    terms.sort_unstable_by(|left, right| (Reverse(left.1), &left.0).cmp(&(Reverse(right.1), &right.0)));
    terms.truncate(SCORED_TERMS_MAX);
    terms
}

/// Returns a matcher for the most similar tokens if it is limited to a number of them.
pub(crate) fn narrowed<'q>(
    snapshot: &SearchSnapshot,
    field: &FieldRef,
    matcher: &'q Matcher,
    pulse: &Pulse,
) -> Result<Cow<'q, Matcher>> {
    let Matcher::Levenshtein(similar) = matcher else { return Ok(Cow::Borrowed(matcher)) };
    if similar.max_terms == 0 {
        return Ok(Cow::Borrowed(matcher));
    }
    let dictionary = field.analysis.dictionary();
    let prefix = term::text_prefix(field.path.as_str(), &field.analysis.name);
    let levenshtein = Levenshtein::new(&similar.target, similar.distance, similar.transpositions);
    let mut tokens = Vec::new();
    let source = TermSource::tokens(&prefix, matcher);
    for term in frequencies(snapshot, dictionary, &source, pulse)?.into_keys() {
        pulse.step(1 + similar.target.len())?;
        let token = term.get(prefix.len()..).and_then(|token| std::str::from_utf8(token).ok());
        let Some(token) = token else { continue };
        let rest = token.strip_prefix(similar.prefix.as_str()).unwrap_or(token);
        tokens.push((levenshtein.distance(rest), token.to_owned()));
    }
    tokens.sort_unstable();
    tokens.truncate(similar.max_terms);
    Ok(Cow::Owned(Matcher::AnyOf(tokens.into_iter().map(|(_, token)| token).collect())))
}
