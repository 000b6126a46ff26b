//! The pace of writers: they may not be ahead of the indexer by more than it soon makes up for.
//!
//! A text index shows a commit after the next step of the indexer, and a step takes as long as it
//! has pairs to index. So writers that are faster than the indexer would be seen ever later. Before
//! it begins, a transaction or a load waits until the pairs that are not shown yet take the indexer
//! at most [`AHEAD`] and the interval between its steps. The wait holds no lock and no thread of a
//! pool. It ends after [`WAIT_MAX`] in any case, so that an indexer that fails stops nobody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::Result;

/// The time that the indexer may need for the pairs that are not shown, besides its interval.
const AHEAD: Duration = Duration::from_secs(1);

/// The maximum wait of a transaction.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// The time between two looks at the indexer.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The pairs that the indexer is expected to index in a second before it has shown its speed.
const FIRST_RATE: u64 = 10_000;

/// The pairs from which on a step tells the speed of the indexer.
const TELLING_PAIRS: u64 = 200;

/// The progress of one index.
#[derive(Debug)]
pub(crate) struct Pace {
    created: Instant,
    /// The pairs that transactions have made so far, whether they were committed or not.
    added: AtomicU64,
    /// The same at the beginning of the last step that was shown.
    shown: AtomicU64,
    /// The pairs that the indexer indexes in a second.
    rate: AtomicU64,
    /// The time in which writers may be ahead; 0 while nothing makes steps by itself.
    ahead_ms: AtomicU64,
    /// The time of the first pair since the last step began, in milliseconds after `created` and
    /// one; 0 if there is none.
    pending_since: AtomicU64,
    /// The same at the beginning of the step that is being made, or has failed.
    taken_since: AtomicU64,
}

/// A step that is being made.
#[derive(Debug)]
pub(crate) struct PaceOfStep {
    added: u64,
    begun: Instant,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            created: Instant::now(),
            added: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            rate: AtomicU64::new(FIRST_RATE),
            ahead_ms: AtomicU64::new(0),
            pending_since: AtomicU64::new(0),
            taken_since: AtomicU64::new(0),
        }
    }
}

impl Pace {
    /// Notes that steps are made at this interval. Without one, writers never wait.
    pub(crate) fn set_interval(&self, interval_ms: Option<u64>) {
        let ahead_ms = interval_ms.map_or(0, |interval| interval.saturating_add(AHEAD.as_millis() as u64));
        self.ahead_ms.store(ahead_ms, Ordering::Relaxed);
    }

    /// Notes a new pair.
    pub(crate) fn note_added(&self) {
        self.added.fetch_add(1, Ordering::Relaxed);
        if self.pending_since.load(Ordering::Relaxed) == 0 {
            let now = self.now_ms() + 1;
            // Errors: another pair came first.
            let _ = self.pending_since.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Begins a step, before it takes its snapshot.
    pub(crate) fn begin_step(&self) -> PaceOfStep {
        let step = PaceOfStep { added: self.added.load(Ordering::Relaxed), begun: Instant::now() };
        let pending = self.pending_since.swap(0, Ordering::Relaxed);
        // The changes of a failed step are older.
        if self.taken_since.load(Ordering::Relaxed) == 0 {
            self.taken_since.store(pending, Ordering::Relaxed);
        }
        step
    }

    /// Ends a step whose state is shown.
    pub(crate) fn end_step(&self, step: &PaceOfStep) {
        let before = self.shown.swap(step.added, Ordering::Relaxed);
        self.taken_since.store(0, Ordering::Relaxed);
        let (pairs, micros) = (step.added.saturating_sub(before), step.begun.elapsed().as_micros().max(1));
        if pairs >= TELLING_PAIRS {
            let rate = u64::try_from(u128::from(pairs) * 1_000_000 / micros).unwrap_or(u64::MAX);
            let known = self.rate.load(Ordering::Relaxed);
            self.rate.store((known / 2).saturating_add(rate / 2).max(1), Ordering::Relaxed);
        }
    }

    /// Returns the age of the oldest change that is not shown, in milliseconds; 0 if all are.
    pub(crate) fn delay_ms(&self) -> u64 {
        let since = [&self.taken_since, &self.pending_since].map(|since| since.load(Ordering::Relaxed));
        let oldest = since.into_iter().filter(|since| *since > 0).min();
        oldest.map_or(0, |since| (self.now_ms() + 1).saturating_sub(since))
    }

    /// Returns true if writers are too far ahead.
    pub(crate) fn is_late(&self) -> bool {
        let ahead_ms = self.ahead_ms.load(Ordering::Relaxed);
        let behind = self.added.load(Ordering::Relaxed).saturating_sub(self.shown.load(Ordering::Relaxed));
        let needed_ms = behind.saturating_mul(1_000) / self.rate.load(Ordering::Relaxed).max(1);
        ahead_ms > 0 && needed_ms > ahead_ms
    }

    /// Waits while writers are too far ahead. Errors: that of `check`, called from time to time.
    pub(crate) fn wait(&self, check: &dyn Fn() -> Result<()>) -> Result<()> {
        if !self.is_late() {
            return Ok(());
        }
        let (since, _waiting) = (Instant::now(), Waiting::begin());
        while self.is_late() && since.elapsed() < WAIT_MAX {
            check()?;
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(pace: &Pace, pairs: u64) {
        (0..pairs).for_each(|_| pace.note_added());
    }

    #[test]
    fn writers_wait_while_the_indexer_is_far_behind() {
        let pace = Pace::default();
        add(&pace, 12_000);
        assert!(!pace.is_late(), "nobody makes steps");
        pace.set_interval(Some(100));
        assert!(pace.is_late());
        let killed = pace.wait(&|| Err(errors::Error::killed()));
        assert_eq!(killed.unwrap_err().number(), 1500);
        let step = pace.begin_step();
        add(&pace, 5_000);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pace.wait(&|| Ok(())));
            // It would end in this time.
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            pace.end_step(&step);
            waiting.join().unwrap().unwrap();
        });
        assert!(!pace.is_late());
    }

    #[test]
    fn the_delay_is_the_age_of_the_oldest_change() {
        let pace = Pace::default();
        assert_eq!(pace.delay_ms(), 0);
        add(&pace, 1);
        // The subject of the test is time.
        std::thread::sleep(Duration::from_millis(20));
        assert!(pace.delay_ms() >= 20);
        let _failed = pace.begin_step();
        assert!(pace.delay_ms() >= 20);
        let step = pace.begin_step();
        assert!(pace.delay_ms() >= 20, "a step that fails shows nothing");
        pace.end_step(&step);
        assert_eq!(pace.delay_ms(), 0);
    }
}
