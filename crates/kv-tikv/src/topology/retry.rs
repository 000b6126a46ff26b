//! Repetitions with growing pauses, within a limit of time.

use std::time::{Duration, Instant};

use kv::{Error, Result};

const PAUSE_FIRST: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// The pauses between the attempts of one operation.
#[derive(Debug)]
pub(crate) struct Retry {
    deadline: Instant,
    pause: Duration,
}

impl Retry {
    /// Begins attempts that end after `limit`.
    pub(crate) fn within(limit: Duration) -> Self {
        Retry { deadline: Instant::now() + limit, pause: PAUSE_FIRST }
    }

    /// Waits before the next attempt. `reason` says why the last one failed.
    ///
    /// Errors: [`Error::Unavailable`] with the reason, once the time is over.
    pub(crate) async fn pause(&mut self, reason: &(dyn std::fmt::Display + Sync)) -> Result<()> {
        self.pause_at_least(Duration::ZERO, reason).await
    }

    /// Waits as [`Retry::pause`] does, but no less than a time that the cluster has asked for.
    pub(crate) async fn pause_at_least(
        &mut self,
        least: Duration,
        reason: &(dyn std::fmt::Display + Sync),
    ) -> Result<()> {
        let now = Instant::now();
        if now >= self.deadline {
            return Err(Error::Unavailable { reason: reason.to_string() });
        }
        // Half of the pause is random, so that callers that failed together do not retry together.
        let pause = self.pause / 2 + self.pause.mul_f32(fastrand::f32() / 2.0);
        let pause = pause.max(least).min(self.deadline - now);
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        tokio::time::sleep(pause).await;
        Ok(())
    }

    /// Returns true if the time is over.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }
}
