//! Documents that at least some of several matches have.

use tantivy::{DocId, TERMINATED};

use super::{Bound, Empty, Matches};
use crate::pulse::Pulse;

/// The documents that at least this many parts have. Their score is the sum over these parts.
pub(crate) struct Disjunction {
    parts: Vec<Box<dyn Matches>>,
    at_least: usize,
    document: DocId,
    range: Option<Range>,
    pulse: Pulse,
}

/// The bounds of documents up to a last one.
struct Range {
    last: DocId,
    /// The bound of each part.
    bounds: Vec<f32>,
    sum: f32,
    /// The parts without which a document of the range cannot be above the threshold.
    is_essential: Vec<bool>,
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
        let mut disjunction = Disjunction { parts, at_least, document: 0, range: None, pulse: pulse.clone() };
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

impl Disjunction {
    /// Returns the bounds of the documents from `target` on, up to the last one for which they
    /// hold.
    fn range_from(&mut self, scorer: usize, target: DocId, threshold: f32) -> Range {
        let mut range = Range { last: TERMINATED, bounds: Vec::new(), sum: 0.0, is_essential: Vec::new() };
        for part in &mut self.parts {
            let bound = bound_from(part, scorer, target);
            range.last = range.last.min(bound.last);
            range.sum += bound.score;
            range.bounds.push(bound.score);
        }
        // Those with the least bounds that together do not reach the threshold are not essential.
        let mut order: Vec<usize> = (0..range.bounds.len()).collect();
        let bound = |place: &usize| range.bounds.get(*place).copied().unwrap_or(f32::INFINITY);
        order.sort_unstable_by(|left, right| bound(left).total_cmp(&bound(right)));
        let margin = 1.0 + f64::from(f32::EPSILON) * 2.0 * order.len() as f64;
        let mut sum = 0.0;
        let beyond = order.iter().position(|place| {
            sum += f64::from(bound(place));
            sum * margin > f64::from(threshold)
        });
        range.is_essential = vec![true; order.len()];
        for place in order.into_iter().take(beyond.unwrap_or(usize::MAX)) {
            if let Some(is_essential) = range.is_essential.get_mut(place) {
                *is_essential = false;
            }
        }
        range
    }

    /// Goes to the first document of the range from `target` on whose score may be above the
    /// threshold, and returns it; `None` if there is none. Parts that are not essential may stay
    /// behind then.
    fn seek_in(&mut self, range: &Range, scorer: usize, target: DocId, threshold: f32) -> Option<DocId> {
        let mut target = target;
        loop {
            let mut first = TERMINATED;
            for (part, is_essential) in self.parts.iter_mut().zip(&range.is_essential) {
                if *is_essential {
                    first = first.min(part.seek(target));
                }
            }
            if first > range.last || first == TERMINATED || self.pulse.is_over(self.parts.len()) {
                return None;
            }
            let mut possible = 0.0;
            let each = self.parts.iter_mut().zip(&range.is_essential).zip(&range.bounds);
            for ((part, is_essential), bound) in each {
                possible += match is_essential {
                    false => *bound,
                    true if part.document() == first => part.score(scorer),
                    true => 0.0,
                };
            }
            // A score that is not a number is above all.
            if possible > threshold || possible.is_nan() {
                for part in &mut self.parts {
                    part.seek(first);
                }
                return Some(first);
            }
            if first == range.last {
                return None;
            }
            target = first + 1;
        }
    }
}

/// Returns a bound of a part, which has no documents before the one at which it stands.
fn bound_from(part: &mut Box<dyn Matches>, scorer: usize, target: DocId) -> Bound {
    match part.document() {
        document if document > target => Bound { score: 0.0, last: document - 1 },
        _ => part.bound(scorer, target),
    }
}

impl Matches for Disjunction {
    fn document(&self) -> DocId {
        self.document
    }

    fn advance(&mut self) -> DocId {
        self.range = None;
        if self.document != TERMINATED {
            self.leave(self.document);
            self.settle();
        }
        self.document
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.range = None;
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

    fn bound(&mut self, scorer: usize, target: DocId) -> Bound {
        let bounds = self.parts.iter_mut().map(|part| bound_from(part, scorer, target));
        bounds.fold(Bound::ZERO, Bound::plus)
    }

    fn seek_above(&mut self, scorer: usize, target: DocId, threshold: f32) -> DocId {
        if self.at_least > 1 {
            return self.seek_above_by_bounds(scorer, target, threshold);
        }
        let mut target = target;
        loop {
            let range = match self.range.take() {
                // A greater threshold makes fewer parts essential, and these are enough.
                Some(range) if target <= range.last => range,
                _ => {
                    self.parts.retain(|part| part.document() != TERMINATED);
                    self.range_from(scorer, target, threshold)
                }
            };
            if range.sum > threshold
                && let Some(document) = self.seek_in(&range, scorer, target, threshold)
            {
                self.document = document;
                self.range = Some(range);
                return document;
            }
            if range.last == TERMINATED || self.parts.is_empty() || self.pulse.is_over(self.parts.len()) {
                self.document = TERMINATED;
                return TERMINATED;
            }
            target = range.last + 1;
        }
    }

    fn cost(&self) -> u64 {
        self.parts.iter().map(|part| part.cost()).sum()
    }
}
