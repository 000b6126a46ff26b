//! The greatest frequencies and least lengths in the blocks of a term's documents, so that a search
//! for the best documents skips blocks (block-max; Ding and Suel, "Faster Top-k Document Retrieval
//! Using Block-Max Indexes", 2011).
//!
//! Tantivy stores such maxima for its own scores, whose lengths are rounded. Scores of
//! [`crate::score`] have exact lengths and other formulas. So a segment computes maxima for
//! them when a search first needs those of a term. They are kept in memory.

use errors::Result;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::{DocId, DocSet, TERMINATED};

use super::Lengths;
use crate::pulse::Pulse;

/// Documents of a block: those of a block of tantivy's, so that a skipped block is not decoded.
const BLOCK_DOCUMENTS: u32 = 128;

/// Maximum number of corners of a block.
const CORNERS_MAX: usize = 12;

/// The maxima of one term's blocks.
pub(crate) struct BlockMaxima {
    blocks: Vec<Block>,
    corners: Vec<Corner>,
}

/// A block of documents.
struct Block {
    /// Its last document.
    last: DocId,
    /// The end of its corners, which begin at the end of those before.
    end: u32,
}

/// A pair that documents of a block do not exceed: each has at most the frequency and at least the
/// length of one of its corners.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Corner {
    /// [`u16::MAX`] stands for that and more.
    frequency: u16,
    /// [`u16::MAX`] stands for that and more.
    length: u16,
}

impl Corner {
    /// Returns the greatest frequency; `None` if it is unknown.
    pub(crate) fn frequency(self) -> Option<u32> {
        (self.frequency < u16::MAX).then_some(u32::from(self.frequency))
    }

    /// Returns a length that no document is below.
    pub(crate) fn length(self) -> u32 {
        u32::from(self.length)
    }

    fn covers(self, other: Corner) -> bool {
        self.frequency >= other.frequency && self.length <= other.length
    }
}

impl BlockMaxima {
    /// Reads the documents of a term. Errors: those of the interrupt.
    pub(crate) fn of(
        postings: &mut SegmentPostings,
        lengths: Option<&Lengths>,
        pulse: &Pulse,
    ) -> Result<BlockMaxima> {
        let mut maxima = BlockMaxima { blocks: Vec::new(), corners: Vec::new() };
        let mut open: Vec<Corner> = Vec::with_capacity(CORNERS_MAX + 1);
        let (mut count, mut last) = (0, 0);
        while postings.doc() != TERMINATED {
            last = postings.doc();
            let frequency = u16::try_from(postings.term_freq()).unwrap_or(u16::MAX);
            let length = lengths.map_or(0, |lengths| lengths.of(last));
            add(&mut open, Corner { frequency, length: u16::try_from(length).unwrap_or(u16::MAX) });
            count += 1;
            if count == BLOCK_DOCUMENTS {
                pulse.step(BLOCK_DOCUMENTS as usize)?;
                maxima.close(last, &mut open);
                count = 0;
            }
            postings.advance();
        }
        if count > 0 {
            maxima.close(last, &mut open);
        }
        maxima.blocks.shrink_to_fit();
        maxima.corners.shrink_to_fit();
        Ok(maxima)
    }

    fn close(&mut self, last: DocId, open: &mut Vec<Corner>) {
        self.corners.append(open);
        self.blocks.push(Block { last, end: u32::try_from(self.corners.len()).unwrap_or(u32::MAX) });
    }

    /// Returns the bytes of memory that they take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>() + self.corners.capacity() * size_of::<Corner>()
    }

    /// Returns the first block from `block` on that ends at or behind a document; the number of
    /// blocks if there is none.
    pub(crate) fn block_of(&self, document: DocId, block: usize) -> usize {
        let ends_before = |at: usize| self.blocks.get(at).is_some_and(|block| block.last < document);
        if !ends_before(block) {
            return block;
        }
        if !ends_before(block + 1) {
            return block + 1;
        }
        let rest = self.blocks.get(block..).unwrap_or_default();
        block + rest.partition_point(|block| block.last < document)
    }

    /// Returns the last document of a block and its corners; `None` behind the last block.
    pub(crate) fn block(&self, block: usize) -> Option<(DocId, &[Corner])> {
        let found = self.blocks.get(block)?;
        let start =
            block.checked_sub(1).and_then(|before| self.blocks.get(before)).map_or(0, |before| before.end);
        Some((found.last, self.corners.get(start as usize..found.end as usize)?))
    }
}

/// Adds a document to the corners of a block.
fn add(corners: &mut Vec<Corner>, document: Corner) {
    if corners.iter().any(|corner| corner.covers(document)) {
        return;
    }
    corners.retain(|corner| !document.covers(*corner));
    corners.push(document);
    if corners.len() > CORNERS_MAX {
        join_closest(corners);
    }
}

/// Replaces two corners that differ little by one that covers both.
fn join_closest(corners: &mut Vec<Corner>) {
    // No corner covers another, so lengths grow with frequencies.
    corners.sort_unstable_by_key(|corner| corner.frequency);
    let loss = |place: usize| {
        let (Some(low), Some(high)) = (corners.get(place), corners.get(place + 1)) else {
            return f32::INFINITY;
        };
        let share = |low: u16, high: u16| f32::from(high - low) / f32::from(high.max(1));
        share(low.frequency, high.frequency) * share(low.length, high.length)
    };
    let places = 0..corners.len().saturating_sub(1);
    let closest = places.min_by(|left, right| loss(*left).total_cmp(&loss(*right)));
    if let Some(place) = closest {
        let length = corners.remove(place).length;
        if let Some(joint) = corners.get_mut(place) {
            joint.length = length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_below_a_corner() {
        let mut corners = Vec::new();
        let mut documents = Vec::new();
        let mut state = 1_u32;
        for _ in 0..500 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let frequency = (state >> 16) as u16 % 60;
            // Frequent terms are in long documents, so that there are many corners.
            let document = Corner { frequency, length: frequency * 3 + (state >> 8) as u16 % 7 };
            documents.push(document);
            add(&mut corners, document);
            assert!(corners.len() <= CORNERS_MAX);
            assert!(documents.iter().all(|document| corners.iter().any(|corner| corner.covers(*document))));
        }
    }
}
