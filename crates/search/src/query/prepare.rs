//! A query whose terms are looked up in all segments.

use std::ops::RangeInclusive;
use std::sync::Arc;

use errors::Result;
use tantivy::postings::{SegmentPostings, TermInfo};

use super::dictionary::TermSource;
use super::terms::{FieldScoring, STEPS_PER_LIST, TermSet, frequencies, narrowed};
use super::{PhrasePart, Query};
use crate::analysis::Dictionary;
use crate::hit_set::HitSet;
use crate::matches::{
    Conjunction, Disjunction, Empty, Exclusion, Gram, Matches, NestedMatches, NgramMatches, PhraseMatches,
    SetMatches, Slot,
};
use crate::pulse::Pulse;
use crate::schema::FieldRef;
use crate::score::{Scorer, Weight};
use crate::segment::{Lengths, Segment};
use crate::snapshot::SearchSnapshot;
use crate::term;

/// The maximum distance between two parts of a phrase. No document has that many tokens.
const OFFSET_MAX: i64 = 1 << 40;

/// A query with its terms in every segment of a snapshot, and their weights.
pub(crate) struct Prepared {
    root: Node,
    scorers: usize,
    /// Scores are given bounds ([`Matches::bound`]).
    is_ranked: bool,
}

enum Node {
    All,
    None,
    Documents(Arc<HitSet>),
    Terms(TermSet),
    Phrase(Sequence),
    Ngrams(Sequence, usize),
    Boolean { included: Vec<Node>, excluded: Vec<Node> },
    AtLeast(usize, Vec<Node>),
    Nested { elements: Vec<u8>, node: Box<Node>, counts: RangeInclusive<u32> },
}

/// A phrase, or the n-grams of a text.
struct Sequence {
    /// The parts, with their places relative to the first.
    parts: Vec<(i64, SequencePart)>,
    weights: Vec<Weight>,
    /// The lengths in each segment.
    lengths: Vec<Option<Lengths>>,
}

/// The terms of one part in each segment.
type SequencePart = Vec<Vec<TermInfo>>;

impl Prepared {
    /// Looks up the terms of a query.
    pub(crate) fn new(
        snapshot: &SearchSnapshot,
        query: &Query,
        scorers: &[Scorer],
        pulse: &Pulse,
    ) -> Result<Prepared> {
        let root = Preparation { snapshot, scorers, pulse }.node(query, 1.0)?;
        Ok(Prepared { root, scorers: scorers.len(), is_ranked: false })
    }

    /// Gives the scores of matches bounds.
    pub(crate) fn ranked(self) -> Prepared {
        Prepared { is_ranked: true, ..self }
    }

    /// Returns the documents of one segment that match, deleted ones included.
    pub(crate) fn matches(&self, segment: &Segment, index: usize, pulse: &Pulse) -> Result<Box<dyn Matches>> {
        let (universe, scorers, is_ranked) = (term::ROOT.as_bytes(), self.scorers, self.is_ranked);
        let level = Level { segment, index, universe, scorers, is_ranked, pulse };
        level.matches(&self.root)
    }
}

/// The lookup of a query's terms.
struct Preparation<'q> {
    snapshot: &'q SearchSnapshot,
    scorers: &'q [Scorer],
    pulse: &'q Pulse,
}

impl Preparation<'_> {
    fn node(&self, query: &Query, boost: f32) -> Result<Node> {
        self.pulse.step(1)?;
        Ok(match query {
            Query::All => Node::All,
            Query::None => Node::None,
            Query::Documents(documents) => Node::Documents(Arc::clone(documents)),
            Query::Keys(keys) => {
                let terms = keys.iter().map(|key| term::key_term(key).into_bytes());
                self.plain(&TermSource::Exactly(terms.collect()))?
            }
            Query::Value(path, value) => self.plain(&TermSource::value(path.as_str(), value))?,
            Query::ValueRange(path, bounds) => self.plain(&TermSource::value_range(path.as_str(), bounds))?,
            Query::Exists(path, presence) => {
                let term = term::presence_term(path.as_str(), presence).into_bytes();
                self.plain(&TermSource::Exactly(vec![term]))?
            }
            Query::Tokens(field, matcher) => {
                let scoring = self.scoring(field, boost)?;
                Node::Terms(TermSet::tokens(self.snapshot, field, matcher, scoring.as_ref(), self.pulse)?)
            }
            Query::Phrase(field, parts) => self.phrase(field, parts, boost)?,
            Query::NgramMatch { field, grams, threshold } => self.ngrams(field, grams, *threshold, boost)?,
            Query::And(queries) => self.conjunction(queries, boost)?,
            Query::AtLeast(0, _) => Node::All,
            Query::AtLeast(count, queries) => Node::AtLeast(*count, self.nodes(queries, boost)?),
            Query::Not(query) => {
                Node::Boolean { included: Vec::new(), excluded: vec![self.unscored().node(query, 1.0)?] }
            }
            Query::Boost(query, factor) => self.node(query, boost * factor)?,
            Query::Nested { path, query, counts } => Node::Nested {
                elements: term::element_term(&path.clone().nested()).into_bytes(),
                node: Box::new(self.node(query, boost)?),
                counts: counts.clone(),
            },
        })
    }

    fn unscored(&self) -> Preparation<'_> {
        Preparation { scorers: &[], ..*self }
    }

    fn nodes(&self, queries: &[Query], boost: f32) -> Result<Vec<Node>> {
        queries.iter().map(|query| self.node(query, boost)).collect()
    }

    fn plain(&self, source: &TermSource<'_>) -> Result<Node> {
        Ok(Node::Terms(TermSet::plain(self.snapshot, Dictionary::Documents, source, self.pulse)?))
    }

    fn scoring(&self, field: &FieldRef, boost: f32) -> Result<Option<FieldScoring<'_>>> {
        FieldScoring::of(self.snapshot, field, self.scorers, boost)
    }

    fn conjunction(&self, queries: &[Query], boost: f32) -> Result<Node> {
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        for query in queries {
            match query {
                Query::Not(query) => excluded.push(self.unscored().node(query, 1.0)?),
                query => included.push(self.node(query, boost)?),
            }
        }
        Ok(Node::Boolean { included, excluded })
    }

    fn phrase(&self, field: &FieldRef, parts: &[PhrasePart], boost: f32) -> Result<Node> {
        let mut offset = 0_i64;
        let mut slots = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                let next = offset.saturating_add(part.skip).saturating_add(1);
                offset = next.clamp(-OFFSET_MAX, OFFSET_MAX);
            }
            let matcher = narrowed(self.snapshot, field, &part.matcher, self.pulse)?;
            slots.push((offset, matcher));
        }
        let prefix = term::text_prefix(field.path.as_str(), &field.analysis.name);
        let sources = slots.iter().map(|(offset, matcher)| (*offset, TermSource::tokens(&prefix, matcher)));
        let sources: Vec<_> = sources.collect();
        let sequence = self.sequence(field, &sources, boost)?;
        Ok(sequence.map_or(Node::None, Node::Phrase))
    }

    fn ngrams(&self, field: &FieldRef, grams: &[String], threshold: f64, boost: f32) -> Result<Node> {
        let prefix = term::text_prefix(field.path.as_str(), &field.analysis.name);
        let source = |gram: &String| {
            TermSource::Exactly(vec![[prefix.as_bytes(), term::bounded(gram).as_bytes()].concat()])
        };
        let sources = grams.iter().enumerate().map(|(place, gram)| (place as i64, source(gram)));
        // A product such as 3 · 0.1 · 10 must not need a fourth n-gram.
        let needed = (grams.len() as f64 * threshold - 1e-9).ceil().max(1.0) as usize;
        let sources: Vec<_> = sources.collect();
        let sequence = self.sequence(field, &sources, boost)?;
        Ok(sequence.map_or(Node::None, |sequence| Node::Ngrams(sequence, needed)))
    }

    /// Looks up the terms of the parts; `None` for a field without positions or no parts.
    fn sequence(
        &self,
        field: &FieldRef,
        sources: &[(i64, TermSource<'_>)],
        boost: f32,
    ) -> Result<Option<Sequence>> {
        if field.analysis.dictionary() != Dictionary::Positions || sources.is_empty() {
            return Ok(None);
        }
        let scoring = self.scoring(field, boost)?;
        let (mut parts, mut counts) = (Vec::new(), Vec::new());
        for (offset, source) in sources {
            if let Some(scoring) = &scoring {
                let having = frequencies(self.snapshot, Dictionary::Positions, source, self.pulse)?
                    .into_values()
                    .sum();
                counts.push(u64::min(having, scoring.statistics.documents));
            }
            parts.push((*offset, self.part(source)?));
        }
        let weights = scoring.as_ref().map(|scoring| scoring.weights(&counts)).unwrap_or_default();
        let lengths = self.snapshot.segments().map(|segment| match &scoring {
            Some(scoring) => scoring.lengths(segment),
            None => Ok(None),
        });
        Ok(Some(Sequence { parts, weights, lengths: lengths.collect::<Result<_>>()? }))
    }

    fn part(&self, source: &TermSource<'_>) -> Result<SequencePart> {
        let mut part = Vec::new();
        for segment in self.snapshot.segments() {
            let mut terms = Vec::new();
            source.for_each(
                segment.dictionary(Dictionary::Positions).terms(),
                self.pulse,
                &mut |_, info| {
                    terms.push(info.clone());
                    Ok(())
                },
            )?;
            part.push(terms);
        }
        Ok(part)
    }
}

/// One segment, and the level of nesting at which a query looks for documents.
#[derive(Clone, Copy)]
struct Level<'s> {
    segment: &'s Segment,
    index: usize,
    /// The term of all documents of the level.
    universe: &'s [u8],
    scorers: usize,
    is_ranked: bool,
    pulse: &'s Pulse,
}

impl Level<'_> {
    fn matches(&self, node: &Node) -> Result<Box<dyn Matches>> {
        self.pulse.step(1)?;
        Ok(match node {
            Node::All => self.all()?,
            Node::None => Box::new(Empty),
            Node::Documents(set) => match set.documents(self.index) {
                Some(documents) => Box::new(SetMatches::new(documents.clone())),
                None => Box::new(Empty),
            },
            Node::Terms(terms) => terms.matches(self.segment, self.index, self.is_ranked, self.pulse)?,
            Node::Phrase(phrase) => self.phrase(phrase)?,
            Node::Ngrams(sequence, needed) => self.ngrams(sequence, *needed)?,
            Node::AtLeast(count, nodes) => Disjunction::of(self.each(nodes)?, *count, self.pulse),
            Node::Boolean { included, excluded } => {
                let included = if included.is_empty() {
                    self.all()?
                } else {
                    Conjunction::of(self.each(included)?, self.pulse)
                };
                if excluded.is_empty() {
                    return Ok(included);
                }
                let excluded = Disjunction::of(self.each(excluded)?, 1, self.pulse);
                Box::new(Exclusion::new(included, excluded, self.pulse))
            }
            Node::Nested { elements, node, counts } => {
                let nested = Level { universe: elements, ..*self }.matches(node)?;
                Box::new(NestedMatches::new(self.all()?, nested, counts.clone(), self.scorers, self.pulse))
            }
        })
    }

    fn each(&self, nodes: &[Node]) -> Result<Vec<Box<dyn Matches>>> {
        nodes.iter().map(|node| self.matches(node)).collect()
    }

    /// Returns all documents of the level.
    fn all(&self) -> Result<Box<dyn Matches>> {
        let Some(info) = self.segment.term(Dictionary::Documents, self.universe)? else {
            return Ok(Box::new(Empty));
        };
        let postings = self.segment.postings(Dictionary::Documents, &info)?;
        Ok(Box::new(crate::matches::TermMatches::new(postings, Vec::new(), None)))
    }

    fn postings(&self, part: &SequencePart) -> Result<Vec<SegmentPostings>> {
        let terms = part.get(self.index).map(Vec::as_slice).unwrap_or_default();
        let postings = |info: &TermInfo| {
            self.pulse.step(STEPS_PER_LIST)?;
            self.segment.postings(Dictionary::Positions, info)
        };
        terms.iter().map(postings).collect()
    }

    fn lengths(&self, sequence: &Sequence) -> Option<Lengths> {
        sequence.lengths.get(self.index).cloned().flatten()
    }

    fn phrase(&self, phrase: &Sequence) -> Result<Box<dyn Matches>> {
        let slot = |(offset, part): &(i64, SequencePart)| Ok(Slot::new(self.postings(part)?, *offset));
        let slots = phrase.parts.iter().map(slot).collect::<Result<Vec<_>>>()?;
        Ok(Box::new(PhraseMatches::new(slots, phrase.weights.clone(), self.lengths(phrase), self.pulse)))
    }

    fn ngrams(&self, sequence: &Sequence, needed: usize) -> Result<Box<dyn Matches>> {
        let mut grams: Vec<(u64, Gram)> = Vec::new();
        for (place, part) in &sequence.parts {
            let Some(info) = part.get(self.index).and_then(|terms| terms.first()) else { continue };
            let (place, start) = (*place as u32, info.postings_range.start as u64);
            self.pulse.step(1 + grams.len() / 16)?;
            match grams.iter_mut().find(|(known, _)| *known == start) {
                Some((_, gram)) => gram.places.push(place),
                None => {
                    let postings = self.segment.postings(Dictionary::Positions, info)?;
                    grams.push((start, Gram { postings, places: vec![place] }));
                }
            }
        }
        let grams = grams.into_iter().map(|(_, gram)| gram).collect();
        let lengths = self.lengths(sequence);
        Ok(Box::new(NgramMatches::new(grams, needed, sequence.weights.clone(), lengths, self.pulse)))
    }
}
