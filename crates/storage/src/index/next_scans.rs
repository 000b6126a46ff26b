//! Scans of the ranges that come next, which fetch their first pairs while an earlier one is read.

use std::collections::VecDeque;

use errors::Result;

/// The number of scans that are opened ahead at first: the caller may end before it reads them.
const FIRST: usize = 8;

/// Maximum number of scans that are opened ahead. Each holds a page of the engine.
const MOST: usize = 64;

/// The scans that were opened ahead, in order.
pub struct NextScans<S> {
    scans: VecDeque<S>,
    /// The number of scans that were opened ahead last.
    size: usize,
}

impl<S> Default for NextScans<S> {
    fn default() -> Self {
        NextScans { scans: VecDeque::new(), size: 0 }
    }
}

impl<S> NextScans<S> {
    /// Returns the number of scans that are ahead.
    pub fn len(&self) -> usize {
        self.scans.len()
    }

    /// Returns true if no scan is ahead.
    pub fn is_empty(&self) -> bool {
        self.scans.is_empty()
    }

    /// Forgets the scans that are ahead.
    pub fn clear(&mut self) {
        self.scans.clear();
    }

    /// Returns the next scan, or `None` after the last one.
    ///
    /// `open` opens one scan after the other. Where concurrent reads help, others are
    /// opened as well, and `fetch` makes all of them fetch their first pairs.
    pub fn next(
        &mut self,
        concurrent_reads: usize,
        mut open: impl FnMut() -> Result<Option<S>>,
        fetch: impl Fn(&mut S) -> Result<()>,
    ) -> Result<Option<S>> {
        let next = match self.scans.pop_front() {
            Some(scan) => Some(scan),
            None => open()?,
        };
        let Some(mut next) = next else { return Ok(None) };
        let most = concurrent_reads.min(MOST);
        if most > 1 && self.scans.len() * 2 <= self.size {
            fetch(&mut next)?;
            self.size = (self.size * 2).clamp(FIRST.min(most), most);
            while self.scans.len() < self.size
                && let Some(mut scan) = open()?
            {
                fetch(&mut scan)?;
                self.scans.push_back(scan);
            }
        }
        Ok(Some(next))
    }

    /// Returns the scans that were opened ahead.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.scans.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the maximum number of scans that were ahead.
    fn run(concurrent_reads: usize, scans: usize) -> usize {
        let (mut next, mut opened, mut most) = (NextScans::default(), 0, 0);
        for expected in 0..scans {
            let open = || {
                opened += 1;
                Ok((opened <= scans).then_some(opened - 1))
            };
            assert_eq!(next.next(concurrent_reads, open, |_| Ok(())).unwrap(), Some(expected));
            most = most.max(next.len());
        }
        assert_eq!(next.next(concurrent_reads, || Ok(None), |_| Ok(())).unwrap(), None);
        most
    }

    #[test]
    fn scans_come_in_order_and_a_bounded_number_is_ahead() {
        assert_eq!((run(1, 100), run(4, 100), run(64, 100), run(64, 3)), (0, 4, MOST, 2));
    }
}
