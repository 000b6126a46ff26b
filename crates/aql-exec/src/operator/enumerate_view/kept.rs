//! The hits of a search that is the same for every incoming row.

use aql_value::Charge;

use super::Found;

/// Maximum number of hits that are kept. A search with more is performed for each row.
const MAX_KEPT: usize = 1 << 16;

/// Hits in memory.
pub(super) struct KeptHits {
    found: Vec<Found>,
    charge: Charge,
}

impl KeptHits {
    pub(super) fn new(charge: Charge) -> Self {
        Self { found: Vec::new(), charge }
    }

    /// Adds hits; `None` if they are too many, or if there is no memory for them.
    pub(super) fn with(mut self, more: &[Found]) -> Option<Self> {
        if self.found.len() + more.len() > MAX_KEPT {
            return None;
        }
        let scores = more.iter().map(|found| size_of_val(&*found.scores)).sum::<usize>();
        self.charge.grow((size_of_val(more) + scores) as u64).ok()?;
        self.found.extend_from_slice(more);
        Some(self)
    }

    /// Returns at most `wanted` hits from a position on.
    pub(super) fn part(&self, position: usize, wanted: usize) -> Vec<Found> {
        self.found.iter().skip(position).take(wanted).cloned().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aql_value::MemoryAccount;
    use search::Hit;

    use super::*;

    fn hits(count: usize) -> Vec<Found> {
        (0..count as u32)
            .map(|document| Found { hit: Hit { segment: 0, document }, scores: [0.5].into() })
            .collect()
    }

    #[test]
    fn parts_follow_each_other() {
        let kept = KeptHits::new(Charge::new(Arc::new(MemoryAccount::unlimited())));
        let kept = kept.with(&hits(3)).and_then(|kept| kept.with(&hits(2))).unwrap();
        let documents = |part: Vec<Found>| part.iter().map(|found| found.hit.document).collect::<Vec<_>>();
        assert_eq!(
            (kept.len(), documents(kept.part(0, 4)), documents(kept.part(4, 4))),
            (5, vec![0, 1, 2, 0], vec![1])
        );
    }

    #[test]
    fn too_many_hits_are_not_kept() {
        let new = || KeptHits::new(Charge::new(Arc::new(MemoryAccount::unlimited())));
        assert!(new().with(&hits(MAX_KEPT)).is_some());
        assert!(new().with(&hits(MAX_KEPT)).and_then(|kept| kept.with(&hits(1))).is_none());
    }
}
