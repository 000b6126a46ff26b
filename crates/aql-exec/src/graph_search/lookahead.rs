//! The vertices of a list that a search prefetches before it reads their edges.

use std::ops::Range;

/// The number of vertices in the first prefetch: the search may end before it reads them.
const FIRST: usize = 16;

/// Maximum number of vertices at the front of a queue that are prefetched repeatedly. The queue's
/// order changes while it is read.
pub(crate) const QUEUE_FRONT: usize = 16;

/// The prefetched part of a list that is read in order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lookahead {
    /// The first position that was not prefetched.
    until: usize,
    /// The number of positions in the last prefetch.
    size: usize,
}

impl Lookahead {
    /// Returns the positions to prefetch before the search reads position `at` of a list of `len`,
    /// so that at most `most` are prefetched but not read.
    pub(crate) fn advance(&mut self, at: usize, len: usize, most: usize) -> Range<usize> {
        let ahead = self.until.saturating_sub(at);
        if most <= 1 || self.until >= len || ahead * 2 > self.size {
            return 0..0;
        }
        self.size = (self.size * 2).clamp(FIRST.min(most), most);
        let start = self.until.max(at);
        self.until = len.min(at + self.size);
        start..self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_is_prefetched_once_and_before_it_is_read() {
        for (len, most) in [(1, 64), (40, 64), (1000, 64), (1000, 2), (1000, 7)] {
            let (mut ahead, mut prefetched, mut steps) = (Lookahead::default(), 0, 0);
            for at in 0..len {
                let range = ahead.advance(at, len, most);
                if !range.is_empty() {
                    assert_eq!(range.start, prefetched);
                    prefetched = range.end;
                    steps += 1;
                }
                assert!(prefetched > at && prefetched - at <= most);
            }
            assert_eq!(prefetched, len);
            assert!(steps <= 3 + 2 * len.div_ceil(most), "{steps} steps");
        }
    }

    #[test]
    fn nothing_is_prefetched_where_reads_do_not_wait() {
        let mut ahead = Lookahead::default();
        assert!((0..100).all(|at| ahead.advance(at, 100, 1).is_empty()));
    }
}
