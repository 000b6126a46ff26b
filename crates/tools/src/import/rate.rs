//! The rate of sending, which adapts to the server.

use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time within which a reply lets the rate grow; a later one makes it fall.
const PATIENCE: Duration = Duration::from_millis(500);

/// The factors by which the rate grows and falls with a reply.
const GROWTH: f64 = 1.5;
const FALL: f64 = 0.7;

/// A rate for all threads together.
#[derive(Debug)]
pub(super) struct Rate {
    least: f64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes_per_second: f64,
    /// The time at which the next batch may be sent.
    next: Instant,
}

impl Rate {
    /// Starts with one batch per thread and second; the rate never falls below one batch per
    /// second.
    pub(super) fn new(batch_bytes: usize, threads: usize) -> Self {
        let (batch, threads) = (batch_bytes as f64, threads as f64);
        let state = State { bytes_per_second: batch * threads, next: Instant::now() };
        Rate { least: batch, state: Mutex::new(state) }
    }

    /// Waits until a number of bytes may be sent.
    pub(super) fn wait(&self, bytes: usize) {
        sleep(self.claim(bytes, Instant::now()));
    }

    fn claim(&self, bytes: usize, now: Instant) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = state.next.max(now);
        state.next = begin + Duration::from_secs_f64(bytes as f64 / state.bytes_per_second);
        begin - now
    }

    /// Adapts the rate to the time of a reply.
    pub(super) fn answered(&self, elapsed: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let factor = if elapsed < PATIENCE { GROWTH } else { FALL };
        state.bytes_per_second = (state.bytes_per_second * factor).max(self.least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_the_server() {
        let rate = Rate::new(1_000, 2);
        let now = Instant::now();
        assert!(rate.claim(1_000, now) < Duration::from_millis(1));
        let wait = rate.claim(1_000, now);
        assert!(wait > Duration::from_millis(490) && wait < Duration::from_millis(510), "{wait:?}");
        let speed = |rate: &Rate| rate.state.lock().unwrap().bytes_per_second;
        rate.answered(Duration::from_millis(1));
        assert_eq!(speed(&rate).round(), 3_000.0);
        for _ in 0..10 {
            rate.answered(Duration::from_secs(2));
        }
        assert_eq!(speed(&rate), 1_000.0);
    }
}
