//! Combinations of matches.

use tantivy::{DocId, TERMINATED};

use super::{Bound, Empty, Matches};
use crate::pulse::Pulse;

/// The documents that all have. Their score is the sum.
pub(crate) struct Conjunction {
    /// The rarest first.
    parts: Vec<Box<dyn Matches>>,
    document: DocId,
    pulse: Pulse,
}

impl Conjunction {
    /// Returns the documents that all parts have; none if there are no parts.
    pub(crate) fn of(mut parts: Vec<Box<dyn Matches>>, pulse: &Pulse) -> Box<dyn Matches> {
        match parts.len() {
            0 => Box::new(Empty),
            1 => parts.pop().unwrap_or_else(|| Box::new(Empty)),
            _ => {
                parts.sort_by_key(|part| part.cost());
                let mut conjunction = Conjunction { parts, document: 0, pulse: pulse.clone() };
                conjunction.seek_all(0);
                Box::new(conjunction)
            }
        }
    }

    fn seek_all(&mut self, target: DocId) -> DocId {
        let mut target = target;
        'search: loop {
            if self.pulse.is_over(self.parts.len()) {
                target = TERMINATED;
                break;
            }
            for part in &mut self.parts {
                let document = part.seek(target);
                if document > target {
                    target = document;
                    // The first part may be behind now.
                    if target == TERMINATED {
                        break 'search;
                    }
                    continue 'search;
                }
            }
            break;
        }
        self.document = target;
        target
    }
}

impl Matches for Conjunction {
    fn document(&self) -> DocId {
        self.document
    }

    fn advance(&mut self) -> DocId {
        if self.document == TERMINATED { TERMINATED } else { self.seek_all(self.document + 1) }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document >= target { self.document } else { self.seek_all(target) }
    }

    fn score(&mut self, scorer: usize) -> f32 {
        self.parts.iter_mut().map(|part| part.score(scorer)).sum()
    }

    fn bound(&mut self, scorer: usize, target: DocId) -> Bound {
        let bounds = self.parts.iter_mut().map(|part| part.bound(scorer, target));
        bounds.fold(Bound::ZERO, Bound::plus)
    }

    fn cost(&self) -> u64 {
        self.parts.first().map_or(0, |part| part.cost())
    }
}

/// The documents of one that another does not have. Their score is that of the first.
pub(crate) struct Exclusion {
    included: Box<dyn Matches>,
    excluded: Box<dyn Matches>,
    pulse: Pulse,
    /// True if the search has stopped.
    is_over: bool,
}

impl Exclusion {
    pub(crate) fn new(included: Box<dyn Matches>, excluded: Box<dyn Matches>, pulse: &Pulse) -> Self {
        let mut exclusion = Exclusion { included, excluded, pulse: pulse.clone(), is_over: false };
        exclusion.settle();
        exclusion
    }

    fn settle(&mut self) -> DocId {
        loop {
            let document = self.document();
            if document == TERMINATED || self.excluded.seek(document) != document {
                return document;
            }
            self.included.advance();
            self.is_over = self.pulse.is_over(1);
        }
    }
}

impl Matches for Exclusion {
    fn document(&self) -> DocId {
        if self.is_over { TERMINATED } else { self.included.document() }
    }

    fn advance(&mut self) -> DocId {
        self.included.advance();
        self.settle()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.included.seek(target);
        self.settle()
    }

    fn score(&mut self, scorer: usize) -> f32 {
        self.included.score(scorer)
    }

    fn bound(&mut self, scorer: usize, target: DocId) -> Bound {
        self.included.bound(scorer, target)
    }

    fn cost(&self) -> u64 {
        self.included.cost()
    }
}
