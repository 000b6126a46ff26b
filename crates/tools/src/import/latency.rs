//! The latency of requests, every ten seconds.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Console;

/// The time between two lines.
const PERIOD: Duration = Duration::from_secs(10);

/// The times of requests since the last line.
#[derive(Debug)]
pub(super) struct Latency {
    console: Console,
    state: Mutex<(Instant, Vec<u64>)>,
}

impl Latency {
    pub(super) fn new(console: &Console) -> Self {
        Latency { console: console.clone(), state: Mutex::new((Instant::now(), Vec::new())) }
    }

    /// Adds the time of a request.
    pub(super) fn add(&self, elapsed: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.push(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX));
        if state.0.elapsed() >= PERIOD {
            self.print(&mut state);
        }
    }

    /// Prints the line of the remaining times.
    pub(super) fn finish(&self) {
        self.print(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn print(&self, state: &mut (Instant, Vec<u64>)) {
        let seconds = state.0.elapsed().as_secs_f64();
        if let Some(line) = describe(&mut state.1, seconds) {
            self.console.info(&line);
        }
        *state = (Instant::now(), Vec::new());
    }
}

/// Returns one line, in microseconds.
fn describe(times: &mut [u64], seconds: f64) -> Option<String> {
    times.sort_unstable();
    let (least, most) = (times.first()?, times.last()?);
    let share = |percent: usize| times.get((times.len() - 1) * percent / 100).copied().unwrap_or(0);
    let mean = times.iter().sum::<u64>() / times.len() as u64;
    Some(format!(
        "{} requests in {seconds:.1} s, in µs: least {least}, mean {mean}, median {}, 95 % {}, 99 % {}, most {most}",
        times.len(),
        share(50),
        share(95),
        share(99)
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_has_the_shares() {
        let mut times: Vec<u64> = (1..=100).rev().collect();
        let line = super::describe(&mut times, 10.0).unwrap();
        assert_eq!(
            line,
            "100 requests in 10.0 s, in µs: least 1, mean 50, median 50, 95 % 95, 99 % 99, most 100"
        );
        assert_eq!(super::describe(&mut [], 1.0), None);
    }
}
