//! Combinations of matches.

use tantivy::{DocId, TERMINATED};

use super::{Empty, Matches};
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

    fn cost(&self) -> u64 {
        self.parts.first().map_or(0, |part| part.cost())
    }
}

/// The documents that at least this many parts have. Their score is the sum over these parts.
pub(crate) struct Disjunction {
    parts: Vec<Box<dyn Matches>>,
    at_least: usize,
    document: DocId,
    pulse: Pulse,
}

impl Disjunction {
    /// Returns the documents that at least `at_least` parts have.
    pub(crate) fn of(mut parts: Vec<Box<dyn Matches>>, at_least: usize, pulse: &Pulse) -> Box<dyn Matches> {
        parts.retain(|part| part.document() != TERMINATED);
        if parts.len() < at_least.max(1) {
            return Box::new(Empty);
        }
        if parts.len() == 1 {
            return parts.pop().unwrap_or_else(|| Box::new(Empty));
        }
        let mut disjunction = Disjunction { parts, at_least, document: 0, pulse: pulse.clone() };
        disjunction.settle();
        Box::new(disjunction)
    }

    /// Advances to the first document that enough parts have.
    fn settle(&mut self) -> DocId {
        loop {
            let first = self.parts.iter().map(|part| part.document()).min();
            let enough = self.parts.len() >= self.at_least && !self.pulse.is_over(self.parts.len());
            let first = first.filter(|_| enough).unwrap_or(TERMINATED);
            self.document = first;
            if first == TERMINATED || self.at_least <= 1 {
                return first;
            }
            if self.parts.iter().filter(|part| part.document() == first).count() >= self.at_least {
                return first;
            }
            self.leave(first);
        }
    }

    /// Moves the parts that stand at a document, and forgets those that have no more.
    fn leave(&mut self, document: DocId) {
        let mut ended = false;
        for part in self.parts.iter_mut().filter(|part| part.document() == document) {
            ended |= part.advance() == TERMINATED;
        }
        if ended {
            self.parts.retain(|part| part.document() != TERMINATED);
        }
    }
}

impl Matches for Disjunction {
    fn document(&self) -> DocId {
        self.document
    }

    fn advance(&mut self) -> DocId {
        if self.document != TERMINATED {
            self.leave(self.document);
            self.settle();
        }
        self.document
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document < target {
            for part in &mut self.parts {
                part.seek(target);
            }
            self.parts.retain(|part| part.document() != TERMINATED);
            self.settle();
        }
        self.document
    }

    fn score(&mut self, scorer: usize) -> f32 {
        let document = self.document;
        let parts = self.parts.iter_mut().filter(|part| part.document() == document);
        parts.map(|part| part.score(scorer)).sum()
    }

    fn cost(&self) -> u64 {
        self.parts.iter().map(|part| part.cost()).sum()
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

    fn cost(&self) -> u64 {
        self.included.cost()
    }
}
