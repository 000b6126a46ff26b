//! Hits of a query.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use errors::Result;
use owner::Interrupt;
use tantivy::TERMINATED;

use crate::hit::Hit;
use crate::matches::{Empty, Matches};
use crate::pulse::Pulse;
use crate::query::{Prepared, Query};
use crate::score::Scorer;
use crate::snapshot::SearchSnapshot;

/// Hits between two checks of a count.
const HITS_PER_CHECK: u64 = 4096;

/// The steps that a score costs, which is a sum over terms.
const STEPS_PER_SCORE: usize = 4;

/// The hits of a query, segment by segment and there in the order of documents.
pub struct Hits {
    snapshot: Arc<SearchSnapshot>,
    prepared: Prepared,
    /// The number of the current segment.
    segment: usize,
    matches: Box<dyn Matches>,
    /// The current document has not been returned yet.
    is_fresh: bool,
    pulse: Pulse,
}

impl Hits {
    /// Begins a query. Statistics of the scorers are those of the snapshot.
    ///
    /// The interrupt is checked while terms are looked up and documents are found, here and in all
    /// calls that follow. Errors: those of the interrupt and of the files.
    pub fn new(
        snapshot: Arc<SearchSnapshot>,
        query: &Query,
        scorers: &[Scorer],
        interrupt: &Interrupt,
    ) -> Result<Hits> {
        let pulse = Pulse::new(interrupt);
        let prepared = Prepared::new(&snapshot, query, scorers, &pulse)?;
        Hits::of(snapshot, prepared, pulse)
    }

    /// Begins a query for the hits with the greatest scores: see [`Hits::advance_above`].
    ///
    /// The first such query for a frequent term reads all of its documents once. Errors: as
    /// [`Hits::new`].
    pub fn ranked(
        snapshot: Arc<SearchSnapshot>,
        query: &Query,
        scorers: &[Scorer],
        interrupt: &Interrupt,
    ) -> Result<Hits> {
        let pulse = Pulse::new(interrupt);
        let prepared = Prepared::new(&snapshot, query, scorers, &pulse)?.ranked();
        Hits::of(snapshot, prepared, pulse)
    }

    fn of(snapshot: Arc<SearchSnapshot>, prepared: Prepared, pulse: Pulse) -> Result<Hits> {
        let matches = Box::new(Empty);
        let mut hits = Hits { snapshot, prepared, segment: 0, matches, is_fresh: true, pulse };
        hits.open()?;
        Ok(hits)
    }

    /// Returns the snapshot that the query reads.
    pub fn snapshot(&self) -> &Arc<SearchSnapshot> {
        &self.snapshot
    }

    /// Goes to the next hit, and returns it; `None` after the last.
    pub fn advance(&mut self) -> Result<Option<Hit>> {
        loop {
            let Some(part) = self.snapshot.parts().get(self.segment) else { return Ok(None) };
            self.pulse.step(1)?;
            let document = if std::mem::take(&mut self.is_fresh) {
                self.matches.document()
            } else {
                self.matches.advance()
            };
            // Matches that have stopped are no end.
            self.pulse.check()?;
            if document == TERMINATED {
                self.segment += 1;
                self.open()?;
            } else if part.alive.contains(document) {
                return Ok(Some(Hit { segment: self.segment as u32, document }));
            }
        }
    }

    /// Goes to a later hit, and returns it. It passes no hit whose score by a scorer is greater
    /// than `threshold`, and most others.
    ///
    /// Thresholds may grow from call to call. Nothing but this may be called to go on. Only hits of
    /// [`Hits::ranked`] have close bounds of their scores.
    pub fn advance_above(&mut self, scorer: usize, threshold: f32) -> Result<Option<Hit>> {
        // In the total order of floats, these are below or above other zeros and numbers.
        let is_usual = threshold.is_finite() && (threshold != 0.0 || threshold.is_sign_positive());
        let threshold = if is_usual { threshold } else { f32::NEG_INFINITY };
        loop {
            let Some(part) = self.snapshot.parts().get(self.segment) else { return Ok(None) };
            self.pulse.step(1)?;
            let target = if std::mem::take(&mut self.is_fresh) { 0 } else { self.matches.document() + 1 };
            let document = self.matches.seek_above(scorer, target, threshold);
            // Matches that have stopped are no end.
            self.pulse.check()?;
            if document == TERMINATED {
                self.segment += 1;
                self.open()?;
            } else if part.alive.contains(document) {
                return Ok(Some(Hit { segment: self.segment as u32, document }));
            }
        }
    }

    /// Returns the score of the current hit by one of the scorers.
    pub fn score(&mut self, scorer: usize) -> f32 {
        self.matches.score(scorer)
    }

    /// Returns the key of a hit.
    pub fn key(&self, hit: Hit) -> &str {
        self.snapshot.parts().get(hit.segment as usize).map_or("", |part| part.segment.key(hit.document))
    }

    /// Returns the revision of a hit.
    pub fn revision(&self, hit: Hit) -> u64 {
        let part = self.snapshot.parts().get(hit.segment as usize);
        part.map_or(0, |part| part.segment.revision(hit.document))
    }

    /// Returns what a hit has in a stored column: see [`crate::Segment::column`].
    pub fn column(&self, hit: Hit, column: usize) -> &[u8] {
        let part = self.snapshot.parts().get(hit.segment as usize);
        part.map_or(&[], |part| part.segment.column(hit.document, column))
    }

    /// Returns the `limit` hits with the greatest scores by the first scorer, the greatest first.
    ///
    /// Hits with the same score stand in the order of segments and documents.
    pub fn top(&mut self, limit: usize) -> Result<Vec<(Hit, f32)>> {
        let mut best: BinaryHeap<Ranked> = BinaryHeap::new();
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut threshold = f32::NEG_INFINITY;
        while let Some(hit) = self.advance_above(0, threshold)? {
            self.pulse.step(STEPS_PER_SCORE)?;
            let ranked = Ranked { score: self.score(0), hit };
            if best.len() < limit {
                best.push(ranked);
            } else if let Some(mut worst) = best.peek_mut().filter(|worst| ranked < **worst) {
                *worst = ranked;
            }
            if let Some(worst) = best.peek().filter(|_| best.len() == limit) {
                threshold = worst.score;
            }
        }
        Ok(best.into_sorted_vec().into_iter().map(|ranked| (ranked.hit, ranked.score)).collect())
    }

    /// Skips to the end, past the last hit, and returns the number of hits that it passes.
    ///
    /// `check` is called for each segment and from time to time; its error ends the count.
    pub fn count_rest(&mut self, check: &mut dyn FnMut() -> Result<()>) -> Result<u64> {
        self.count_segments(false, check)
    }

    /// As [`Hits::count_rest`], but estimates the hits of a segment unless the query has one term
    /// or finds all documents.
    pub fn estimate_rest(&mut self, check: &mut dyn FnMut() -> Result<()>) -> Result<u64> {
        self.count_segments(true, check)
    }

    fn count_segments(&mut self, roughly: bool, check: &mut dyn FnMut() -> Result<()>) -> Result<u64> {
        let mut count = 0;
        while let Some(part) = self.snapshot.parts().get(self.segment) {
            check()?;
            let (documents, dead) = (u64::from(part.alive.documents()), u64::from(part.alive.dead()));
            let known = match self.matches.count().filter(|_| self.is_fresh) {
                Some(all) if all == documents => Some(documents - dead),
                Some(found) if dead == 0 => Some(found),
                None if self.is_fresh && roughly => Some(self.matches.cost().min(documents - dead)),
                _ => None,
            };
            match known {
                Some(known) => count += known,
                None => loop {
                    let is_fresh = std::mem::take(&mut self.is_fresh);
                    let document = if is_fresh { self.matches.document() } else { self.matches.advance() };
                    self.pulse.step(1)?;
                    if document == TERMINATED {
                        break;
                    }
                    if part.alive.contains(document) {
                        count += 1;
                        if count % HITS_PER_CHECK == 0 {
                            check()?;
                        }
                    }
                },
            }
            self.pulse.check()?;
            self.segment += 1;
            self.open()?;
        }
        Ok(count)
    }

    fn open(&mut self) -> Result<()> {
        self.is_fresh = true;
        if let Some(part) = self.snapshot.parts().get(self.segment) {
            self.matches = self.prepared.matches(&part.segment, self.segment, &self.pulse)?;
        }
        self.pulse.check()
    }
}

/// A hit in the order of results: the better is the lesser.
#[derive(PartialEq)]
struct Ranked {
    score: f32,
    hit: Hit,
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.hit.cmp(&other.hit))
    }
}
