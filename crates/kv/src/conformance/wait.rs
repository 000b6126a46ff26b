//! Waits for conditions.

use std::time::{Duration, Instant};

/// The maximum wait. A quiet machine needs a moment, a busy one much longer.
const DEADLINE: Duration = Duration::from_secs(60);

/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits until `holds` returns true. Panics with `what` if it does not within a minute.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        std::thread::sleep(PAUSE);
    }
}
