//! Documents with tokens one after another.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

use super::Matches;
use crate::pulse::Pulse;
use crate::score::Weight;
use crate::segment::Lengths;

/// One position of a phrase: the tokens that may stand there.
pub(crate) struct Slot {
    /// The documents of each token.
    tokens: Vec<SegmentPostings>,
    /// The place of the position relative to the first slot's.
    offset: i64,
    document: DocId,
}

impl Slot {
    pub(crate) fn new(tokens: Vec<SegmentPostings>, offset: i64) -> Self {
        let mut slot = Slot { tokens, offset, document: 0 };
        slot.settle();
        slot
    }

    fn settle(&mut self) -> DocId {
        self.document = self.tokens.iter().map(|token| token.doc()).min().unwrap_or(TERMINATED);
        self.document
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document < target {
            for token in self.tokens.iter_mut().filter(|token| token.doc() < target) {
                token.seek(target);
            }
            self.settle();
        }
        self.document
    }

    fn cost(&self) -> u64 {
        self.tokens.iter().map(|token| u64::from(token.doc_freq())).sum()
    }

    /// Writes where the phrase would begin for each position in the current document, in order.
    fn starts(&mut self, positions: &mut Vec<u32>, starts: &mut Vec<i64>) {
        starts.clear();
        let tokens = self.tokens.iter_mut().filter(|token| token.doc() == self.document);
        for token in tokens {
            token.positions(positions);
            starts.extend(positions.iter().map(|position| i64::from(*position) - self.offset));
        }
        starts.sort_unstable();
        starts.dedup();
    }
}

/// The documents with a phrase.
pub(crate) struct PhraseMatches {
    /// The rarest first.
    slots: Vec<Slot>,
    weights: Vec<Weight>,
    lengths: Option<Lengths>,
    document: DocId,
    frequency: u32,
    positions: Vec<u32>,
    starts: Vec<i64>,
    others: Vec<i64>,
    pulse: Pulse,
}

impl PhraseMatches {
    /// Returns the documents with the slots at their places; none without slots.
    pub(crate) fn new(
        mut slots: Vec<Slot>,
        weights: Vec<Weight>,
        lengths: Option<Lengths>,
        pulse: &Pulse,
    ) -> Self {
        slots.sort_by_key(Slot::cost);
        let document = if slots.is_empty() { TERMINATED } else { 0 };
        let mut matches = PhraseMatches {
            slots,
            weights,
            lengths,
            document,
            frequency: 0,
            positions: Vec::new(),
            starts: Vec::new(),
            others: Vec::new(),
            pulse: pulse.clone(),
        };
        matches.seek_phrase(document);
        matches
    }

    fn seek_phrase(&mut self, target: DocId) -> DocId {
        let mut target = target;
        loop {
            self.document = self.seek_all(target);
            if self.document == TERMINATED {
                return TERMINATED;
            }
            let steps = self.slots.iter().map(|slot| 1 + slot.tokens.len()).sum();
            if self.pulse.is_over(steps) {
                self.document = TERMINATED;
                return TERMINATED;
            }
            self.frequency = self.count();
            if self.frequency > 0 {
                return self.document;
            }
            target = self.document + 1;
        }
    }

    /// Goes to the first document that all slots have.
    fn seek_all(&mut self, target: DocId) -> DocId {
        let mut target = target;
        while target != TERMINATED {
            if self.pulse.is_over(self.slots.len()) {
                return TERMINATED;
            }
            let behind = self.slots.iter_mut().map(|slot| slot.seek(target)).find(|found| *found > target);
            match behind {
                Some(found) => target = found,
                None => break,
            }
        }
        target
    }

    /// Returns how often the phrase occurs in the document at which all slots stand.
    fn count(&mut self) -> u32 {
        let Some((first, rest)) = self.slots.split_first_mut() else { return 0 };
        first.starts(&mut self.positions, &mut self.starts);
        for slot in rest {
            if self.starts.is_empty() {
                return 0;
            }
            slot.starts(&mut self.positions, &mut self.others);
            self.starts.retain(|start| self.others.binary_search(start).is_ok());
        }
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }
}

impl Matches for PhraseMatches {
    fn document(&self) -> DocId {
        self.document
    }

    fn advance(&mut self) -> DocId {
        if self.document == TERMINATED { TERMINATED } else { self.seek_phrase(self.document + 1) }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document >= target { self.document } else { self.seek_phrase(target) }
    }

    fn score(&mut self, scorer: usize) -> f32 {
        let Some(weight) = self.weights.get(scorer) else { return 0.0 };
        let length = self.lengths.as_ref().map_or(0, |lengths| lengths.of(self.document));
        weight.score(self.frequency, length)
    }

    fn cost(&self) -> u64 {
        self.slots.first().map_or(0, Slot::cost)
    }
}
