//! The messages that have come to the mock cluster's stores, as tests count and delay them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The messages to stores.
#[derive(Default)]
pub(super) struct Traffic {
    messages: AtomicUsize,
    reply_bytes: AtomicUsize,
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
    delay_us: AtomicU64,
}

/// Statistics of the messages to stores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TrafficFigures {
    /// The number of messages.
    pub(crate) messages: usize,
    /// The maximum number of messages that were in flight concurrently.
    pub(crate) most_at_once: usize,
    /// The bytes of all replies.
    pub(crate) reply_bytes: usize,
}

/// A message on its way.
pub(super) struct OnItsWay<'a>(&'a Traffic);

impl Traffic {
    /// Makes every message take a time.
    pub(super) fn delay(&self, time: Duration) {
        self.delay_us.store(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the statistics since the last call.
    pub(super) fn take(&self) -> TrafficFigures {
        let take = |figure: &AtomicUsize| figure.swap(0, Ordering::Relaxed);
        TrafficFigures {
            messages: take(&self.messages),
            most_at_once: take(&self.most_at_work),
            reply_bytes: take(&self.reply_bytes),
        }
    }

    /// Counts a message to a store, and waits for the time that it takes.
    pub(super) async fn begin(&self, method: &str) -> Option<OnItsWay<'_>> {
        if !method.contains("Tikv") {
            return None;
        }
        self.messages.fetch_add(1, Ordering::Relaxed);
        let at_work = self.at_work.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_at_work.fetch_max(at_work, Ordering::Relaxed);
        let on_its_way = OnItsWay(self);
        let delay = self.delay_us.load(Ordering::Relaxed);
        if delay > 0 {
            tokio::time::sleep(Duration::from_micros(delay)).await;
        }
        Some(on_its_way)
    }
}

impl OnItsWay<'_> {
    /// Counts the reply.
    pub(super) fn reply(&self, bytes: usize) {
        self.0.reply_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        self.0.at_work.fetch_sub(1, Ordering::Relaxed);
    }
}
