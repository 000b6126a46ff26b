//! Hits of a query.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use errors::Result;
use tantivy::TERMINATED;

use crate::hit::Hit;
use crate::matches::{Empty, Matches};
use crate::query::{Prepared, Query};
use crate::score::Scorer;
use crate::snapshot::SearchSnapshot;

/// The hits of a query, segment by segment and there in the order of documents.
pub struct Hits {
    snapshot: Arc<SearchSnapshot>,
    prepared: Prepared,
    /// The number of the current segment.
    segment: usize,
    matches: Box<dyn Matches>,
    /// The current document has not been returned yet.
    is_fresh: bool,
}

impl Hits {
    /// Begins a query. Statistics of the scorers are those of the snapshot.
    pub fn new(snapshot: Arc<SearchSnapshot>, query: &Query, scorers: &[Scorer]) -> Result<Hits> {
        let prepared = Prepared::new(&snapshot, query, scorers)?;
        let mut hits = Hits { snapshot, prepared, segment: 0, matches: Box::new(Empty), is_fresh: true };
        hits.open()?;
        Ok(hits)
    }

    /// Returns the snapshot that the query reads.
    pub fn snapshot(&self) -> &Arc<SearchSnapshot> {
        &self.snapshot
    }

    /// Goes to the next hit, and returns it; `None` behind the last.
    pub fn advance(&mut self) -> Result<Option<Hit>> {
        loop {
            let Some(part) = self.snapshot.parts().get(self.segment) else { return Ok(None) };
            let document = if std::mem::take(&mut self.is_fresh) {
                self.matches.document()
            } else {
                self.matches.advance()
            };
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
        while let Some(hit) = self.advance()? {
            let ranked = Ranked { score: self.score(0), hit };
            if best.len() < limit {
                best.push(ranked);
            } else if let Some(mut worst) = best.peek_mut().filter(|worst| ranked < **worst) {
                *worst = ranked;
            }
        }
        Ok(best.into_sorted_vec().into_iter().map(|ranked| (ranked.hit, ranked.score)).collect())
    }

    fn open(&mut self) -> Result<()> {
        self.is_fresh = true;
        if let Some(part) = self.snapshot.parts().get(self.segment) {
            self.matches = self.prepared.matches(&part.segment, self.segment)?;
        }
        Ok(())
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
