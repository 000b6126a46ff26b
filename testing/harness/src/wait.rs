//! Waits for conditions, each with a deadline.

use std::time::{Duration, Instant};

/// The maximum wait for something that takes a moment on a quiet machine. A busy one may take much
/// longer.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The pause between two checks is this part of the time waited so far. So short waits end almost
/// on time, and long ones cost little.
const PAUSE_PART: u32 = 32;

/// The shortest and the longest pause.
const PAUSE_MIN: Duration = Duration::from_micros(200);
const PAUSE_MAX: Duration = Duration::from_millis(10);

/// Waits until `holds` returns true. Errors: see [`wait_for`].
pub fn wait_until(what_fails: &str, mut holds: impl FnMut() -> bool) -> Result<(), String> {
    wait_for(what_fails, || holds().then_some(()))
}

/// Waits until `find` finds something, and returns it.
///
/// Errors: text for the user, `what_fails` and the time, if it finds nothing before [`DEADLINE`].
pub fn wait_for<T>(what_fails: &str, find: impl FnMut() -> Option<T>) -> Result<T, String> {
    wait_within(DEADLINE, what_fails, find)
}

/// Waits as [`wait_for`] does, with another deadline.
pub fn wait_within<T>(
    deadline: Duration,
    what_fails: &str,
    mut find: impl FnMut() -> Option<T>,
) -> Result<T, String> {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return Ok(found);
        }
        let elapsed = start.elapsed();
        if elapsed > deadline {
            return Err(format!("{what_fails} after {deadline:?}"));
        }
        std::thread::sleep((elapsed / PAUSE_PART).clamp(PAUSE_MIN, PAUSE_MAX));
    }
}

/// Asks until the answer is right or [`DEADLINE`] is over, and returns the last answer, right or
/// wrong. Errors: those of `ask`.
pub fn ask_until_right<T, E>(
    mut ask: impl FnMut() -> Result<T, E>,
    is_right: impl Fn(&T) -> bool,
) -> Result<T, E> {
    let mut answer = ask();
    // Errors: the last answer is wrong, which the caller sees.
    let _ = wait_until("the answer is wrong", || {
        let is_last = answer.as_ref().map_or(true, &is_right);
        if !is_last {
            answer = ask();
        }
        is_last
    });
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_the_condition_or_the_deadline() {
        let mut looks = 0;
        let found = wait_for("nothing", || {
            looks += 1;
            (looks == 3).then_some(looks)
        });
        assert_eq!(found, Ok(3));
        let late: Result<(), _> = wait_within(Duration::from_millis(1), "it does not come", || None);
        assert_eq!(late, Err("it does not come after 1ms".to_owned()));
    }

    #[test]
    fn the_last_answer_is_the_right_one_or_an_error() {
        let mut answers = [Ok(1), Ok(2), Ok(3), Err("none")].into_iter();
        let mut ask = || answers.next().unwrap_or(Ok(0));
        assert_eq!(ask_until_right(&mut ask, |answer| *answer == 2), Ok(2));
        assert_eq!(ask_until_right(&mut ask, |answer| *answer == 2), Err("none"));
    }
}
