//! The pauses between attempts.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);
/// The longest pause that a receiver may ask for.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);

/// Returns the pause after a number of failed attempts: a second, doubled by each, up to five
/// minutes, of which a random part of up to a half is left out. A receiver may ask for a longer
/// one, up to an hour.
pub fn back_off(attempts: u32, retry_after: Option<Duration>) -> Duration {
    let factor = 1_u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
    let whole = FIRST.saturating_mul(factor).min(LONGEST);
    let pause = whole.mul_f64(1.0 - fastrand::f64() / 2.0);
    pause.max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        for (attempts, seconds) in
            [(0, 1), (1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (40, 300), (u32::MAX, 300)]
        {
            let (most, pause) = (Duration::from_secs(seconds), back_off(attempts, None));
            assert!(pause <= most && pause >= most / 2, "{attempts}: {pause:?}");
        }
    }

    #[test]
    fn a_receiver_may_ask_for_an_hour_and_no_more() {
        assert_eq!(back_off(1, Some(Duration::from_secs(60))), Duration::from_secs(60));
        assert_eq!(back_off(1, Some(Duration::from_secs(86_400))), RETRY_AFTER_MAX);
        assert!(back_off(5, Some(Duration::ZERO)) >= Duration::from_secs(8));
    }
}
