//! The pages of a scan. The next ones are fetched while one is read.
//!
//! A scan reads its range in *parts*, in order. At first there is one part: the whole range. A
//! forward scan that reads far learns the bounds of the next regions from PD, and cuts its last
//! part there. Each part then has one page in flight, so several stores work for the scan
//! concurrently.
//!
//! Bounds are only hints. A page ends where its region ends now, and a part takes as many pages as
//! it needs, so regions may split, move or merge during the scan.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use kv::{KeyRange, Result};

use crate::fetch::{PAGE_ROWS_MAX, Page, PageSpec, bytes};
use crate::protocol::kv::KvPair;
use crate::read::page_ahead::PageAhead;
use crate::read::state::State;

/// The bytes that a page should have, once the size of the pairs is known.
const PAGE_BYTES: usize = 4 << 20;

/// Maximum number of rows of the first page, when the size of the pairs is not known.
pub(crate) const FIRST_ROWS_MAX: usize = 256;

/// Maximum number of parts that are read concurrently.
pub(crate) const PARTS_MAX: usize = 4;

/// The bytes that a scan holds ahead of its reader at most, as far as the size of pairs can be
/// told from earlier ones.
pub(crate) const AHEAD_BYTES: usize = PARTS_MAX * PAGE_BYTES;

/// The number of regions whose bounds a scan requests in one message.
const REGIONS_PER_PLAN: usize = 16;

/// The pages of a scan that has begun.
pub(crate) struct ReadAhead {
    /// The manner of the pages.
    manner: PageSpec,
    /// The end of the scan's range.
    end: Vec<u8>,
    /// The parts that were not read to their ends, in order.
    parts: VecDeque<Part>,
    /// The number of parts that may be read concurrently now.
    parts_limit: usize,
    plan: Plan,
    /// The rows of the next page.
    rows: usize,
    /// The average bytes of a pair of the last page.
    average: usize,
    /// The scan reads far, so its second page is fetched without being asked for.
    is_long: bool,
    is_first: bool,
}

/// A part of a scan's range.
struct Part {
    /// The first key that was asked for last, or that will be.
    start: Vec<u8>,
    /// The keys for which no page was requested; `None` if there are none, or while a page is
    /// awaited.
    rest: Option<KeyRange>,
    /// The end of the part, if it does not reach to the end of the scan.
    cut: Option<Vec<u8>>,
    /// The page that was asked for.
    next: Option<PageAhead>,
}

/// The knowledge of the bounds of regions.
enum Plan {
    /// Nothing is known after the last part's start.
    Unknown,
    Awaited(Receiver<Vec<Vec<u8>>>),
    /// The next bounds in order. The flag is true if there are more bounds after them.
    Known(VecDeque<Vec<u8>>, bool),
}

impl ReadAhead {
    /// Prepares a scan, whose first page has at most `rows` rows. It fetches nothing yet.
    pub(crate) fn new(spec: PageSpec, rows: usize, is_long: bool) -> Self {
        let rest = (!spec.range.is_empty()).then(|| spec.range.clone());
        ReadAhead {
            end: spec.range.end.clone(),
            parts: rest.map(Part::new).into_iter().collect(),
            parts_limit: 1,
            // PD tells bounds in ascending order only.
            plan: if is_long && !spec.reverse { Plan::Unknown } else { Plan::Known(VecDeque::new(), false) },
            rows: rows.min(FIRST_ROWS_MAX),
            average: 1,
            is_long,
            is_first: true,
            manner: spec,
        }
    }

    /// Begins to fetch the next page, unless that has happened.
    pub(crate) fn fetch(&mut self, state: &Arc<State>) {
        if let Some(part) = self.parts.front_mut() {
            part.fetch(state, &self.manner, self.rows, self.average);
        }
    }

    /// Waits for the next page; `None` after the last one.
    pub(crate) fn next(&mut self, state: &Arc<State>) -> Result<Option<Vec<KvPair>>> {
        self.fetch(state);
        let Some(part) = self.parts.front_mut() else { return Ok(None) };
        let pairs = part.take()?;
        state.check()?;
        if part.rest.is_none() {
            self.parts.pop_front();
        }
        if !pairs.is_empty() {
            self.average = bytes(&pairs) / pairs.len() + 1;
        }
        self.rows = (self.rows * 4).min(PAGE_BYTES / self.average).clamp(1, PAGE_ROWS_MAX);
        // A scan that continues after its first page is likely to continue further.
        if self.is_long || !self.is_first {
            self.go_on(state);
        }
        self.is_first = false;
        Ok(Some(pairs))
    }

    /// Fetches what will be read next, as far as the bounds allow.
    fn go_on(&mut self, state: &Arc<State>) {
        self.fetch(state);
        self.parts_limit = (self.parts_limit * 2).min(PARTS_MAX);
        while self.parts.len() < self.parts_limit
            && self.held_bytes() + self.rows * self.average <= AHEAD_BYTES
            && let Some(bound) = self.next_bound(state)
            && let Some(last) = self.parts.back_mut()
        {
            last.cut_at(&bound);
            let mut part = Part::new(KeyRange { start: bound, end: self.end.clone() });
            part.fetch(state, &self.manner, self.rows, self.average);
            self.parts.push_back(part);
        }
    }

    /// Returns the bytes of pages that have arrived, plus an estimate for pages in flight.
    fn held_bytes(&mut self) -> usize {
        self.parts.iter_mut().filter_map(|part| part.next.as_mut()).map(PageAhead::held_bytes).sum()
    }

    /// Returns the next bound at which the last part can be cut, if it is known yet.
    fn next_bound(&mut self, state: &Arc<State>) -> Option<Vec<u8>> {
        let last = &self.parts.back()?.start;
        if let Plan::Awaited(bounds) = &self.plan {
            self.plan = match bounds.try_recv() {
                Ok(bounds) => {
                    let has_more = bounds.len() >= REGIONS_PER_PLAN;
                    Plan::Known(bounds.into(), has_more)
                }
                Err(TryRecvError::Empty) => return None,
                // Without PD the scan reads one region after the other.
                Err(TryRecvError::Disconnected) => Plan::Known(VecDeque::new(), false),
            };
        }
        if let Plan::Known(bounds, has_more) = &mut self.plan {
            while let Some(bound) = bounds.pop_front() {
                if bound > *last && bound < self.end {
                    return Some(bound);
                }
            }
            if !*has_more {
                return None;
            }
        }
        let (sender, receiver) = sync_channel(1);
        let (client, start, end) = (Arc::clone(&state.store.client), last.clone(), self.end.clone());
        state.store.spawn(async move {
            if let Ok(regions) = client.regions_in(&start, &end, REGIONS_PER_PLAN).await {
                // The scan may have ended by now.
                let _ = sender.send(regions.iter().map(|region| region.end.clone()).collect());
            }
        });
        self.plan = Plan::Awaited(receiver);
        None
    }
}

impl Part {
    fn new(rest: KeyRange) -> Self {
        Part { start: rest.start.clone(), rest: Some(rest), cut: None, next: None }
    }

    /// Asks for the next page, unless that has happened.
    fn fetch(&mut self, state: &Arc<State>, manner: &PageSpec, rows: usize, average: usize) {
        let Some(range) = self.rest.take() else { return };
        self.start.clone_from(&range.start);
        self.next = Some(PageAhead::fetch(state, PageSpec { range, ..*manner }, rows, average));
    }

    /// Waits for the page that was asked for. Keeps what is left of the part.
    fn take(&mut self) -> Result<Vec<KvPair>> {
        let Some(page) = self.next.take() else { return Ok(Vec::new()) };
        let Page { mut pairs, mut rest } = page.wait()?;
        if let Some(cut) = &self.cut {
            // The page may have come from a region that has merged with the next one.
            pairs.truncate(pairs.partition_point(|pair| pair.key < *cut));
            rest = rest.map(|rest| KeyRange { end: cut.clone(), ..rest }).filter(|rest| !rest.is_empty());
        }
        self.rest = rest;
        Ok(pairs)
    }

    /// Ends a part at a bound after its start, at which the next page was requested.
    fn cut_at(&mut self, bound: &[u8]) {
        self.cut = Some(bound.to_vec());
    }
}
