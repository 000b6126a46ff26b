//! Transactions that conflict with others and run again.

use std::time::Duration;

use errors::{ErrorCode, Result};

/// Maximum number of repetitions.
const REPETITIONS_MAX: u32 = 40;

/// The greatest pause before a repetition.
const PAUSE_MAX_MS: u64 = 40;

/// Runs a transaction until it does not conflict with others, a bounded number of times.
///
/// Errors: those of `attempt`; 1200 if it conflicts each time.
pub fn repeat_on_conflict<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let mut repetitions = 0;
    loop {
        match attempt() {
            Err(error)
                if error.code() == ErrorCode::Conflict
                    && error.is_retryable()
                    && repetitions < REPETITIONS_MAX =>
            {
                repetitions += 1;
            }
            outcome => return outcome,
        }
        // Those who have conflicted must not come back together.
        let pause_max_ms = PAUSE_MAX_MS.min(u64::from(repetitions) * 4);
        let pause_ms = getrandom::u64().unwrap_or(0) % pause_max_ms;
        std::thread::sleep(Duration::from_millis(pause_ms));
    }
}

#[cfg(test)]
mod tests {
    use errors::Error;

    use super::*;

    #[test]
    fn only_conflicts_that_may_pass_are_repeated() {
        let run = |error: Error, failures: u32| {
            let mut count = 0;
            let outcome = repeat_on_conflict(|| {
                count += 1;
                if count <= failures { Err(error.clone()) } else { Ok(()) }
            });
            (outcome.is_ok(), count)
        };
        let conflict = Error::of(ErrorCode::Conflict);
        assert_eq!(run(conflict.clone().retryable(), 3), (true, 4));
        assert_eq!(run(conflict.clone().retryable(), u32::MAX), (false, REPETITIONS_MAX + 1));
        assert_eq!(run(conflict, 1), (false, 1));
        assert_eq!(run(Error::of(ErrorCode::LockTimeout).retryable(), 1), (false, 1));
    }
}
